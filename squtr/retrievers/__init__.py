"""Retrievers: a corpus and queries give rankings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from squtr.records import Document

Ranking = dict[str, float]


@dataclass(frozen=True, slots=True)
class QueryContext:
    """What is known of the recording that a query text was heard in, without looking at how it was made.

    confidence: the recogniser's mean token log-probability, None where it gives none. estimated_snr_db:
    estimated from the samples (squtr.blind_snr), None where nobody asked for it or nothing can be
    estimated. The configured ratio and the condition are not told.
    """

    confidence: float | None = None
    estimated_snr_db: float | None = None


class Retriever(Protocol):
    """What `--retriever package.module:Class` has to offer; both methods are called in one process.

    `fingerprint` is optional: without it the class path and options name the retriever. So are `check()`
    and `needs()`, as of every part, and `search_with(queries, contexts, k)`: called in place of `search` with
    a QueryContext for each query, None for a written one; `context` then names the field it looks at.
    """

    def index(self, documents: Sequence[Document], language: str) -> None:
        """Take in the corpus once. The same object then answers every condition's queries."""
        ...

    def search(self, queries: Sequence[str], k: int) -> Sequence[Ranking]:
        """Return up to k documents a query as {document id: score}, higher is better."""
        ...
