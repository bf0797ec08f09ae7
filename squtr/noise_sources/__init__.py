"""Noise sources: named recordings by category."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from squtr.records import NoiseRecording, Waveform


class NoiseSource(Protocol):
    """A set of noise recordings. Cutting, looping and levelling belong to the mixer, not here."""

    @property
    def fingerprint(self) -> str:
        """Everything that changes the samples of any recording."""
        ...

    def recordings(self) -> Sequence[NoiseRecording]:
        """All recordings, in a stable order."""
        ...

    def read(self, recording_id: str) -> Waveform:
        """The whole recording at its own rate, mono; memory-mapped where it is a file."""
        ...
