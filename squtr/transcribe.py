"""The transcribe stage, shared by the build and the evaluation: PCM and a language give a transcript."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from squtr import plugins
from squtr.languages import also_decides
from squtr.recognisers import Recogniser
from squtr.records import AudioRef, Transcription
from squtr.store import Audio, PackWriter


@dataclass(frozen=True, slots=True)
class TranscribeItem:
    """What decides a transcript besides the recogniser."""

    audio: AudioRef
    language: str


@dataclass(frozen=True)
class Transcribe:
    """Stage: transcribe one piece of audio. Record: text, confidence."""

    recogniser: str
    name: str = "transcribe"

    @property
    def fingerprint(self) -> str:
        return recogniser(self.recogniser).fingerprint

    def audio_of(self, item: TranscribeItem) -> Sequence[AudioRef]:
        return (item.audio,)

    def also_decides(self, item: TranscribeItem) -> tuple[str, ...]:
        return also_decides(recogniser(self.recogniser), item.language)

    def run(self, item: TranscribeItem, audio: Audio, pack: PackWriter) -> dict[str, Any]:
        heard = recogniser(self.recogniser).transcribe(audio.waveform(item.audio), item.language)
        return _record(heard)

    def run_many(
        self, items: Sequence[TranscribeItem], audio: Audio, pack: PackWriter
    ) -> list[dict[str, Any]] | None:
        together = getattr(recogniser(self.recogniser), "transcribe_many", None)
        if together is None or len({item.language for item in items}) > 1:
            return None
        heard = together([audio.waveform(item.audio) for item in items], items[0].language)
        return [_record(one) for one in heard] if len(heard) == len(items) else None


def _record(heard: Transcription) -> dict[str, Any]:
    sure = heard.confidence
    return {
        "text": heard.text or "",
        "confidence": sure if sure is not None and math.isfinite(sure) else None,
    }


@functools.cache
def recogniser(spec: str) -> Recogniser:
    """Return this process's one recogniser of that spec."""
    loaded: Recogniser = plugins.load("recogniser", spec)
    return loaded
