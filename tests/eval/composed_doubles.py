"""Retrievers of a user that adapt, keep things, or count what they cut."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import ClassVar

import numpy as np

from squtr.records import Document
from squtr.retrievers import QueryContext
from tests.eval.retriever_doubles import Overlap


class Asking(Overlap):
    """Overlap that remembers the contexts it was told."""

    told: ClassVar[list[tuple[str, QueryContext | None]]] = []

    def search_with(
        self, queries: Sequence[str], contexts: Sequence[QueryContext | None], k: int
    ) -> list[dict[str, float]]:
        self.told.extend(zip(queries, contexts, strict=True))
        return self.search(queries, k)


class Keeping(Overlap):
    """Keeps a file of what it made of a corpus."""

    fingerprint = "keeping"
    places: ClassVar[list[Path]] = []

    def index_kept(self, documents: Sequence[Document], language: str, place: Path) -> None:
        self.places.append(place)
        place.with_name(f"{place.name}.txt").write_text(str(len(documents)))
        self.index(documents, language)


class Cutting:
    """Vectors of two numbers; counts a text of more than twelve characters as cut."""

    fingerprint = "cutting"
    stored = "float16"
    documents_at_once = 3
    embedded: ClassVar[list[int]] = []

    def __init__(self) -> None:
        self.truncation = {"documents": 0, "cut": 0}

    def embed_documents(self, documents: Sequence[Document]) -> np.ndarray:
        self.embedded.append(len(documents))
        self.truncation["documents"] += len(documents)
        self.truncation["cut"] += sum(len(document.full_text) > 12 for document in documents)
        return np.array([[1, len(document.full_text)] for document in documents], dtype=np.float32)

    def index_vectors(self, ids: Sequence[str], vectors: np.ndarray) -> None:
        self.ids, self.vectors = list(ids), vectors

    def index(self, documents: Sequence[Document], language: str) -> None:
        raise AssertionError("a stored corpus has its vectors kept")

    def search(self, queries: Sequence[str], k: int) -> list[dict[str, float]]:
        assert self.vectors.dtype == np.float16
        return [
            {name: float(row[1]) for name, row in zip(self.ids, self.vectors, strict=True)} for _ in queries
        ]


class Refusing(Overlap):
    def check(self) -> None:
        from squtr.errors import UserError

        raise UserError("this set-up is wrong")
