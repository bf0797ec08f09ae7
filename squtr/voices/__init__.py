"""Voices: text and a speaker give a waveform."""

from __future__ import annotations

from typing import Protocol

from squtr.records import Speaker, Waveform


class Voice(Protocol):
    """A text-to-speech engine. Built once a process; the model is loaded at the first call.

    Optional: `speaker_settings`, the names of a speaker's settings; any other in the table is refused.
    """

    sample_rate: int

    @property
    def fingerprint(self) -> str:
        """Everything that changes the sound besides text, speaker and seed: name, version, model digest."""
        ...

    def speak(self, text: str, speaker: Speaker, seed: int) -> Waveform:
        """Speak `text` (already written out for reading). Raises ItemFailure when nothing was said."""
        ...
