"""Recognisers that differ in what they hear, how sure they are, and how many recordings they take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from squtr.errors import ItemFailure, UserError
from squtr.records import Transcription, Waveform
from tests.doubles import ToneRecogniser


class UnsureEars(ToneRecogniser):
    """Hears like the double, and gives a confidence for what it hears without fog."""

    fingerprint = "unsure ears"

    def transcribe(self, audio: Waveform, language: str) -> Transcription:
        heard = super().transcribe(audio, language)
        return Transcription(heard.text, -0.5 if "dog" not in heard.text else None)


class ManyEars(ToneRecogniser):
    """Takes several recordings a call, and notes how many."""

    fingerprint = "many ears"
    calls: ClassVar[list[int]] = []

    def transcribe_many(self, audios: Sequence[Waveform], language: str) -> list[Transcription]:
        self.calls.append(len(audios))
        return [self.transcribe(audio, language) for audio in audios]


class EnglishEars:
    """Says which language it knows."""

    fingerprint = "english ears"
    heard = 0

    def check_language(self, language: str) -> None:
        if language != "en":
            raise UserError(f"knows English alone, not {language!r}")

    def transcribe(self, audio: Waveform, language: str) -> Transcription:
        EnglishEars.heard += 1
        return Transcription("")


class DeafEars:
    """Hears nothing, ever."""

    fingerprint = "deaf ears"

    def transcribe(self, audio: Waveform, language: str) -> Transcription:
        return Transcription("")


class BrokenEars:
    """Fails on every recording."""

    fingerprint = "broken ears"

    def transcribe(self, audio: Waveform, language: str) -> Transcription:
        raise ItemFailure("no such model")
