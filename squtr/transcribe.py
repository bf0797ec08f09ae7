"""The transcribe stage, shared by the build and the evaluation: PCM and a language give a transcript."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from squtr import plugins
from squtr.recognisers import Recogniser
from squtr.records import AudioRef
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

    def run(self, item: TranscribeItem, audio: Audio, pack: PackWriter) -> dict[str, Any]:
        heard = recogniser(self.recogniser).transcribe(audio.waveform(item.audio), item.language)
        return {"text": heard.text or "", "confidence": heard.confidence}


@functools.cache
def recogniser(spec: str) -> Recogniser:
    """Return this process's one recogniser of that spec."""
    loaded: Recogniser = plugins.load("recogniser", spec)
    return loaded
