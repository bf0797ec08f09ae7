"""What every retriever by vectors shares: which texts say something, the index, one vector an equal query."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from squtr.errors import UserError, did_you_mean
from squtr.records import Document
from squtr.retrievers import Ranking
from squtr.retrievers.nearest import nearest
from squtr.retrievers.vectors import VectorIndex, Vectors

STORED = ("float32", "float16")


class VectorSearch:
    """The Retriever protocol for what has `embed_documents(documents)` and `embed_queries(texts)`, (n, d).

    engine: numpy, faiss or auto, with the same result (squtr.retrievers.nearest). stored: float32 or
    float16, in which the corpus is kept on disk; cosines are computed in float32 and better from either.
    """

    embed_documents: Callable[[Sequence[Document]], Vectors]
    embed_queries: Callable[[Sequence[str]], Vectors]

    def __init__(self, engine: str = "auto", stored: str = "float32") -> None:
        if stored not in STORED:
            raise UserError(f"stored is {stored!r}.{did_you_mean(str(stored), STORED)}")
        nearest(engine)
        self.engine, self.stored = engine, stored
        self._vector_index: VectorIndex | None = None

    @property
    def stored_fingerprint(self) -> str:
        """What keeping vectors adds to a fingerprint: nothing for float32."""
        return "" if self.stored == "float32" else f" stored={self.stored}"

    def index(self, documents: Sequence[Document], language: str) -> None:
        """Embed and take in the corpus. Raises UserError when it is empty."""
        vectors = self.embed_documents(documents).astype(self.stored)
        self.index_vectors([document.id for document in documents], vectors)

    def index_vectors(self, ids: Sequence[str], vectors: Any) -> None:
        """Take in vectors made before, shape (n, d), float32 or float16; they may be memory-mapped."""
        self._vector_index = VectorIndex(ids, vectors, self.engine)

    def search(self, queries: Sequence[str], k: int) -> list[Ranking]:
        """Return up to k documents a query with their cosines; equal queries are embedded once."""
        texts = list(dict.fromkeys(queries))
        found = dict(zip(texts, self.search_vectors(self.embed_queries(texts), k), strict=True))
        return [dict(found[text]) for text in queries]

    def search_vectors(self, vectors: Vectors, k: int) -> list[Ranking]:
        """Return up to k documents for each query vector, shape (m, d); a zero vector finds nothing."""
        if self._vector_index is None:
            raise RuntimeError(f"{type(self).__name__}.index comes before search.")
        return self._vector_index.search(vectors, k)


def says_something(text: str) -> bool:
    """Say whether a text holds a letter, a digit or a symbol; the vector of one without is zero."""
    return any(unicodedata.category(char)[0] in "LNS" for char in text)


def embed_filled(
    texts: Sequence[str], encode: Callable[[list[str]], Any], width: int | None = None
) -> Vectors:
    """Return a vector a text, shape (n, d), float32; zero where a text says nothing.

    `encode` gets only the texts that say something. `width` is d where it is known; otherwise, with no such
    text, d is 1.
    """
    filled = [row for row, text in enumerate(texts) if says_something(text)]
    found = np.asarray(encode([texts[row] for row in filled]), dtype=np.float32) if filled else None
    wide = width or (1 if found is None else found.shape[1])
    vectors = np.zeros((len(texts), wide), dtype=np.float32)
    if found is not None:
        if found.shape != (len(filled), wide):
            raise UserError(f"The model gave vectors of shape {found.shape}, not {(len(filled), wide)}.")
        vectors[filled] = found
    return vectors
