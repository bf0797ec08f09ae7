"""Values with 95 % intervals: sums over turns, resampled by group; Kendall's tau-b; Wilson's interval."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from squtr.eval.resampling import RESAMPLES, drawn_times

Floats = npt.NDArray[np.float64]
Sums = dict[str, Floats]

LEVEL = 0.95
_DRAWS = "audit"


@dataclass(frozen=True, slots=True)
class Estimate:
    """A value and its interval. None: undefined, and `reason` says why; one group gives no interval."""

    value: float | None
    low: float | None = None
    high: float | None = None
    reason: str | None = None


@dataclass(frozen=True)
class Grouped:
    """Sums by group, shape (groups, ...), and over all groups of each resample, shape (resamples, ...)."""

    sums: Sums
    drawn: Sums

    def estimate(self, rule: Callable[[Sums], Floats]) -> Estimate:
        """Return `rule` of all sums with its 95 % percentile bootstrap interval over groups.

        Resamples in which the rule is undefined are left out.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            value = float(rule({name: column.sum(axis=0) for name, column in self.sums.items()}))
            if not np.isfinite(value):
                return Estimate(None, reason="nothing to divide by")
            if not self.drawn:
                return Estimate(value, reason="one group gives no interval")
            found = rule(self.drawn)
        low, high = np.quantile(found[np.isfinite(found)], [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        return Estimate(value, float(low), float(high))


def grouped(columns: Sums, groups: Sequence[str], seed: int = 0, resamples: int = RESAMPLES) -> Grouped:
    """Sum columns, shape (turns, ...), within groups, and draw the groups with replacement."""
    names = {name: place for place, name in enumerate(dict.fromkeys(groups))}
    places = np.array([names[group] for group in groups], dtype=np.int64)
    sums: Sums = {}
    for column, values in columns.items():
        sums[column] = np.zeros((len(names), *values.shape[1:]))
        np.add.at(sums[column], places, values)
    if len(names) < 2:
        return Grouped(sums, {})
    blocks = [
        {name: np.tensordot(times, column, 1) for name, column in sums.items()}
        for times in drawn_times(len(names), _DRAWS, seed, resamples)
    ]
    return Grouped(sums, {name: np.concatenate([block[name] for block in blocks]) for name in sums})


def wilson(successes: int, trials: int) -> Estimate:
    """Return a share with Wilson's score interval (1927)."""
    from scipy.stats import binomtest

    if not trials:
        return Estimate(None, reason="nothing to divide by")
    interval = binomtest(successes, trials).proportion_ci(LEVEL, method="wilson")
    return Estimate(successes / trials, float(interval.low), float(interval.high))


def trend(
    ranks: Sequence[int], counts: Sequence[int], groups: Sequence[str], seed: int, resamples: int
) -> tuple[Estimate, float | None]:
    """Return Kendall's tau-b of setting against count with its interval by group, and its two-sided p."""
    from scipy.stats import kendalltau

    if len(set(ranks)) < 2 or len(set(counts)) < 2:
        return Estimate(None, reason="one setting, or one count everywhere"), None
    row, column = (np.unique(values, return_inverse=True)[1] for values in (ranks, counts))
    tables = np.zeros((len(ranks), row.max() + 1, column.max() + 1))
    tables[np.arange(len(ranks)), row, column] = 1
    found = grouped({"table": tables}, groups, seed, resamples).estimate(lambda sums: tau_b(sums["table"]))
    exact = kendalltau(ranks, counts, variant="b")
    return Estimate(float(exact.statistic), found.low, found.high, found.reason), float(exact.pvalue)


def tau_b(table: Floats) -> Floats:
    """Return Kendall's tau-b (1945) of contingency tables, shape (..., settings, counts)."""
    agreeing = _pairs(table)
    against = _pairs(table[..., ::-1])
    total = table.sum(axis=(-2, -1))
    free = [_choose(total) - _choose(table.sum(axis=axis)).sum(axis=-1) for axis in (-1, -2)]
    found: Floats = (agreeing - against) / np.sqrt(free[0] * free[1])
    return found


def _pairs(table: Floats) -> Floats:
    """Count the pairs of which one is above the other in both."""
    beyond = np.zeros_like(table)
    above = table[..., ::-1, ::-1].cumsum(axis=-2).cumsum(axis=-1)[..., ::-1, ::-1]
    beyond[..., :-1, :-1] = above[..., 1:, 1:]
    pairs: Floats = (table * beyond).sum(axis=(-2, -1))
    return pairs


def _choose(sizes: Floats) -> Floats:
    return sizes * (sizes - 1) / 2
