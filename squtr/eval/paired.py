"""The scores of many systems or conditions over the same queries, resampled together once."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping
from functools import cached_property
from typing import Generic, TypeVar

import numpy as np

from squtr.errors import UserError
from squtr.eval.resampling import (
    FLIPS,
    RESAMPLES,
    Floats,
    checked_table,
    exact_grid,
    flipped_sums,
    grid_step,
    percentiles,
    resampled_means,
)
from squtr.eval.statistics import Interval, Undefined, Values

Name = TypeVar("Name", bound=Hashable)


class PairedScores(Generic[Name]):
    """Named columns of scores, each of shape (n,), the same queries in the same order.

    `resampled` and `flipped` are drawn once for all columns, from `seed`, `item` and n alone; so every
    interval and test made of them is paired, and neither order nor number of columns changes it. Raises
    UserError on no columns, columns of different length, and values that are empty or not finite.
    """

    def __init__(
        self,
        scores: Mapping[Name, Values],
        item: str,
        seed: int = 0,
        resamples: int = RESAMPLES,
        flips: int = FLIPS,
        level: float = 0.95,
    ) -> None:
        self.names = list(scores)
        if len({len(values) for values in scores.values()}) > 1:
            raise UserError(
                "Scores of different numbers of queries cannot be paired. Score with the same qrels."
            )
        columns = [np.asarray(values, dtype=np.float64) for values in scores.values()]
        self.table: Floats = checked_table(np.column_stack(columns) if columns else np.empty((0, 0)))
        self.item, self.seed, self.level = item, seed, level
        self._resamples, self._flips = resamples, flips
        self._place = {name: place for place, name in enumerate(self.names)}

    def __contains__(self, name: object) -> bool:
        return name in self._place

    @cached_property
    def resampled(self) -> Floats:
        """Means of resampled queries, shape (resamples, columns)."""
        return resampled_means(self.table, self.item, self.seed, self._resamples)

    @cached_property
    def flipped(self) -> Floats:
        """Sums under random signs, shape (flips, columns)."""
        return flipped_sums(self.table, self.item, self.seed, self._flips)

    @cached_property
    def gridded(self) -> tuple[Floats, Floats]:
        """The values that `flipped` sums, and each column's rounding step."""
        return exact_grid(self.table), grid_step(self.table)

    def place(self, name: Name) -> int:
        """Return the column of a name."""
        return self._place[name]

    def values(self, name: Name) -> Floats:
        """Return the scores of a name, shape (n,)."""
        found: Floats = self.table[:, self._place[name]]
        return found

    def mean(self, name: Name) -> float:
        """Return the mean score of a name."""
        values = self.values(name)
        if values.min() == values.max():
            return float(values[0])
        return math.fsum(values) / len(values)

    def means(self, name: Name) -> Floats:
        """Return the mean of each resample, shape (resamples,)."""
        found: Floats = self.resampled[:, self._place[name]]
        return found

    def interval(self, name: Name) -> Interval:
        """Return the mean with its percentile interval, as `statistics.bootstrap_mean` gives it."""
        return Interval(*self._around(self.mean(name), self.means(name)))

    def loss(self, reference: Name, observed: Name) -> Interval | Undefined:
        """Return 1 - mean(observed) / mean(reference), as `statistics.relative_loss` gives it."""
        before, after = self.mean(reference), self.mean(observed)
        means = self.means(reference)
        kept = means != 0
        if before == 0:
            return Undefined("the mean of the reference is 0")
        if not kept.any():
            return Undefined("the mean of the reference is 0 in every resample")
        losses = 1 - self.means(observed)[kept] / means[kept]
        return Interval(*self._around(1 - after / before, losses))

    def _around(self, middle: float, found: Floats) -> tuple[float, float, float]:
        low, high = percentiles(found, self.level)
        return low, middle, high
