from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from wav_builder import hiss, square, tone

from squtr.audio import from_pcm, to_pcm
from squtr.errors import ItemFailure, UserError
from squtr.mixing import Mix, mix, realised_snr_db

COUNT = 24_000
SPEECH = square(0.5, 12, COUNT)
NOISE = square(0.1, 24, COUNT)


def mixed(speech: np.ndarray, noise: np.ndarray, snr_db: Any = 0.0, **options: Any) -> Mix:
    return mix(speech, noise, snr_db, sample_rate=24000, **options)


@pytest.mark.parametrize(
    ("snr_db", "gain", "noise_rms"), [(10, 1.581139, 0.158114), (0, 5.0, 0.5), (-5, 8.891397, 0.889140)]
)
def test_c28_gain_and_ratio(snr_db: float, gain: float, noise_rms: float) -> None:
    result = mixed(SPEECH, NOISE, snr_db)
    assert result.noise_gain == pytest.approx(gain, abs=1e-6)
    assert result.noise_gain * 10 ** (result.noise_rms_dbfs / 20) == pytest.approx(noise_rms, abs=1e-6)
    assert result.requested_snr_db == snr_db
    assert result.realised_snr_db_before_quantisation == pytest.approx(snr_db, abs=1e-9)
    assert result.realised_snr_db == pytest.approx(snr_db, abs=1e-3)


def test_c28_the_samples_are_speech_plus_scaled_noise() -> None:
    result = mixed(SPEECH, NOISE, 10)
    expected = SPEECH.astype(np.float64) + 5 / math.sqrt(10) * NOISE.astype(np.float64)
    assert result.common_gain == 1.0
    assert (result.pcm == np.rint(expected * 32768)).all()
    assert result.pcm.dtype == np.int16
    assert result.peak == pytest.approx(0.658114, abs=1.6e-5)
    assert (result.speech_rms_dbfs, result.noise_rms_dbfs) == pytest.approx((-6.0206, -20.0), abs=1e-4)


@pytest.mark.parametrize("level", [0.0, 1e-9, 0.99e-4])
def test_c29_silent_noise_never_gets_a_label(level: float) -> None:
    with pytest.raises(UserError, match="noise is silent"):
        mixed(SPEECH, square(level, 24, COUNT), 10)


@pytest.mark.parametrize("constant", [0.0, 0.3])
def test_c29_c_silent_speech_is_a_failure_of_the_item(constant: float) -> None:
    silent = np.full(COUNT, constant, dtype=np.float32)
    for attempt in (lambda: mixed(silent, NOISE), lambda: realised_snr_db(silent, NOISE, 1.0)):
        with pytest.raises(ItemFailure, match="speech is silent"):
            attempt()
    with pytest.raises(ItemFailure, match="no samples"):
        mixed(silent[:0], NOISE[:0])


def test_c29_noise_just_above_the_floor_is_mixed_exactly() -> None:
    result = mixed(SPEECH, square(1.01e-4, 24, COUNT), 10)
    assert result.realised_snr_db == pytest.approx(10, abs=1e-3)


def test_c30_one_common_gain_keeps_the_ratio() -> None:
    result = mixed(square(0.9, 12, COUNT), square(0.9, 24, COUNT), 0)
    assert result.common_gain == pytest.approx(0.55, abs=1e-6)
    assert result.noise_gain == pytest.approx(1.0, abs=1e-12)
    assert result.peak == pytest.approx(0.99, abs=1e-12)
    assert np.abs(result.pcm.astype(int)).max() == 32440
    assert result.realised_snr_db_before_quantisation == pytest.approx(0, abs=1e-9)
    assert result.realised_snr_db == pytest.approx(0, abs=1e-3)


def test_c30_clipping_would_be_noticed() -> None:
    speech, noise = square(0.9, 12, COUNT), square(0.9, 24, COUNT)
    clipped = np.clip(speech + noise, -1, 1)
    assert realised_snr_db(speech, clipped, 1.0) == pytest.approx(2.957, abs=1e-3)


def test_the_ceiling_can_be_set_below_what_16_bit_holds() -> None:
    assert np.abs(mixed(SPEECH, NOISE, 0, ceiling=0.5).pcm).max() == 16384
    for ceiling in (0.0, 1.0, -1.0, math.nan):
        with pytest.raises(ValueError, match="ceiling"):
            mixed(SPEECH, NOISE, 0, ceiling=ceiling)


def test_c31_a_constant_is_no_noise() -> None:
    result = mixed(SPEECH, NOISE + np.float32(0.3), 10)
    assert result.noise_rms_dbfs == pytest.approx(-20, abs=1e-5)
    assert result.noise_gain == pytest.approx(1.581139, abs=1e-5)
    rest = result.pcm / 32768 - result.common_gain * SPEECH
    assert 20 * math.log10(0.5 / rest.std()) == pytest.approx(10, abs=1e-3)
    assert result.realised_snr_db == pytest.approx(10, abs=1e-3)


def test_c31_a_constant_is_no_speech_and_stays_out_of_the_mix() -> None:
    result = mixed(SPEECH + np.float32(0.25), NOISE, 10)
    assert (result.pcm == mixed(SPEECH, NOISE, 10).pcm).all()
    assert result.speech_mean == pytest.approx(0.25, abs=1e-9)
    assert result.speech_rms_dbfs == pytest.approx(-6.0206, abs=1e-4)
    assert result.realised_snr_db == pytest.approx(10, abs=1e-3)


def test_c32_whole_utterance_level_with_the_active_level_beside_it() -> None:
    speech = np.concatenate([np.zeros(COUNT // 2, dtype=np.float32), SPEECH[: COUNT // 2]])
    result = mixed(speech, NOISE, 10)
    assert result.noise_gain == pytest.approx(0.353553 / 0.1 / math.sqrt(10), abs=1e-5)
    assert result.realised_snr_db == pytest.approx(10, abs=5e-3)
    assert result.active_snr_db == pytest.approx(13.0103, abs=1e-3)
    assert mixed(SPEECH, NOISE, 10).active_snr_db == pytest.approx(10, abs=1e-6)


def test_the_two_finished_signals_tell_the_same_ratio() -> None:
    speech = from_pcm(to_pcm(tone(220, 24000, 2.0, 0.3) + np.float32(0.01)))
    for snr_db in (-5.0, 0.0, 17.3):
        result = mixed(speech, hiss(48_000), snr_db)
        measured = realised_snr_db(speech, from_pcm(result.pcm), result.common_gain)
        assert measured == pytest.approx(result.realised_snr_db, abs=1e-9)


def test_the_measure_without_noise_and_with_unequal_lengths() -> None:
    assert realised_snr_db(SPEECH, SPEECH, 1.0) == math.inf
    with pytest.raises(ItemFailure, match="clean has 24000 samples, noisy has 23999"):
        realised_snr_db(SPEECH, SPEECH[1:], 1.0)


@pytest.mark.parametrize("snr_db", [math.nan, math.inf, -math.inf, "10", None, True, 61, -1e308, [10]])
def test_a_ratio_that_is_no_number_in_range_is_the_users_error(snr_db: Any) -> None:
    with pytest.raises(UserError, match="snr_db is"):
        mixed(SPEECH, NOISE, snr_db)


def test_ratios_of_other_number_types_are_taken_at_full_precision() -> None:
    expected = mixed(SPEECH, NOISE, 3.0)
    for snr_db in (3, np.float32(3), np.int64(3)):
        result = mixed(SPEECH, NOISE, snr_db)
        assert type(result.requested_snr_db) is float
        assert result.noise_gain == expected.noise_gain


def test_a_ratio_lost_in_rounding_is_a_failure_not_a_label() -> None:
    quiet = from_pcm(to_pcm(square(2e-4, 12, COUNT)))
    with pytest.raises(ItemFailure, match="rounding to 16 bit turns 40 dB SNR into"):
        mixed(quiet, NOISE, 40)
    assert mixed(quiet, NOISE, 0).realised_snr_db == pytest.approx(0, abs=0.05)


def test_noise_that_cancels_the_speech_is_no_division_by_zero() -> None:
    result = mixed(SPEECH, -SPEECH, 0)
    assert not result.pcm.any()
    assert (result.common_gain, result.peak) == (1.0, 0.0)


@pytest.mark.parametrize("which", [0, 1])
def test_samples_that_are_not_finite_never_reach_a_mix(which: int) -> None:
    pair = [SPEECH.copy(), NOISE.copy()]
    pair[which][100] = np.nan
    with pytest.raises((ItemFailure, UserError), match="not finite"):
        mixed(*pair)


def test_lengths_have_to_be_equal() -> None:
    for noise in (NOISE[1:], np.stack([NOISE, NOISE])):
        with pytest.raises(ValueError, match="cut the noise to the speech"):
            mixed(SPEECH, noise)
