"""One system's scores in one subset, resampled together once: intervals, losses, slope and area.

A statistic is an array, shape (1 + resamples,): its value, then that of each resample. Trees of them become
trees of {mean, low, high} by `summarise`.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from squtr.eval.paired import PairedScores
from squtr.eval.report.words import snr_of
from squtr.eval.resampling import Floats, percentiles
from squtr.eval.robustness import area, slope
from squtr.leaderboard.tails import middle

_LEVEL = 0.95
_TEXT, _CLEAN = "text", "clean"
_UNDEFINED = {"mean": None, "low": None, "high": None}


class Curves:
    """Scores of every judged query by condition; resamples are those of an evaluation with seed 0.

    `per_query` is {condition: {query: {measure: score}}}, the same queries under every condition.
    """

    def __init__(self, key: str, per_query: Mapping[str, Mapping[str, Mapping[str, float]]]) -> None:
        self.conditions = list(per_query)
        first = per_query[self.conditions[0]]
        self.queries = {query: place for place, query in enumerate(first)}
        self._key = key
        self._robustness: dict[str, dict[str, Any]] = {}
        self._paired = PairedScores(
            {
                (measure, condition): [scores[measure] for scores in found.values()]
                for condition, found in per_query.items()
                for measure in next(iter(first.values()))
            },
            key,
        )
        plain = {name: snr for name in self.conditions if (snr := snr_of(name)) is not None}
        self.snrs = dict(sorted(plain.items(), key=lambda row: -row[1]))

    def values(self, measure: str, condition: str) -> Floats:
        """Return the scores of the queries, shape (n,)."""
        return self._paired.values((measure, condition))

    def levels(self, measure: str, condition: str) -> Floats:
        """Return the mean score as a statistic."""
        found: Floats = self._statistics[self._paired.place((measure, condition))]
        return found

    @functools.cached_property
    def _statistics(self) -> Floats:
        """All mean scores as statistics, shape (columns, 1 + resamples)."""
        return _statistics(self._paired)

    def groups(
        self, measure: str, conditions: Iterable[str], queries: Iterable[str], name: str, fewest: int
    ) -> dict[str, Floats]:
        """Return {condition: the mean over some of the queries}; no resamples of fewer than `fewest`."""
        places = [self.queries[query] for query in queries]
        values = {condition: self.values(measure, condition)[places] for condition in conditions}
        if len(places) < fewest:
            return {condition: np.array([few.mean()]) for condition, few in values.items()}
        return dict(zip(values, _statistics(PairedScores(values, f"{self._key}\0{name}")), strict=True))

    def robustness(self, measure: str) -> dict[str, Any]:
        """Return losses by condition, slope and area, as statistics."""
        if measure not in self._robustness:
            self._robustness[measure] = {
                **{f"loss_against_{name}": self._losses(measure, name) for name in (_TEXT, _CLEAN)},
                "slope_per_db": self._slope(measure),
                "area": self._area(measure),
            }
        return self._robustness[measure]

    def _losses(self, measure: str, reference: str) -> dict[str, Floats | None]:
        """Return 1 - score / score under `reference`; None where that has no run."""
        found = dict.fromkeys(name for name in self.conditions if name not in (_TEXT, reference))
        if reference not in self.conditions:
            return found
        before = self.levels(measure, reference)
        return {
            name: np.divide(
                before - self.levels(measure, name),
                before,
                out=np.full_like(before, np.nan),
                where=before != 0,
            )
            for name in found
        }

    def _slope(self, measure: str) -> Floats | None:
        """Return the slope per dB; None for fewer than two SNRs."""
        if len(self.snrs) < 2:
            return None
        return slope(list(self.snrs.values()), self._noisy(measure))

    def _area(self, measure: str) -> Floats | None:
        """Return the area under the SNR curve; None for fewer than two SNRs, or without clean speech."""
        if len(self.snrs) < 2 or _CLEAN not in self.conditions:
            return None
        clean = self.levels(measure, _CLEAN)
        found = area(list(self.snrs.values()), self._noisy(measure), clean)
        found[clean == 0] = np.nan
        return found

    def _noisy(self, measure: str) -> Floats:
        return np.stack([self.levels(measure, name) for name in self.snrs], axis=1)


def _statistics(paired: PairedScores[Any]) -> Floats:
    means = [[paired.mean(name)] for name in paired.names]
    found: Floats = np.concatenate([means, paired.resampled.T], axis=1)
    return found


def scores_of(members: Sequence[Curves], measures: Iterable[str]) -> dict[str, Any]:
    """Return {condition: {measure: the mean of the subsets' means}} as statistics."""
    listed = list(measures)
    return {
        condition: {measure: _mean([one.levels(measure, condition) for one in members]) for measure in listed}
        for condition in _shared(members)
    }


def robustness_of(members: Sequence[Curves], measure: str) -> dict[str, Any]:
    """Return losses by condition, slope and area, means over subsets; None where a subset has none."""
    parts, shared = [one.robustness(measure) for one in members], _shared(members)
    found: dict[str, Any] = {
        f"loss_against_{reference}": {
            name: _mean([part[f"loss_against_{reference}"][name] for part in parts])
            for name in shared
            if name not in (_TEXT, reference)
        }
        for reference in (_TEXT, _CLEAN)
    }
    for what in ("slope_per_db", "area"):
        found[what] = _mean([part[what] for part in parts])
    return found


def summarise(tree: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return a tree of statistics as one of {mean, low, high}: the middle 95 % of the resamples.

    All None where the value is undefined; resamples in which it is are left out. No interval without any.
    """
    bounds: dict[int, Sequence[float]] = {}
    if resampled := {id(one): one for one in _leaves(tree) if one is not None and len(one) > 1}:
        table = np.stack(list(resampled.values()))
        finite = np.isfinite(table).all(axis=1)
        found = middle(table[finite, 1:], _LEVEL).tolist()
        bounds = dict(zip(np.array(list(resampled))[finite].tolist(), found, strict=True))
    return {name: _summary(one, bounds) for name, one in tree.items()}


def _leaves(tree: Any) -> Iterable[Floats | None]:
    for one in tree.values():
        if isinstance(one, Mapping):
            yield from _leaves(one)
        else:
            yield one


def _summary(one: Any, bounds: Mapping[int, Sequence[float]]) -> dict[Any, Any]:
    if isinstance(one, Mapping):
        return {name: _summary(inner, bounds) for name, inner in one.items()}
    if one is None or np.isnan(one[0]):
        return dict(_UNDEFINED)
    low, high = bounds.get(id(one)) or _bounds(one[1:][np.isfinite(one[1:])])
    return {"mean": float(one[0]), "low": low, "high": high}


def _bounds(resamples: Floats) -> Sequence[float | None]:
    if not len(resamples):
        return None, None
    return percentiles(resamples, _LEVEL)


def _shared(members: Sequence[Curves]) -> list[str]:
    return [name for name in members[0].conditions if all(name in one.conditions for one in members)]


def _mean(parts: Sequence[Floats | None]) -> Floats | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    if len(known) == 1:
        return known[0]
    found: Floats = sum(known[1:], known[0]) / len(known)
    return found
