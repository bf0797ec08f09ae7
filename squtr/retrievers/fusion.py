"""Several rankings of one query into one."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Sequence

from squtr.eval.runs import cut
from squtr.retrievers import Ranking

LONE_SCORE = 0.5
LOWEST_SCORE = 1e-6

_Ranked = list[tuple[str, float]]


def reciprocal_rank_fusion(rankings: Sequence[Ranking], k: int, k_rrf: float = 60) -> Ranking:
    """Return the k best by the sum of 1 / (k_rrf + rank), rank from 1 (Cormack et al., SIGIR 2009).

    A document that a ranking lacks gets 0 from it. Ranks and result follow the one order: score
    descending, then id descending. Raises UserError on a score that is not finite and on k below 1.
    """

    def shares(ranked: _Ranked) -> Ranking:
        return {document: 1 / (k_rrf + rank) for rank, (document, _) in enumerate(ranked, start=1)}

    return _summed(rankings, k, shares)


def normalised_fusion(rankings: Sequence[Ranking], k: int) -> Ranking:
    """Return the k best by the sum of scores scaled per query and ranking to (0, 1].

    The highest score becomes 1 and the lowest 1e-6, not 0, so that a retrieved document beats one that the
    ranking lacks (which gets 0); where all scores are equal each becomes 0.5. Order and errors as in
    `reciprocal_rank_fusion`.
    """
    return _summed(rankings, k, _scaled)


def _summed(rankings: Sequence[Ranking], k: int, shares: Callable[[_Ranked], Ranking]) -> Ranking:
    parts: defaultdict[str, list[float]] = defaultdict(list)
    for ranking in filter(None, rankings):
        for document, share in shares(cut(ranking, len(ranking))).items():
            parts[document].append(share)
    return dict(cut({document: math.fsum(values) for document, values in parts.items()}, k))


def _scaled(ranked: _Ranked) -> Ranking:
    high, low = ranked[0][1] / 2, ranked[-1][1] / 2  # halved, so that the span cannot overflow
    if high == low:
        return {document: LONE_SCORE for document, _ in ranked}
    return {
        document: LOWEST_SCORE + (1 - LOWEST_SCORE) * ((score / 2 - low) / (high - low))
        for document, score in ranked
    }
