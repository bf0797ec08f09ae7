"""Intervals of many resampled statistics at once: only the tails of each are sorted.

To the bit what `numpy.quantile` gives, in two thirds of its time: a board of a thousand systems asks for a
quarter of a million intervals of 2,000 resamples.
"""

from __future__ import annotations

import numpy as np

from squtr.eval.resampling import Floats

_STEP, _SPARE = 8, 1.35


def middle(rows: Floats, share: float) -> Floats:
    """Return the borders of the middle `share` of each row of finite values, shape (rows, 2).

    `rows` has two columns or more. Interpolated linearly, as numpy does (type 7 of Hyndman and Fan, The
    American Statistician 50, 1996).
    """
    outside = (1 - share) / 2
    return np.stack([_percentile(rows, outside), _percentile(rows, 1 - outside)], axis=1)


def _percentile(rows: Floats, level: float) -> Floats:
    last = rows.shape[1] - 1
    place, weight = divmod(level * last, 1)
    at = int(place)
    if at <= last // 2:
        below, above = _neighbours(rows, at)
    else:
        above, below = (-found for found in _neighbours(-rows, last - 1 - at))
    step = above - below
    found: Floats = above - step * (1 - weight) if weight >= 0.5 else below + step * weight
    return found


def _neighbours(rows: Floats, at: int) -> tuple[Floats, Floats]:
    """Return the values at `at` and behind it in each sorted row.

    What lies below a limit guessed from every eighth value is sorted, the limit itself stands for what
    follows; where too little lies below it, the limit is infinite.
    """
    sample = rows[:, ::_STEP]
    guess = min(int(_SPARE * at / _STEP) + _STEP, sample.shape[1] - 1)
    limit = np.partition(sample, guess, axis=1)[:, guess, None]
    limit[(rows <= limit).sum(axis=1) < at + 2] = np.inf
    low = rows < limit
    counts = low.sum(axis=1)
    tails = np.repeat(limit, counts.max(initial=at + 2), axis=1)
    tails[np.arange(tails.shape[1]) < counts[:, None]] = rows[low]
    tails.partition((at, at + 1), axis=1)
    return tails[:, at], tails[:, at + 1]
