"""The curve of loss by typo rate, and the rate at which it bends."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

LEAST_POINTS = 4
_LINE, _BENT = 2, 4  # parameters; the place of the bend is one
_EXACT = 1e-24

Floats = npt.NDArray[np.float64]


def typo_curve(points: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """Return the points, each with `asked` and `loss`, in order of `asked`, and their knee.

    The knee holds the rate, the slopes on both sides, and the share of a straight line's squared residuals
    that is left. None, with the reason, where there is none to tell.
    """
    known = [(point["asked"], point["loss"]["mean"]) for point in points if point["loss"]["mean"] is not None]
    if len({asked for asked, _ in known}) < LEAST_POINTS:
        return {"points": list(points), "knee": None, "reason": f"fewer than {LEAST_POINTS} rates"}
    rates, losses = (np.array(column) for column in zip((0.0, 0.0), *known, strict=True))
    found = knee(rates, losses)
    reason = None if found else "two lines fit no better than one"
    return {"points": list(points), "knee": found, "reason": reason}


def knee(rates: Floats, losses: Floats) -> dict[str, float] | None:
    """Fit loss = a + b rate + c max(0, rate - knee) with the knee at an inner point, by least squares.

    None where Bayes' information criterion (Schwarz, 1978) prefers one straight line.
    """
    straight = _fit(rates, losses, None)[1]
    fits = [(*_fit(rates, losses, place), place) for place in np.unique(rates)[1:-1]]
    (_, before, bend), left, place = min(fits, key=lambda fit: fit[1])
    if _criterion(left, len(rates), _BENT) >= _criterion(straight, len(rates), _LINE):
        return None
    return {
        "asked": float(place),
        "slope_before": float(before),
        "slope_after": float(before + bend),
        "residual_left": left / straight,
    }


def _fit(rates: Floats, losses: Floats, place: float | None) -> tuple[Floats, float]:
    columns = [np.ones_like(rates), rates]
    if place is not None:
        columns.append(np.maximum(0, rates - place))
    design = np.column_stack(columns)
    solved = np.asarray(np.linalg.lstsq(design, losses, rcond=None)[0], dtype=np.float64)
    return solved, float(((losses - design @ solved) ** 2).sum())


def _criterion(residual: float, points: int, parameters: int) -> float:
    return points * math.log(max(residual, _EXACT) / points) + parameters * math.log(points)
