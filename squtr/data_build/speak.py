"""Speak: written text, reading, speaker and seed give one take."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from squtr import plugins
from squtr.audio import RESAMPLER, level_dbfs, limit_peak, resample, to_pcm, trim_silence
from squtr.digest import digest, to_plain
from squtr.errors import ItemFailure
from squtr.languages import also_decides
from squtr.records import AudioRef, Speaker, Waveform
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
            voice(self.voice).fingerprint,
            self.sample_rate,
            KEPT_SILENCE_SECONDS,
            SILENT_DBFS,
            RESAMPLER,
            _CODE_VERSION,
        )

    def audio_of(self, item: SpeakItem) -> Sequence[AudioRef]:
        return ()

    def also_decides(self, item: SpeakItem) -> tuple[str, ...]:
        return also_decides(voice(self.voice), item.speaker.language)

    def run(self, item: SpeakItem, audio: Audio, pack: PackWriter) -> dict[str, Any]:
        said = voice(self.voice).speak(item.text, item.speaker, item.seed)
        return _packed(_finished(said, self.sample_rate), pack)

    def run_many(
        self, items: Sequence[SpeakItem], audio: Audio, pack: PackWriter
    ) -> list[dict[str, Any]] | None:
        together = getattr(voice(self.voice), "speak_many", None)
        if together is None:
            return None
        said = together([(item.text, item.speaker, item.seed) for item in items])
        takes = [_finished(one, self.sample_rate) for one in said]
        return [_packed(take, pack) for take in takes] if len(takes) == len(items) else None


@dataclass(frozen=True, slots=True)
class _Take:
    """A take as it is kept, and what was done to it."""

    waveform: Waveform
    trimmed_seconds: float
    gain: float


def _finished(spoken: Waveform | Iterable[Waveform] | None, sample_rate: int) -> _Take:
    said = joined(spoken, sample_rate)
    if not level_dbfs(said.samples) >= SILENT_DBFS:
        raise ItemFailure("the voice gave silence")
    trimmed = trim_silence(said, KEPT_SILENCE_SECONDS)
    samples, gain = limit_peak(trimmed.samples)
    return _Take(Waveform(samples, sample_rate), round(said.seconds - trimmed.seconds, 4), gain)


def _packed(take: _Take, pack: PackWriter) -> dict[str, Any]:
    ref = pack.add(to_pcm(take.waveform.samples), take.waveform.sample_rate)
    return {
        "audio": to_plain(ref),
        "trimmed_seconds": take.trimmed_seconds,
        "gain": take.gain,
        "level_dbfs": round(level_dbfs(take.waveform.samples), 4),
    }


def joined(said: Waveform | Iterable[Waveform] | None, sample_rate: int) -> Waveform:
    """Return all that a voice gave, in one piece or several, as one waveform at `sample_rate`.

    Raises ItemFailure when it gave nothing, or something that is no finite mono audio.
    """
    pieces = [said] if isinstance(said, Waveform) else list(said or ())
    samples = [resample(_checked(piece), sample_rate).samples for piece in pieces if len(piece.samples)]
    if not samples:
        raise ItemFailure("the voice gave no audio")
    return Waveform(np.concatenate(samples), sample_rate)


def _checked(piece: Waveform) -> Waveform:
    samples = np.asarray(piece.samples)
    if samples.ndim != 1 or samples.dtype.kind != "f":
        raise ItemFailure(
            f"the voice gave {samples.dtype} of shape {samples.shape}, not float samples of shape (n,)"
        )
    if not np.isfinite(samples).all():
        raise ItemFailure("the voice gave NaN or infinite samples")
    return Waveform(samples.astype(np.float32, copy=False), piece.sample_rate)


@functools.cache
def voice(spec: str) -> Voice:
    """Return this process's one voice of that spec."""
    loaded: Voice = plugins.load("voice", spec)
    return loaded
