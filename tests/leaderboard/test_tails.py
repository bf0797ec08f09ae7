"""Intervals from the tails alone are those of numpy, to the bit."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr.leaderboard.tails import middle

LEVEL = 0.95
KINDS = {
    "normal": lambda rng, shape: rng.normal(size=shape),
    "few values": lambda rng, shape: rng.integers(0, 3, size=shape) / 3,
    "one value": lambda rng, shape: np.full(shape, 0.25),
    "rising": lambda rng, shape: np.sort(rng.normal(size=shape), axis=1),
    "falling": lambda rng, shape: -np.sort(rng.normal(size=shape), axis=1),
    "every eighth is low": lambda rng, shape: rng.random(shape) + (np.arange(shape[1]) % 8 > 0),
    "every eighth is high": lambda rng, shape: rng.random(shape) - (np.arange(shape[1]) % 8 > 0),
    "a long tail": lambda rng, shape: rng.standard_cauchy(size=shape) * 1e12,
}


@pytest.mark.parametrize("columns", [2, 3, 39, 40, 41, 1999, 2000])
@pytest.mark.parametrize("kind", KINDS)
def test_as_numpy_has_them(kind: str, columns: int) -> None:
    rows = KINDS[kind](np.random.default_rng(columns), (40, columns))
    expected = np.quantile(rows, [(1 - LEVEL) / 2, (1 + LEVEL) / 2], axis=1).T
    np.testing.assert_array_equal(middle(rows, LEVEL), expected)


@given(st.lists(st.floats(-1e9, 1e9), min_size=2, max_size=60), st.sampled_from([0.5, 0.9, 0.95, 0.99]))
def test_any_values(values: list[float], share: float) -> None:
    rows = np.array([values, values[::-1], [-value for value in values]])
    expected = np.quantile(rows, [(1 - share) / 2, 1 - (1 - share) / 2], axis=1).T
    np.testing.assert_array_equal(middle(rows, share), expected)


def test_no_rows_have_no_borders() -> None:
    assert middle(np.empty((0, 2000)), LEVEL).shape == (0, 2)
