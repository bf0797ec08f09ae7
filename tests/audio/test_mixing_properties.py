from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from squtr.audio import CEILING, dbfs, from_pcm, to_pcm, wav_bytes
from squtr.mixing import mix, realised_snr_db

STATED_DBFS = -60.0


@dataclass(frozen=True)
class Pair:
    speech: np.ndarray
    noise: np.ndarray


def shaped(rng: np.random.Generator, count: int, level_db: float, constant: float) -> np.ndarray:
    """Smoothed noise with pauses: tails, silence and low frequencies, as speech has them."""
    raw = np.convolve(rng.standard_normal(count), np.ones(8) / 8, mode="same")
    raw *= np.repeat(rng.random(-(-count // 500)) > 0.3, 500)[:count] + 1e-3
    raw *= 10 ** (level_db / 20) / raw.std()
    return np.clip(raw + constant, -1, 1).astype(np.float32)


@st.composite
def pairs(draw: st.DrawFn) -> Pair:
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    count = draw(st.integers(4800, 40_000))
    constants = st.sampled_from([0.0, 0.0, 0.001, -0.05, 0.2])
    speech = shaped(rng, count, draw(st.floats(-35, -8)), draw(constants))
    noise = shaped(rng, count, draw(st.floats(-60, 0)), draw(constants))
    return Pair(from_pcm(to_pcm(speech)), noise)


SNRS = st.one_of(st.sampled_from([-20.0, 0.0, 10.0, 20.0, 40.0]), st.floats(-20, 40))


@settings(deadline=None, max_examples=80)
@given(pairs(), SNRS)
def test_the_ratio_is_kept_to_1e_9_db_before_and_to_0_05_db_after_rounding(pair: Pair, snr_db: float) -> None:
    result = mix(pair.speech, pair.noise, snr_db, sample_rate=24000)
    assert abs(result.realised_snr_db_before_quantisation - snr_db) < 1e-9
    scaled_noise_dbfs = result.noise_rms_dbfs + dbfs(result.noise_gain * result.common_gain)
    if scaled_noise_dbfs > STATED_DBFS:
        assert abs(result.realised_snr_db - snr_db) < 0.05


@settings(deadline=None, max_examples=60)
@given(pairs(), SNRS)
def test_the_samples_are_the_formula_under_one_common_gain(pair: Pair, snr_db: float) -> None:
    result = mix(pair.speech, pair.noise, snr_db, sample_rate=24000)
    speech = pair.speech.astype(np.float64) - pair.speech.mean(dtype=np.float64)
    noise = pair.noise.astype(np.float64) - pair.noise.mean(dtype=np.float64)
    gain = speech.std() / noise.std() * 10 ** (-snr_db / 20)
    expected = speech + gain * noise
    common = min(1.0, CEILING / np.abs(expected).max())
    assert abs(result.noise_gain / gain - 1) < 1e-9
    assert abs(result.common_gain / common - 1) < 1e-6
    assert np.abs(result.pcm - expected * common * 32768).max() < 0.51
    assert len(result.pcm) == len(pair.speech)


@settings(deadline=None, max_examples=40)
@given(pairs(), SNRS)
def test_it_never_clips_or_wraps_and_repeats_itself(pair: Pair, snr_db: float) -> None:
    before = (pair.speech.copy(), pair.noise.copy())
    result = mix(pair.speech, pair.noise, snr_db, sample_rate=24000)
    again = mix(pair.speech, pair.noise, snr_db, sample_rate=24000)
    assert np.abs(result.pcm.astype(int)).max() == round(result.peak * 32768) <= 32440
    assert wav_bytes(result.pcm, 24000) == wav_bytes(again.pcm, 24000)
    assert result.realised_snr_db == again.realised_snr_db
    assert (pair.speech == before[0]).all() and (pair.noise == before[1]).all()


@settings(deadline=None, max_examples=40)
@given(pairs(), SNRS)
def test_the_written_pair_proves_the_label(pair: Pair, snr_db: float) -> None:
    result = mix(pair.speech, pair.noise, snr_db, sample_rate=24000)
    clean, noisy = from_pcm(to_pcm(pair.speech)), from_pcm(result.pcm)
    assert abs(realised_snr_db(clean, noisy, result.common_gain) - result.realised_snr_db) < 1e-6
