"""Several rankings of one query into one."""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Callable, Sequence

from squtr.eval.runs import cut
from squtr.retrievers import Ranking

LONE_SCORE = 0.5
LONE_DEVIATION = 1.0
LOWEST_SCORE = 1e-6

_Ranked = list[tuple[str, float]]


def reciprocal_rank_fusion(
    rankings: Sequence[Ranking], k: int, k_rrf: float = 60, weights: Sequence[float] | None = None
) -> Ranking:
    """Return the k best by the sum of weight / (k_rrf + rank), rank from 1 (Cormack et al., SIGIR 2009).

    A document that a ranking lacks gets 0 from it. `weights`: one a ranking, above 0; 1 each when None.
    Ranks and result follow the one order: score descending, then id descending. Raises UserError on a score
    that is not finite and on k below 1.
    """

    def shares(ranked: _Ranked) -> Ranking:
        return {document: 1 / (k_rrf + rank) for rank, (document, _) in enumerate(ranked, start=1)}

    return _summed(rankings, k, shares, weights)


def normalised_fusion(rankings: Sequence[Ranking], k: int, weights: Sequence[float] | None = None) -> Ranking:
    """Return the k best by the sum of scores scaled per query and ranking to (0, 1].

    The highest score becomes 1 and the lowest 1e-6, not 0, so that a retrieved document beats one that the
    ranking lacks (which gets 0); where all scores are equal each becomes 0.5. Weights, order and errors as
    in `reciprocal_rank_fusion`.
    """
    return _summed(rankings, k, _scaled, weights)


def deviation_fusion(rankings: Sequence[Ranking], k: int, weights: Sequence[float] | None = None) -> Ranking:
    """Return the k best by the sum of scores in standard deviations above the ranking's lowest (z-scores).

    A z-score is below 0 for half of what was retrieved, so a document that a ranking lacks would win with
    its 0. All are therefore counted from the lowest, which gets 1e-6; where all scores are equal each
    becomes 1. Weights, order and errors as in `reciprocal_rank_fusion`.
    """
    return _summed(rankings, k, _standardised, weights)


def _summed(
    rankings: Sequence[Ranking],
    k: int,
    shares: Callable[[_Ranked], Ranking],
    weights: Sequence[float] | None,
) -> Ranking:
    parts: defaultdict[str, list[float]] = defaultdict(list)
    for ranking, weight in zip(rankings, weights or [1.0] * len(rankings), strict=True):
        for document, share in shares(cut(ranking, len(ranking))).items() if ranking else ():
            parts[document].append(weight * share)
    return dict(cut({document: math.fsum(values) for document, values in parts.items()}, k))


def _scaled(ranked: _Ranked) -> Ranking:
    places = _places(ranked)
    if not places:
        return {document: LONE_SCORE for document, _ in ranked}
    return {
        document: LOWEST_SCORE + (1 - LOWEST_SCORE) * place
        for (document, _), place in zip(ranked, places, strict=True)
    }


def _standardised(ranked: _Ranked) -> Ranking:
    places = _places(ranked)
    if not places:
        return {document: LONE_DEVIATION for document, _ in ranked}
    deviation = statistics.pstdev(places)
    return {
        document: LOWEST_SCORE + place / deviation
        for (document, _), place in zip(ranked, places, strict=True)
    }


def _places(ranked: _Ranked) -> list[float]:
    """Return each score's place between the lowest, 0, and the highest, 1; nothing where all are equal."""
    high, low = ranked[0][1] / 2, ranked[-1][1] / 2  # halved, so that the span cannot overflow
    return [(score / 2 - low) / (high - low) for _, score in ranked] if high > low else []
