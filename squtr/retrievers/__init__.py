"""Retrievers: a corpus and queries give rankings."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from squtr.records import Document

Ranking = dict[str, float]


class Retriever(Protocol):
    """What `--retriever package.module:Class` has to offer; both methods are called in one process.

    `fingerprint` is optional: without it the class path and options name the retriever.
    """

    def index(self, documents: Sequence[Document], language: str) -> None:
        """Take in the corpus once. The same object then answers every condition's queries."""
        ...

    def search(self, queries: Sequence[str], k: int) -> Sequence[Ranking]:
        """Return up to k documents a query as {document id: score}, higher is better."""
        ...
