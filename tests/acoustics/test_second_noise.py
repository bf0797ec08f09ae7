from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sounds import hiss, level_db

from squtr.acoustics.second_noise import SecondNoise, SecondNoiseLevel
from squtr.draw import draw
from squtr.errors import UserError


@settings(deadline=None, max_examples=30)
@given(relative=st.floats(-30, 30), level=st.floats(0.001, 0.5), constant=st.floats(-0.2, 0.2))
def test_the_second_noise_is_as_loud_as_stated(relative: float, level: float, constant: float) -> None:
    first, second = hiss(2, level=0.05), hiss(2, level=level, seed=9) + np.float32(constant)
    both, realised = SecondNoiseLevel(relative).apply(first, second)
    added = both.astype(np.float64) - first
    assert level_db(added) - level_db(first) == pytest.approx(relative, abs=1e-3)
    assert realised["second_gain"] == pytest.approx(
        np.std(added) / np.std(second.astype(np.float64)), rel=1e-4
    )


def test_the_level_is_drawn_from_the_range() -> None:
    levels = [SecondNoise(relative_db=(-12, -3)).draw(draw(n, "second", "")).relative_db for n in range(50)]
    assert -12 <= min(levels) < -10 and -5 < max(levels) <= -3
    assert SecondNoise().draw(draw(0, "second", "")).relative_db == -6


@pytest.mark.parametrize("silent", [0, 1])
def test_silence_is_no_noise(silent: int) -> None:
    pair = [hiss(1), hiss(1, seed=3)]
    pair[silent] *= 0
    with pytest.raises(UserError, match="silent"):
        SecondNoiseLevel(-6).apply(*pair)


@pytest.mark.parametrize("wrong", [-41, (3, -3), "loud", None, True])
def test_levels_that_make_no_sense(wrong: object) -> None:
    with pytest.raises(ValueError):
        SecondNoise(relative_db=wrong)  # type: ignore[arg-type]
