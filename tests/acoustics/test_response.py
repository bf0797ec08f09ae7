"""Reverberation time and direct-to-reverberant ratio of responses whose values are known."""

from __future__ import annotations

import numpy as np
import pytest

from squtr.acoustics.response import decay_seconds, measured

RATE = 16_000


def decay(rt60: float, seconds: float = 3.0, seed: int = 0) -> np.ndarray:
    times = np.arange(round(seconds * RATE)) / RATE
    noise = np.random.default_rng(seed).standard_normal(len(times))
    return noise * 10 ** (-3 * times / rt60)


@pytest.mark.parametrize("rt60", [0.2, 0.5, 1.0])
def test_an_exponential_decay_has_its_own_time(rt60: float) -> None:
    assert decay_seconds(decay(rt60), RATE) == pytest.approx(rt60, rel=0.03)


def test_the_level_and_the_delay_do_not_matter() -> None:
    delayed = np.concatenate([np.zeros(1000), 0.01 * decay(0.5)])
    assert decay_seconds(delayed, RATE) == pytest.approx(decay_seconds(decay(0.5), RATE), rel=1e-6)


@pytest.mark.parametrize("drr_db", [-10.0, 0.0, 10.0])
def test_direct_to_reverberant_ratio(drr_db: float) -> None:
    samples = np.concatenate([np.zeros(200), decay(0.4)])
    samples[:300] = 0
    samples *= 10 ** (-drr_db / 20) / np.sqrt((samples**2).sum())
    samples[200] = 1.0
    found = measured(samples, 200, RATE)
    assert found.drr_db == pytest.approx(drr_db, abs=1e-6)
    assert found.delay == 200
