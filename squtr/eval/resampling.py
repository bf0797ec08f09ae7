"""Resampled queries for many columns of scores at once: one draw serves every system and condition.

Queries drawn depend on `seed`, `item` and their number alone. Before anything is summed, each column is
rounded to a grid on which every sum of as many values as there are queries is exact (2^-30 of the largest
value or finer up to 8 million queries). So neither the order of columns nor threads change a digit.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from squtr.draw import draw
from squtr.errors import UserError

Floats = npt.NDArray[np.float64]

BLOCK = 1 << 21
RESAMPLES, FLIPS = 2000, 10_000
_MANTISSA, _SMALLEST = 53, -1000
_FEW = BLOCK >> 3


def resampled_means(table: Floats, item: str, seed: int = 0, resamples: int = RESAMPLES) -> Floats:
    """Return the column means of queries drawn with replacement, shape (resamples, columns).

    `table` has shape (queries, columns). All columns share their draws, which are those of
    `statistics.bootstrap_mean` for the same item, so differences of the result are paired. A column of equal
    values has that mean in every resample.
    """
    values = checked_table(table)
    first = values[0]
    found: Floats = first + resampled_sums(values - first, item, seed, resamples) / len(values)
    return found


def resampled_sums(table: Floats, item: str, seed: int = 0, resamples: int = RESAMPLES) -> Floats:
    """Return the column sums of queries drawn with replacement, shape (resamples, columns)."""
    values = exact_grid(checked_table(table))
    return np.concatenate(
        [times.astype(np.float64) @ values for times in drawn_times(len(values), item, seed, resamples)]
    )


def drawn_times(
    size: int, item: str, seed: int = 0, resamples: int = RESAMPLES
) -> Iterator[npt.NDArray[np.uint16]]:
    """Yield how often each query is drawn, shape (rows, size), until there are `resamples` rows."""
    if size * resamples <= _FEW:
        yield _few_times(size, item, seed, resamples)
        return
    yield from _times(size, item, seed, resamples)


@functools.lru_cache(maxsize=64)
def _few_times(size: int, item: str, seed: int, resamples: int) -> npt.NDArray[np.uint16]:
    """Keep the draws of small sets, 32 MB at the most: a board resamples the same queries for each system."""
    (times,) = _times(size, item, seed, resamples)
    times.flags.writeable = False
    return times


def _times(size: int, item: str, seed: int, resamples: int) -> Iterator[npt.NDArray[np.uint16]]:
    generator = draw(seed, "bootstrap", item)
    for rows in blocks(resamples, size):
        queries = generator.integers(0, size, size=(rows, size))
        queries += size * np.arange(rows)[:, None]
        times = np.bincount(queries.ravel(), minlength=rows * size)
        yield times.astype(np.uint16).reshape(rows, size)


def flipped_sums(table: Floats, item: str, seed: int = 0, flips: int = FLIPS) -> Floats:
    """Return the column sums with each query's sign flipped at random, shape (flips, columns).

    All columns share their signs, so the difference of two columns is the flipped sum of their differences.
    """
    values = exact_grid(checked_table(table))
    generator = draw(seed, "randomisation", item)
    return np.concatenate(
        [
            signs(generator, rows, len(values)).astype(np.float64) @ values
            for rows in blocks(flips, len(values))
        ]
    )


def signs(generator: np.random.Generator, rows: int, size: int) -> npt.NDArray[np.int8]:
    """Return signs of -1 and 1, shape (rows, size); the same for any split into blocks of rows."""
    words = -(-size // 32)
    drawn = np.frombuffer(generator.bytes(4 * words * rows), dtype=np.uint8).reshape(rows, 4 * words)
    bits = np.unpackbits(drawn, axis=1, count=size).view(np.int8)
    return 1 - 2 * bits


def blocks(rows: int, size: int) -> Iterator[int]:
    """Yield how many rows of `size` values to work on at a time. Raises UserError for fewer than one row."""
    if rows < 1:
        raise UserError(f"{rows} draws give no interval and no p. Ask for 1000 or more.")
    step = max(1, BLOCK // size)
    for start in range(0, rows, step):
        yield min(step, rows - start)


def percentiles(means: Floats, level: float) -> tuple[float, float]:
    """Return the borders of the middle `level` of values, shape (n,). Raises UserError on a wrong level."""
    if not 0 < level < 1:
        raise UserError(f"The level {level} is not between 0 and 1. Ask for 0.95, say.")
    low, high = np.quantile(means, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def exact_grid(table: Floats) -> Floats:
    """Round each column to `grid_step`, so that all sums of len(table) of its values are exact in float64."""
    step = grid_step(table)
    rounded: Floats = np.rint(table / step) * step
    return rounded


def grid_step(table: Floats) -> Floats:
    """Return each column's step, a power of two, shape (columns,)."""
    largest = np.frexp(np.abs(table).max(axis=0))[1]
    step: Floats = np.ldexp(1.0, np.maximum(largest + len(table).bit_length() - (_MANTISSA - 1), _SMALLEST))
    return step


def checked_table(table: Floats) -> Floats:
    """Return the table as float64. Raises UserError when it is empty, not two-dimensional or not finite."""
    values = np.asarray(table, dtype=np.float64)
    if values.ndim != 2 or not values.size:
        raise UserError("There are no scores to resample: statistics need one score a query.")
    if not np.isfinite(values).all():
        raise UserError("A score is NaN or infinite. Every query has a score, 0 where it failed.")
    return values
