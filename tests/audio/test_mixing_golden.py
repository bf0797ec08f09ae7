"""The bytes of a mix, which change only with a new code version of the mix stage."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from squtr.audio import from_pcm, level_dbfs, peak, wav_bytes
from squtr.digest import digest_bytes
from squtr.levels import Steps, measure
from squtr.mixing import Mix, mix
from squtr.noise_sources.segment import cut_segment
from squtr.records import Pcm, Waveform

RATE = 24_000
PCM = arrays.arrays(np.int16, st.integers(1, 2_000))


def saw(count: int, factor: int, height: int) -> Pcm:
    """Whole numbers that look like noise and need no random generator."""
    numbers = np.arange(count, dtype=np.int64)
    return ((numbers * numbers * factor + numbers) % (2 * height + 1) - height + 7).astype(np.int16)


def mixed(snr_db: float, height: int = 3_000) -> Mix:
    noise = Waveform(saw(3 * RATE, 7919, 2_000), RATE)
    segment = cut_segment(noise, 30_001, RATE, np.random.default_rng(1))
    return mix(saw(30_001, 104_729, height), segment.measured, snr_db, sample_rate=RATE)


@pytest.mark.parametrize(
    ("snr_db", "height", "sha256", "gain", "common_gain"),
    [
        (20.0, 3_000, "be5001ab33a3a41f", 0.14705421996673293, 1.0),
        (0.0, 30_000, "a98a6d03c1e4b52c", 14.896259883838827, 0.5429819356512496),
    ],
)
def test_the_bytes_and_the_gains_stay_to_the_last_bit(
    snr_db: float, height: int, sha256: str, gain: float, common_gain: float
) -> None:
    result = mixed(snr_db, height)
    assert (result.noise_gain, result.common_gain) == (gain, common_gain)
    assert digest_bytes(wav_bytes(result.pcm, RATE))[:16] == sha256


def test_the_ratio_of_pcm_is_that_of_the_same_samples_as_floats() -> None:
    noise = measure(from_pcm(saw(30_001, 7919, 2_000)), RATE)
    speech = saw(30_001, 104_729, 3_000)
    for snr_db in (20.0, 0.0, -20.0):
        exact, floats = (mix(one, noise, snr_db, sample_rate=RATE) for one in (speech, from_pcm(speech)))
        assert (exact.pcm == floats.pcm).all()
        assert exact.realised_snr_db == pytest.approx(floats.realised_snr_db, abs=1e-6)
        assert exact.noise_gain == floats.noise_gain


@given(PCM)
@example(np.array([25_827, *[0] * 421], dtype=np.int16))
def test_pcm_is_measured_as_its_floats_to_the_last_bit(pcm: Pcm) -> None:
    floats = from_pcm(pcm)
    assert level_dbfs(pcm) == level_dbfs(floats)
    assert peak(pcm) / 32768 == peak(floats)
    of_pcm, of_floats = measure(pcm, 8_000), measure(floats, 8_000)
    assert (of_pcm.frames.powers == of_floats.frames.powers).all()
    assert (of_pcm.mean, of_pcm.deviation) == (of_floats.mean, of_floats.deviation)


@given(PCM, st.integers(0, 2**32))
def test_sums_of_steps_are_whole_and_exact(pcm: Pcm, seed: int) -> None:
    other = np.random.default_rng(seed).integers(-32768, 32768, len(pcm))
    steps = Steps.of(pcm.astype(np.float32))
    rest = steps.difference(Steps.of(other.astype(np.float32)))
    difference = [int(one) - int(two) for one, two in zip(pcm, other, strict=True)]
    assert (steps.total, steps.squares) == (sum(map(int, pcm)), sum(int(one) ** 2 for one in pcm))
    assert (rest.total, rest.squares) == (sum(difference), sum(one * one for one in difference))


def test_a_full_scale_minute_keeps_its_exact_sums() -> None:
    lowest = np.full(60 * 96_000 + 1, -32768, dtype=np.int16)
    assert level_dbfs(lowest) == 0.0
    assert not measure(lowest, 96_000).samples.any()
    assert measure(lowest, 96_000).mean == -1.0


@pytest.mark.parametrize("dtype", ["<i2", ">i2"])
def test_a_wav_is_written_from_any_layout_of_its_samples(dtype: str) -> None:
    pcm = saw(101, 7919, 2_000)
    strided = np.repeat(pcm, 2).astype(dtype)[::2]
    assert wav_bytes(strided, RATE) == wav_bytes(pcm, RATE)
    assert len(wav_bytes(pcm, RATE)) == 44 + 2 * 101


@pytest.mark.parametrize("rate", [16_000, 24_000])
def test_a_crop_of_pcm_is_that_of_the_same_noise_as_floats(rate: int) -> None:
    pcm = saw(2 * rate, 7919, 2_000)
    crops = [
        cut_segment(Waveform(noise, rate), 24_000, RATE, np.random.default_rng(3))
        for noise in (pcm, from_pcm(pcm))
    ]
    assert (crops[0].samples == crops[1].samples).all()
    assert math.isclose(crops[0].rms_dbfs, crops[1].rms_dbfs, rel_tol=0)
