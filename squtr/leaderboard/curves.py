"""One system's scores in one subset, resampled together once: intervals, losses, slope and area.

A statistic is an array, shape (1 + resamples,): its value, then that of each resample. Trees of them become
trees of {mean, low, high} by `summarise`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from squtr.eval.paired import PairedScores
from squtr.eval.report.words import snr_of
from squtr.eval.resampling import Floats
from squtr.eval.robustness import area, slope

_QUANTILES = (0.025, 0.975)
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
        self._levels: dict[tuple[str, str], Floats] = {}
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
        name = (measure, condition)
        if name not in self._levels:
            self._levels[name] = np.concatenate([[self._paired.mean(name)], self._paired.means(name)])
        return self._levels[name]

    def groups(
        self, measure: str, conditions: Iterable[str], queries: Iterable[str], name: str, fewest: int
    ) -> dict[str, Floats]:
        """Return {condition: the mean over some of the queries}; no resamples of fewer than `fewest`."""
        places = [self.queries[query] for query in queries]
        values = {condition: self.values(measure, condition)[places] for condition in conditions}
        if len(places) < fewest:
            return {condition: np.array([few.mean()]) for condition, few in values.items()}
        found = PairedScores(values, f"{self._key}\0{name}")
        return {one: np.concatenate([[found.mean(one)], found.means(one)]) for one in values}

    def losses(self, measure: str, reference: str, condition: str) -> Floats | None:
        """Return 1 - score / score under `reference`; None where that has no run."""
        if reference not in self.conditions:
            return None
        before, after = self.levels(measure, reference), self.levels(measure, condition)
        found: Floats = np.divide(before - after, before, out=np.full(len(before), np.nan), where=before != 0)
        return found

    def slope(self, measure: str) -> Floats | None:
        """Return the slope per dB; None for fewer than two SNRs."""
        if len(self.snrs) < 2:
            return None
        return slope(list(self.snrs.values()), self._noisy(measure))

    def area(self, measure: str) -> Floats | None:
        """Return the area under the SNR curve; None for fewer than two SNRs, or without clean speech."""
        if len(self.snrs) < 2 or _CLEAN not in self.conditions:
            return None
        clean = self.levels(measure, _CLEAN)
        found = area(list(self.snrs.values()), self._noisy(measure), clean)
        found[clean == 0] = np.nan
        return found

    def _noisy(self, measure: str) -> Floats:
        return np.stack([self.levels(measure, name) for name in self.snrs], axis=1)


def scores_of(members: Sequence[Curves], measures: Iterable[str]) -> dict[str, Any]:
    """Return {condition: {measure: the mean of the subsets' means}} as statistics."""
    listed = list(measures)
    return {
        condition: {measure: _mean([one.levels(measure, condition) for one in members]) for measure in listed}
        for condition in _shared(members)
    }


def robustness_of(members: Sequence[Curves], measure: str) -> dict[str, Any]:
    """Return losses by condition, slope and area, means over subsets; None where a subset has none."""
    found: dict[str, Any] = {
        f"loss_against_{reference}": {
            condition: _mean([one.losses(measure, reference, condition) for one in members])
            for condition in _shared(members)
            if condition not in (_TEXT, reference)
        }
        for reference in (_TEXT, _CLEAN)
    }
    found["slope_per_db"] = _mean([one.slope(measure) for one in members])
    found["area"] = _mean([one.area(measure) for one in members])
    return found


def summarise(tree: Mapping[Any, Any]) -> dict[Any, Any]:
    """Return a tree of statistics as one of {mean, low, high}: the middle 95 % of the resamples.

    All None where the value is undefined; resamples in which it is are left out. No interval without any.
    """
    leaves = list(_leaves(tree))
    whole = [one for one in leaves if one is not None and len(one) > 1 and np.isfinite(one).all()]
    bounds: dict[int, Sequence[float]] = {}
    if whole:
        found = np.quantile(np.stack([one[1:] for one in whole]), _QUANTILES, axis=1)
        bounds = {id(one): pair for one, pair in zip(whole, found.T.tolist(), strict=True)}
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
    found: list[float] = np.quantile(resamples, _QUANTILES).tolist()
    return found


def _shared(members: Sequence[Curves]) -> list[str]:
    return [name for name in members[0].conditions if all(name in one.conditions for one in members)]


def _mean(parts: Sequence[Floats | None]) -> Floats | None:
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return None
    if len(known) == 1:
        return known[0]
    found: Floats = np.stack(known).mean(axis=0)
    return found
