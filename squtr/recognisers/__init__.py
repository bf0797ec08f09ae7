"""Recognisers: a waveform gives a transcript."""

from __future__ import annotations

from typing import Protocol

from squtr.records import Transcription, Waveform


class Recogniser(Protocol):
    """A speech recogniser. Built once a process; the model is loaded at the first call."""

    @property
    def fingerprint(self) -> str:
        """Everything that changes the transcript besides the audio and its language."""
        ...

    def transcribe(self, audio: Waveform, language: str) -> Transcription:
        """Transcribe greedily in a fixed language. Raises on failure; never an empty text instead."""
        ...
