"""Judges: an utterance gives a score and reasons."""

from __future__ import annotations

from typing import Protocol

from squtr.records import Judgement, Waveform


class Judge(Protocol):
    """A judge of one utterance. Its scale is part of the judgement.

    Optional: `bounds`, the lowest and the highest score; a recipe's min_score beyond them is refused.
    """

    @property
    def fingerprint(self) -> str:
        """Everything that changes the score besides the arguments of `judge`."""
        ...

    def judge(self, audio: Waveform, text: str, transcript: str, language: str) -> Judgement:
        """Judge the recording of `text`; `transcript` is what the screening recogniser heard."""
        ...
