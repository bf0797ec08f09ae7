from __future__ import annotations

import numpy as np
import pytest
import soxr
from wav_builder import hiss, loudest_frequency, tone

from squtr.audio import RESAMPLER, resample
from squtr.records import Waveform


@pytest.mark.parametrize("rate", [8000, 11025, 19980, 44056, 44100])
def test_c06_a_tone_keeps_its_length_and_frequency(rate: int) -> None:
    audio = resample(Waveform(tone(1000, rate, 1.0), rate), 16000)
    assert audio.sample_rate == 16000
    assert abs(len(audio.samples) - 16000) <= 1
    assert loudest_frequency(audio.samples, 16000) == pytest.approx(1000, abs=2)
    assert audio.samples.dtype == np.float32


def test_c06_48001_samples_are_within_one() -> None:
    assert abs(len(resample(Waveform(hiss(48001), 48000), 16000).samples) - 16000) <= 1


def test_the_same_rate_returns_the_same_object() -> None:
    audio = Waveform(hiss(100), 24000)
    assert resample(audio, 24000) is audio


def test_what_lies_above_half_the_new_rate_is_gone() -> None:
    audio = resample(Waveform(tone(10000, 48000, 0.5), 48000), 16000)
    assert np.abs(audio.samples[500:-500]).max() < 1e-4


def test_the_quality_is_vhq_and_the_fingerprint_names_it() -> None:
    samples = hiss(4800)
    audio = resample(Waveform(samples, 48000), 24000)
    assert (audio.samples == soxr.resample(samples, 48000, 24000, quality="VHQ")).all()
    assert (audio.samples != soxr.resample(samples, 48000, 24000, quality="HQ")).any()
    assert "VHQ" in RESAMPLER and soxr.__version__ in RESAMPLER and soxr.__libsoxr_version__ in RESAMPLER


def test_strided_and_int_like_input_is_taken_as_is() -> None:
    wide = np.repeat(hiss(4800), 2)
    straight = resample(Waveform(wide[::2].copy(), 48000), 24000).samples
    assert (resample(Waveform(wide[::2], 48000), 24000).samples == straight).all()
