from __future__ import annotations

import math

import numpy as np
import pytest
from wav_builder import hiss, square, tone

from squtr.audio import (
    Moments,
    active_level_dbfs,
    active_span,
    blocks,
    level_dbfs,
    limit_peak,
    mean_removed,
    moments,
    peak,
    rms,
    trim_silence,
)
from squtr.errors import ItemFailure
from squtr.records import Waveform

HALF_SILENT = np.concatenate([np.zeros(8000, dtype=np.float32), square(0.5, 10, 8000)])


def test_levels_of_square_sine_and_silence() -> None:
    assert level_dbfs(square(1.0, 10, 2000)) == 0.0
    assert level_dbfs(tone(100, 16000, 1.0, amplitude=1.0)) == pytest.approx(-3.0103, abs=1e-4)
    assert level_dbfs(np.zeros(100, dtype=np.float32)) == -math.inf
    assert rms(np.zeros(0, dtype=np.float32)) == 0.0


def test_rms_is_summed_in_float64() -> None:
    samples = np.full(3_000_000, 0.1, dtype=np.float32)
    assert rms(samples) == pytest.approx(float(np.float32(0.1)), rel=1e-13)


def test_moments_do_not_depend_on_how_the_samples_are_divided() -> None:
    samples = hiss(50_000) + np.float32(0.3)
    whole, parts = moments(samples), Moments()
    for block in blocks(samples, 777):
        parts.add(block)
    assert whole.count == parts.count == 50_000
    assert parts.mean == pytest.approx(whole.mean, rel=1e-13)
    assert parts.deviation == pytest.approx(float(samples.astype(np.float64).std()), rel=1e-12)


def test_a_constant_has_no_deviation_and_nan_stays_nan() -> None:
    assert moments(np.full(1000, 0.3, dtype=np.float32)).deviation < 1e-7
    assert math.isnan(moments(np.array([0.1, np.nan], dtype=np.float32)).deviation)


def test_mean_removed() -> None:
    samples = square(0.1, 5, 1000) + np.float32(0.3)
    assert mean_removed(samples) == pytest.approx(square(0.1, 5, 1000), abs=1e-7)


def test_c30_peaks_are_scaled_never_clipped() -> None:
    samples = np.array([0.5, -1.8, 0.9], dtype=np.float32)
    assert peak(samples) == pytest.approx(1.8)
    limited, gain = limit_peak(samples)
    assert gain == pytest.approx(0.55)
    assert limited == pytest.approx(samples * 0.55)
    assert peak(limited) == pytest.approx(0.99, rel=1e-6)
    assert limit_peak(samples[:1]) == (samples[:1], 1.0)
    with pytest.raises(ValueError, match="finite"):
        limit_peak(np.array([np.nan], dtype=np.float32))


def test_c32_silence_does_not_count_in_the_active_level() -> None:
    assert rms(HALF_SILENT) == pytest.approx(0.3536, abs=1e-4)
    active = active_level_dbfs(HALF_SILENT, 16000)
    assert active == pytest.approx(20 * math.log10(0.5), abs=1e-9)
    assert active - level_dbfs(HALF_SILENT) == pytest.approx(3.0103, abs=1e-4)


def test_c31_a_constant_does_not_hide_the_silence() -> None:
    shifted = HALF_SILENT + np.float32(0.25)
    assert active_level_dbfs(shifted, 16000) == pytest.approx(20 * math.log10(0.5), abs=1e-4)
    assert active_span(shifted, 16000) == (8000, 16000)


@pytest.mark.parametrize(("below", "counts"), [(39.0, True), (41.0, False)])
def test_a_frame_is_active_within_40_db_of_the_loudest(below: float, counts: bool) -> None:
    quiet = square(0.5 * 10 ** (-below / 20), 10, 8000)
    samples = np.concatenate([quiet, square(0.5, 10, 8000)])
    assert (active_span(samples, 16000) == (0, 16000)) is counts
    assert (active_level_dbfs(samples, 16000) < -8) is counts


def test_the_last_frame_weighs_what_it_lasts() -> None:
    samples = np.concatenate([square(0.5, 10, 320), square(0.25, 10, 80)])
    expected = 10 * math.log10((320 * 0.25 + 80 * 0.0625) / 400)
    assert active_level_dbfs(samples, 16000) == pytest.approx(expected, abs=1e-9)


def test_long_input_has_the_same_frames_as_short_input() -> None:
    samples = np.concatenate([HALF_SILENT, HALF_SILENT, HALF_SILENT])
    assert active_span(samples, 16000) == (8000, 48000)
    assert active_level_dbfs(samples, 16000) == pytest.approx(active_level_dbfs(HALF_SILENT, 16000), abs=1e-9)


def test_nothing_and_silence_have_no_span_and_no_level() -> None:
    for samples in (np.zeros(0, dtype=np.float32), np.zeros(500, dtype=np.float32)):
        assert active_span(samples, 16000) == (0, 0)
        assert active_level_dbfs(samples, 16000) == -math.inf
    assert active_span(square(0.9e-4, 10, 4000), 16000) == (0, 0)
    assert active_span(square(1.1e-4, 10, 4000), 16000) == (0, 4000)


def test_c32_trimmed_utterances_of_other_padding_have_one_level() -> None:
    speech = tone(200, 16000, 1.0)
    levels = []
    for before, after in ((0, 0), (8000, 3200), (160_000, 16_000)):
        padded = np.concatenate([np.zeros(before), speech, np.zeros(after)]).astype(np.float32)
        trimmed = trim_silence(Waveform(padded, 16000), keep_seconds=0.0)
        assert len(trimmed.samples) == len(speech)
        levels.append(level_dbfs(trimmed.samples))
    assert max(levels) - min(levels) < 1e-9


def test_trimming_keeps_the_asked_margin_where_there_is_one() -> None:
    padded = np.concatenate([np.zeros(8000), tone(200, 16000, 1.0), np.zeros(800)]).astype(np.float32)
    trimmed = trim_silence(Waveform(padded, 16000), keep_seconds=0.1)
    assert len(trimmed.samples) == 1600 + 16000 + 800
    assert (trimmed.samples == padded[6400:]).all()


def test_trimming_silence_is_a_failure() -> None:
    with pytest.raises(ItemFailure, match="silent"):
        trim_silence(Waveform(np.zeros(100, dtype=np.float32), 16000), 0.1)
