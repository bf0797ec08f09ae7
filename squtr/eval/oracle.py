"""The oracle of a retriever made of several: for each query the best of its members' rankings.

It looks at the judgements, so it is no system but a ceiling: what choosing between the members could gain.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from squtr.eval.scores import DEFAULT_MEASURES, Scores

WHAT = (
    "a ceiling, not a system: for each query the member's ranking with the higher score, chosen by looking at"
    " the judgements"
)


def oracle(members: Sequence[Mapping[str, Scores]]) -> dict[str, dict[str, Any]]:
    """Return by condition and measure the mean over queries of the members' best score.

    `members`: the scores of each member by condition. The choice is free for each measure, so no rule of
    choosing can do better in any. Beside it stands how often the first member is at least as good.
    """
    return {
        condition: {
            "means": {
                measure.full_name: _best_mean([one[condition] for one in members], measure.full_name)
                for measure in DEFAULT_MEASURES
            },
            "first_is_best": _first_share([one[condition] for one in members]),
        }
        for condition in members[0]
    }


def _best_mean(members: Sequence[Scores], measure: str) -> float | None:
    best = [max(values) for values in _by_query(members, measure)]
    return sum(best) / len(best) if best else None


def _first_share(members: Sequence[Scores]) -> float | None:
    rows = _by_query(members, DEFAULT_MEASURES[0].full_name)
    return sum(values[0] >= max(values) for values in rows) / len(rows) if rows else None


def _by_query(members: Sequence[Scores], measure: str) -> list[list[float]]:
    return [[one.per_query[query][measure] for one in members] for query in members[0].per_query]
