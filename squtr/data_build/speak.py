"""Speak: written text, reading, speaker and seed give one take."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from squtr import plugins
from squtr.audio import RESAMPLER, level_dbfs, limit_peak, resample, to_pcm, trim_silence
from squtr.digest import digest, to_plain
from squtr.errors import ItemFailure
from squtr.records import AudioRef, Speaker
from squtr.store import Audio, PackWriter
from squtr.voices import Voice

KEPT_SILENCE_SECONDS = 0.1
SILENT_DBFS = -60.0
_CODE_VERSION = 1


@dataclass(frozen=True, slots=True)
class SpeakItem:
    """What decides a take besides the voice engine."""

    text: str
    speaker: Speaker
    seed: int


@dataclass(frozen=True)
class Speak:
    """Stage: speak one take as 16-bit PCM. Record: audio, seconds trimmed at the ends, gain, level."""

    voice: str
    sample_rate: int
    name: str = "speak"

    @property
    def fingerprint(self) -> str:
        return digest(
            voice(self.voice).fingerprint, self.sample_rate, KEPT_SILENCE_SECONDS, RESAMPLER, _CODE_VERSION
        )

    def audio_of(self, item: SpeakItem) -> Sequence[AudioRef]:
        return ()

    def run(self, item: SpeakItem, audio: Audio, pack: PackWriter) -> dict[str, Any]:
        said = resample(voice(self.voice).speak(item.text, item.speaker, item.seed), self.sample_rate)
        if level_dbfs(said.samples) < SILENT_DBFS:
            raise ItemFailure("the voice gave silence")
        trimmed = trim_silence(said, KEPT_SILENCE_SECONDS)
        samples, gain = limit_peak(trimmed.samples)
        ref = pack.add(to_pcm(samples), self.sample_rate)
        return {
            "audio": to_plain(ref),
            "trimmed_seconds": round(said.seconds - trimmed.seconds, 4),
            "gain": gain,
            "level_dbfs": round(level_dbfs(samples), 4),
        }


@functools.cache
def voice(spec: str) -> Voice:
    """Return this process's one voice of that spec."""
    loaded: Voice = plugins.load("voice", spec)
    return loaded
