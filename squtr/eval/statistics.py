"""Intervals and tests over queries: bootstrap, sign flips, Holm's correction.

All functions take scores a query, shape (n,). Resampled queries depend on `seed`, `item` and n alone, so the
conditions of one system, given the same item, are resampled together. Work goes in blocks of bounded memory.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from squtr.draw import draw
from squtr.errors import UserError
from squtr.eval.resampling import FLIPS, RESAMPLES, blocks, percentiles, resampled_means, signs

Values = Sequence[float] | npt.NDArray[np.float64]
_Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Interval:
    """A mean with a percentile interval around it, in the unit of the values."""

    low: float
    mean: float
    high: float


@dataclass(frozen=True, slots=True)
class Undefined:
    """Stands for an interval that does not exist, and says why."""

    reason: str
    low: None = None
    mean: None = None
    high: None = None


@dataclass(frozen=True, slots=True)
class PairedResult:
    """mean(a) - mean(b) with its interval, and the two-sided p of no difference."""

    difference: float
    low: float
    high: float
    p: float


def bootstrap_mean(
    values: Values, item: str, seed: int = 0, resamples: int = RESAMPLES, level: float = 0.95
) -> Interval:
    """Return the mean and its percentile bootstrap interval over queries (Efron, 1979).

    One query, or equal values, give an interval of no width. Raises UserError on values that are empty or
    not finite.
    """
    sample = _checked("the values", values)
    means = resampled_means(sample[:, None], item, seed, resamples)[:, 0]
    low, high = percentiles(means, level)
    return Interval(low, _mean(sample), high)


def paired_bootstrap(
    a: Values, b: Values, item: str, seed: int = 0, resamples: int = RESAMPLES, level: float = 0.95
) -> PairedResult:
    """Return mean(a) - mean(b), both over the same queries in the same order, with interval and p.

    p is twice the smaller share of resamples on either side of zero, with 1 added to count and total.
    Raises UserError on values that are empty, not finite, or not as many in `a` as in `b`.
    """
    differences = _paired(a, b)
    means = resampled_means(differences[:, None], item, seed, resamples)[:, 0]
    low, high = percentiles(means, level)
    one_sided = min(int((means <= 0).sum()), int((means >= 0).sum())) + 1
    return PairedResult(_mean(differences), low, high, min(1.0, 2 * one_sided / (resamples + 1)))


def paired_randomisation(a: Values, b: Values, item: str, seed: int = 0, flips: int = FLIPS) -> float:
    """Return the two-sided p of the paired randomisation test on the mean (Fisher; Smucker et al., 2007).

    The sign of each query's difference is flipped at random; p = (count + 1) / (flips + 1), where count is
    how many flips give at least the observed absolute mean. Raises UserError as `paired_bootstrap`.
    """
    differences = _paired(a, b)
    slack = 1e-12 * float(np.abs(differences).sum())
    observed = abs(float(differences.sum())) - slack
    generator = draw(seed, "randomisation", item)
    count = 0
    for rows in blocks(flips, len(differences)):
        turned = signs(generator, rows, len(differences)) * differences
        count += int((np.abs(turned.sum(axis=1)) >= observed).sum())
    return (count + 1) / (flips + 1)


def relative_loss(
    reference: Values,
    observed: Values,
    item: str,
    seed: int = 0,
    resamples: int = RESAMPLES,
    level: float = 0.95,
) -> Interval | Undefined:
    """Return 1 - mean(observed) / mean(reference) with its paired percentile bootstrap interval.

    0.1 means a tenth of the reference is lost; a gain is negative. Undefined where the mean of the reference
    is 0; resamples in which it is 0 are left out. Raises UserError as `paired_bootstrap`.
    """
    _paired(reference, observed)
    before, after = _checked("the reference", reference), _checked("the observed", observed)
    if _mean(before) == 0:
        return Undefined("the mean of the reference is 0")
    means_before, means_after = resampled_means(np.column_stack([before, after]), item, seed, resamples).T
    kept = means_before != 0
    if not kept.any():
        return Undefined("the mean of the reference is 0 in every resample")
    low, high = percentiles(1 - means_after[kept] / means_before[kept], level)
    return Interval(low, 1 - _mean(after) / _mean(before), high)


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p values adjusted for their number by Holm's step-down rule (1979), in the given order.

    Raises UserError on a p outside [0, 1].
    """
    values = np.asarray(p_values, dtype=np.float64)
    if not ((values >= 0) & (values <= 1)).all():
        raise UserError(
            f"Not all of {list(p_values)} are p values between 0 and 1. Leave out undefined tests."
        )
    order = np.argsort(values, kind="stable")
    stepped = np.minimum(1.0, np.arange(len(values), 0, -1) * values[order])
    adjusted = np.empty(len(values))
    adjusted[order] = np.maximum.accumulate(stepped)
    found: list[float] = adjusted.tolist()
    return found


def _checked(what: str, values: Values) -> _Floats:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1 or not len(array):
        raise UserError(f"There are no scores in {what}: statistics need one score a query.")
    if not np.isfinite(array).all():
        raise UserError(f"A score in {what} is NaN or infinite. Every query has a score, 0 where it failed.")
    return array


def _paired(a: Values, b: Values) -> _Floats:
    first, second = _checked("the first system", a), _checked("the second system", b)
    if len(first) != len(second):
        raise UserError(
            f"{len(first)} and {len(second)} scores cannot be paired. Score both runs with the same qrels."
        )
    return first - second


def _mean(values: _Floats) -> float:
    if values.min() == values.max():
        return float(values[0])
    return math.fsum(values) / len(values)
