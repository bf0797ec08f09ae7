"""Retrievers of a user: a good one that counts its calls, and ones with every kind of fault."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from squtr.records import Document


class Overlap:
    """Scores by shared words; remembers what it was asked."""

    asked: ClassVar[list[str]] = []
    indexed: ClassVar[list[int]] = []

    def index(self, documents: Sequence[Document], language: str) -> None:
        self.indexed.append(len(documents))
        self._words = {document.id: set(document.full_text.lower().split()) for document in documents}

    def search(self, queries: Sequence[str], k: int) -> list[dict[str, float]]:
        self.asked.extend(queries)
        found = []
        for query in queries:
            shared = {name: len(words & set(query.lower().split())) for name, words in self._words.items()}
            found.append({name: float(count) for name, count in shared.items() if count})
        return found


class Stranger(Overlap):
    def search(self, queries: Sequence[str], k: int) -> list[dict[str, float]]:
        return [{"no-such-document": 1.0} for _ in queries]


class Undefined(Overlap):
    def search(self, queries: Sequence[str], k: int) -> list[dict[str, float]]:
        return [{next(iter(self._words)): float("nan")} for _ in queries]


class TooFew(Overlap):
    def search(self, queries: Sequence[str], k: int) -> list[dict[str, float]]:
        return []


class Crashing(Overlap):
    def search(self, queries: Sequence[str], k: int) -> list[dict[str, float]]:
        return [{"d-0": 1 / 0}]


class Nothing(Overlap):
    def search(self, queries: Sequence[str], k: int) -> list[dict[str, float]]:
        return None  # type: ignore[return-value]


class NoSearch:
    def index(self, documents: Sequence[Document], language: str) -> None:
        pass
