"""A first stage's best documents, ordered anew by a dense retriever's vectors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from squtr.errors import UserError
from squtr.needs import Need, needs_of
from squtr.records import Document
from squtr.retrievers import Ranking, Retriever
from squtr.retrievers.candidates import Candidates
from squtr.retrievers.members import check_members, fingerprint_of, loaded_members


class RerankByVectors:
    """The first stage's best documents in the order of a dense retriever's cosines: no cross-encoder.

    by: a retriever with `embed_documents` and `embed_queries`. Only candidates are embedded, each once, so a
    corpus that is never embedded whole can be reranked; vectors of a whole corpus that are kept are taken,
    where `by` says by `same_in_any_batch` that they are the same to the last bit.
    """

    composed_of = "first"
    default_members = "bm25"

    def __init__(self, first: str | Retriever = "bm25", by: str | Any = "dense", depth: int = 50) -> None:
        self.by: Any = loaded_members([by])[0]
        if not hasattr(self.by, "embed_documents") or not hasattr(self.by, "embed_queries"):
            raise UserError(
                f"rerank-by-vectors: by={by!r} has no vectors. Name dense or another such retriever."
            )
        self._candidates = Candidates(first, depth)
        self.members = self._candidates.members
        self._vectors: dict[str, Any] = {}
        self._kept: Any = None

    @property
    def fingerprint(self) -> str:
        """The first stage, the depth and what the vectors come from."""
        first = fingerprint_of(self.members[0])
        return f"rerank-by-vectors [{first}] depth={self._candidates.depth} by [{fingerprint_of(self.by)}]"

    def needs(self) -> list[Need]:
        """Return what the first stage and the vectors need."""
        return [*needs_of(self.members[0]), *needs_of(self.by)]

    def check(self) -> None:
        """Let both stages check themselves. Raises UserError."""
        check_members([*self.members, self.by])

    def index(self, documents: Sequence[Document], language: str) -> None:
        """Hand the corpus to the first stage; candidates are embedded when they are met."""
        self._candidates.index(documents, language)
        self._vectors = {}
        kept = getattr(documents, "kept_vectors", None)
        self._kept = kept(self.by) if kept and getattr(self.by, "same_in_any_batch", False) else None

    def search(self, queries: Sequence[str], k: int) -> list[Ranking]:
        """Return up to k documents a query; a query that says nothing keeps the first stage's order."""
        return self._candidates.reranked(queries, k, self._scores)

    def _scores(self, wanted: dict[str, list[str]]) -> dict[str, Ranking]:
        fresh = dict.fromkeys(name for names in wanted.values() for name in names)
        missing = [name for name in fresh if name not in self._vectors]
        if missing:
            rows = self._embedded(missing)
            self._vectors.update(zip(missing, map(_unit, rows), strict=True))
        asked = map(_unit, self.by.embed_queries(list(wanted))) if wanted else ()
        return {
            text: self._cosines(names, query)
            for (text, names), query in zip(wanted.items(), asked, strict=True)
        }

    def _embedded(self, names: list[str]) -> Any:
        if self._kept is not None:
            return self._kept[[self._candidates.place(name) for name in names]]
        return self.by.embed_documents([self._candidates.document(name) for name in names])

    def _cosines(self, names: list[str], query: Any) -> Ranking:
        if not query.any():
            return {name: -float(place) for place, name in enumerate(names)}
        return {name: float((self._vectors[name] * query).sum()) for name in names}


def _unit(row: Any) -> Any:
    wide = np.asarray(row, dtype=np.float64)
    norm = float(np.sqrt((wide * wide).sum()))
    return wide / norm if norm else wide
