"""Where a recording has speech, by Silero VAD (v6) as faster-whisper ships it: windows of 32 ms at 16 kHz."""

from __future__ import annotations

import importlib.metadata

import numpy as np

from squtr.audio import resample
from squtr.dialogue.activity import Span
from squtr.digest import digest
from squtr.errors import NotHere
from squtr.records import Waveform

_RATE = 16000
_THRESHOLD = 0.5
_ONE_WINDOW = {"min_silence_duration_ms": 0, "min_speech_duration_ms": 0, "speech_pad_ms": 0}


def fingerprint() -> str:
    """Return what decides the spans."""
    return digest("silero", importlib.metadata.version("faster-whisper"), _THRESHOLD, _ONE_WINDOW)


def speech_spans(sound: Waveform) -> list[Span]:
    """Return every stretch of speech, in order; silence of one window, 32 ms, parts two.

    Raises NotHere where faster-whisper is not installed.
    """
    try:
        from faster_whisper.vad import get_speech_timestamps
    except ImportError as error:
        how = "pip install 'squtr[embedded]' brings it"
        raise NotHere(f"Voice activity is found by faster-whisper: {error}. {how}.") from error
    samples = resample(sound, _RATE).samples.astype(np.float32, copy=False)
    found = get_speech_timestamps(samples, threshold=_THRESHOLD, **_ONE_WINDOW)
    return [Span(round(one["start"] / _RATE, 6), round(one["end"] / _RATE, 6)) for one in found]
