"""Which differences hold: all pairs of systems, or of conditions, from one set of resampled queries.

Every comparison is paired by query. Intervals and tests are those of `squtr.eval.statistics`; p values are
corrected by Holm's rule over a stated family: all pairs given together.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from string import ascii_lowercase
from typing import Any

import numpy as np

from squtr.digest import to_plain
from squtr.eval.paired import Name, PairedScores
from squtr.eval.resampling import FLIPS, RESAMPLES, percentiles
from squtr.eval.statistics import Values, holm

ALPHA = 0.05
_SLACK = 1e-12


@dataclass(frozen=True, slots=True)
class Comparison:
    """mean(first) - mean(second) over n queries, in the unit of the scores, with its percentile interval.

    `effect_size` is Cohen's d_z: mean difference / standard deviation of the differences, n - 1 in its
    denominator (Cohen, 1988, 2.3.5; Lakens, 2013, equation 6); None with its `reason`. `wins`, `ties` and
    `losses` count the queries on which `first` scores higher, the same or lower. `p` is that of the paired
    randomisation test, `p_bootstrap` that of the paired bootstrap, `p_holm` is `p` corrected for the family.
    """

    first: str
    second: str
    difference: float
    low: float
    high: float
    effect_size: float | None
    wins: int
    ties: int
    losses: int
    p_bootstrap: float
    p: float
    p_holm: float
    reason: str | None = None


def compare_all(
    scores: Mapping[str, Values],
    item: str,
    seed: int = 0,
    resamples: int = RESAMPLES,
    flips: int = FLIPS,
    level: float = 0.95,
) -> list[Comparison]:
    """Compare all pairs of {name: scores a query}; the family of Holm's correction is all of them.

    Raises UserError as `PairedScores`. One name has no pair.
    """
    paired = PairedScores(scores, item, seed, resamples, flips, level)
    return compare_pairs(paired, combinations(paired.names, 2))


def compare_pairs(
    paired: PairedScores[Name], pairs: Iterable[tuple[Name, Name]], part: int | None = None
) -> list[Comparison]:
    """Compare pairs of columns as one family; a name that is a tuple is told by its `part`."""
    listed = list(pairs)
    tested = [_tested(paired, first, second) for first, second in listed]
    adjusted = holm([facts["p"] for facts in tested])
    return [
        Comparison(_told(first, part), _told(second, part), p_holm=p, **facts)
        for (first, second), facts, p in zip(listed, tested, adjusted, strict=True)
    ]


def groups(
    means: Mapping[str, float], comparisons: Sequence[Comparison], alpha: float = ALPHA
) -> dict[str, list[str]]:
    """Return the letters of each name: two share a letter if and only if they cannot be told apart.

    Told apart means `p_holm` below `alpha`. Letters are made by insert and absorb (Piepho, J. Comput. Graph.
    Stat. 13, 2004): one group of all is split at every pair that differs, and groups inside another one are
    dropped. So the groups are all largest sets without a difference inside; `a` holds the highest mean. A
    shared letter says that no difference was shown, not that there is none.
    """
    found = [frozenset(means)]
    for one in comparisons:
        if one.p_holm < alpha:
            found = _absorbed(_split(found, one.first, one.second))
    rank = {name: place for place, name in enumerate(sorted(means, key=lambda name: (-means[name], name)))}
    found.sort(key=lambda group: sorted(rank[name] for name in group))
    return {name: [_letter(place) for place, group in enumerate(found) if name in group] for name in means}


def compare_subset(paired: PairedScores[tuple[str, str]], measure: str) -> dict[str, Any]:
    """Return all comparisons of one subset as plain values; columns are named (system, condition).

    Families: all pairs of systems within a condition; all pairs of conditions within a system.
    """
    systems = list(dict.fromkeys(system for system, _ in paired.names))
    conditions = list(dict.fromkeys(condition for _, condition in paired.names))
    return {
        "measure": measure,
        "queries": len(paired.table),
        "alpha": ALPHA,
        "level": paired.level,
        "families": "Holm's correction is over all pairs of systems within a condition, and over all pairs of"
        " conditions within a system",
        "effect_size": "Cohen's d_z: mean difference / standard deviation of the differences",
        "groups": "systems that share a letter cannot be told apart at alpha after Holm's correction",
        "systems": {
            name: _systems(paired, [key for key in paired.names if key[1] == name]) for name in conditions
        },
        "conditions": {
            name: to_plain(
                compare_pairs(paired, combinations([key for key in paired.names if key[0] == name], 2), 1)
            )
            for name in systems
        },
    }


def _systems(paired: PairedScores[tuple[str, str]], keys: list[tuple[str, str]]) -> dict[str, Any]:
    found = compare_pairs(paired, combinations(keys, 2), 0)
    letters = groups({system: paired.mean((system, condition)) for system, condition in keys}, found)
    return {"pairs": to_plain(found), "letters": letters}


def _tested(paired: PairedScores[Name], first: Name, second: Name) -> dict[str, Any]:
    differences = paired.values(first) - paired.values(second)
    means = paired.means(first) - paired.means(second)
    low, high = percentiles(means, paired.level)
    one_sided = min(int((means <= 0).sum()), int((means >= 0).sum())) + 1
    effect, reason = _effect_size(differences)
    return {
        "difference": math.fsum(differences) / len(differences),
        "low": low,
        "high": high,
        "effect_size": effect,
        "reason": reason,
        "wins": int((differences > 0).sum()),
        "ties": int((differences == 0).sum()),
        "losses": int((differences < 0).sum()),
        "p_bootstrap": min(1.0, 2 * one_sided / (len(means) + 1)),
        "p": _randomisation_p(paired, paired.place(first), paired.place(second)),
    }


def _randomisation_p(paired: PairedScores[Any], first: int, second: int) -> float:
    gridded, step = paired.gridded
    differences = gridded[:, first] - gridded[:, second]
    unsure = int(np.count_nonzero(differences)) * max(step[first], step[second])
    slack = _SLACK * float(np.abs(differences).sum()) + unsure
    flipped = np.abs(paired.flipped[:, first] - paired.flipped[:, second])
    count = int((flipped >= abs(float(differences.sum())) - slack).sum())
    return (count + 1) / (len(flipped) + 1)


def _effect_size(differences: Any) -> tuple[float | None, str | None]:
    if len(differences) < 2:
        return None, "one query has no standard deviation"
    largest = float(np.abs(differences).max())
    scaled = differences / largest if largest else differences
    if np.ptp(scaled) <= _SLACK:
        return None, "every query differs by the same amount"
    return float(scaled.mean() / scaled.std(ddof=1)), None


def _split(found: Sequence[frozenset[str]], first: str, second: str) -> list[frozenset[str]]:
    parts: list[frozenset[str]] = []
    for group in found:
        parts += [group - {first}, group - {second}] if {first, second} <= group else [group]
    return parts


def _absorbed(found: Sequence[frozenset[str]]) -> list[frozenset[str]]:
    kept: list[frozenset[str]] = []
    for group in sorted(set(found), key=lambda group: (-len(group), sorted(group))):
        if not any(group <= other for other in kept):
            kept.append(group)
    return kept


def _letter(place: int) -> str:
    turn, letter = divmod(place, len(ascii_lowercase))
    return ascii_lowercase[letter] + (str(turn) if turn else "")


def _told(name: Any, part: int | None) -> str:
    return str(name if part is None else name[part])
