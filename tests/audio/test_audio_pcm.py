from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from squtr.audio import from_pcm, to_pcm

ALL_STEPS = np.arange(-32768, 32768).astype(np.int16)


def test_every_step_survives_the_way_out_and_back() -> None:
    samples = from_pcm(ALL_STEPS)
    assert samples.dtype == np.float32
    assert (samples.min(), samples.max()) == (-1.0, 32767 / 32768)
    assert (to_pcm(samples) == ALL_STEPS).all()


def test_half_steps_are_rounded_to_even() -> None:
    halves = np.array([0.5, 1.5, 2.5, -0.5, -1.5], dtype=np.float32) / 32768
    assert to_pcm(halves).tolist() == [0, 2, 2, 0, -2]


def test_full_scale_is_the_last_step() -> None:
    assert to_pcm(np.array([1.0, -1.0], dtype=np.float32)).tolist() == [32767, -32768]
    assert to_pcm(np.array([1.0, -1.0])).tolist() == [32767, -32768]


@pytest.mark.parametrize("over", [1.0000001, -1.0000001, 1.2, 1.5, -3.0, np.inf, -np.inf, np.nan])
def test_c30_beyond_full_scale_is_an_error_neither_clipped_nor_wrapped(over: float) -> None:
    with pytest.raises(ValueError, match="16-bit PCM holds up to 1"):
        to_pcm(np.array([0.0, over, 0.1], dtype=np.float32))


@given(arrays(np.float32, st.integers(1, 50), elements=st.floats(-1, 1, width=32)))
def test_reading_back_is_within_half_a_step_and_the_input_is_untouched(samples: np.ndarray) -> None:
    before = samples.copy()
    error = np.abs(from_pcm(to_pcm(samples)).astype(np.float64) - samples)
    assert (error <= np.where(samples > 32767.5 / 32768, 1, 0.5) / 32768).all()
    assert (samples == before).all()
