"""Weighted terms of texts, and exact search among them through an inverted index."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt

from squtr.errors import UserError
from squtr.retrievers import Ranking
from squtr.retrievers.order import best, checked_depth, tie_ranks
from squtr.store import temporary_name

Weights = npt.NDArray[np.float32]
Terms = npt.NDArray[np.int32]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True)
class TermWeights:
    """Rows of weighted terms, one after the other: counts (n,), terms and weights (their sum,).

    `width` is the number of terms there can be.
    """

    counts: Counts
    terms: Terms
    weights: Weights
    width: int

    def row(self, at: int) -> tuple[Terms, Weights]:
        """Return one row's terms and weights."""
        end = int(self.counts[: at + 1].sum())
        start = end - int(self.counts[at])
        return self.terms[start:end], self.weights[start:end]


def joined(parts: Sequence[TermWeights]) -> TermWeights:
    """Return the rows of all parts, in their order."""
    return TermWeights(
        np.concatenate([part.counts for part in parts]),
        np.concatenate([part.terms for part in parts]),
        np.concatenate([part.weights for part in parts]),
        max(part.width for part in parts),
    )


def write_weights(path: Path, weights: TermWeights) -> None:
    """Write rows as a numpy archive, whole or not at all."""
    temporary = temporary_name(path)
    with temporary.open("wb") as file:
        np.savez(
            file, counts=weights.counts, terms=weights.terms, weights=weights.weights, width=weights.width
        )
    temporary.replace(path)


def read_weights(path: Path) -> TermWeights:
    """Read what `write_weights` wrote."""
    with np.load(path, allow_pickle=False) as kept:
        return TermWeights(kept["counts"], kept["terms"], kept["weights"], int(kept["width"]))


class TermIndex:
    """For each term the documents that hold it; dot products are summed in float64, term by term.

    The terms of a query are taken in one order, so equal documents have equal scores, whatever else is asked.
    Raises UserError when ids and rows do not fit.
    """

    def __init__(self, ids: Sequence[str], weights: TermWeights) -> None:
        if not len(ids) or len(ids) != len(weights.counts):
            raise UserError(f"{len(weights.counts)} encoded documents do not fit {len(ids)} ids.")
        self._ids = list(ids)
        self._ties = tie_ranks(self._ids)
        order = np.argsort(weights.terms, kind="stable")
        owners = np.repeat(np.arange(len(ids), dtype=np.int32), weights.counts)
        self._documents, self._weights = owners[order], weights.weights[order]
        self._starts = np.searchsorted(weights.terms[order], np.arange(weights.width + 1))

    def search(self, terms: Terms, weights: Weights, k: int) -> Ranking:
        """Return up to k documents by the dot product, best first; those at 0 or below are no hits."""
        k = checked_depth(k, len(self._ids))
        scores = np.zeros(len(self._ids), dtype=np.float64)
        for at in np.argsort(terms, kind="stable"):
            if terms[at] < len(self._starts) - 1:
                start, end = self._starts[terms[at]], self._starts[terms[at] + 1]
                held = self._weights[start:end].astype(np.float64)
                scores[self._documents[start:end]] += held * float(weights[at])
        hits = np.flatnonzero(scores > 0)
        chosen = hits[best(scores[hits], self._ties[hits], k)] if len(hits) else hits
        return {self._ids[at]: float(scores[at]) for at in chosen}
