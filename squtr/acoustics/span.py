"""A range to draw from: one number, or the lowest and the highest."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import AfterValidator, BeforeValidator


def _pair(value: Any) -> Any:
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        return value, value
    return tuple(value) if isinstance(value, list) else value


def _rising(value: tuple[float, float]) -> tuple[float, float]:
    if value[0] > value[1]:
        raise ValueError(
            f"a range runs from the lowest to the highest, not from {value[0]:g} to {value[1]:g}"
        )
    return value


Span = Annotated[tuple[float, float], BeforeValidator(_pair), AfterValidator(_rising)]


def uniform(rng: np.random.Generator, span: tuple[float, float], digits: int) -> float:
    """Draw uniformly from a span, rounded so that the number can be written down and read back."""
    return round(float(rng.uniform(*span)), digits)


def within(span: tuple[float, float], low: float, high: float, what: str) -> tuple[float, float]:
    """Return the span. Raises ValueError when it leaves [low, high]."""
    if not low <= span[0] <= span[1] <= high:
        raise ValueError(f"{what} lies between {low:g} and {high:g}")
    return span
