"""Interruption and backchannel, decided at a short pause in an agent's turn (arXiv:2610.11015, figure 2).

Pure functions over frozen records; nothing is drawn. Interruption is looked at first, and where it passes,
backchannel is not looked at.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from squtr.errors import UserError

INTERRUPT, BACKCHANNEL, NOTHING = "interrupt", "backchannel", "nothing"
PATIENCE_SECONDS, PATIENCE_SPAN = 10.0, 8.5
INTERRUPT_WORDS = 12
FIRST_BACKCHANNEL_WORDS = 6
BACKCHANNEL_GAP, BACKCHANNEL_GAP_SPAN = 25, 17
_DIGITS = 6  # of seconds and words: below a sample, above what floating point adds


@dataclass(frozen=True, slots=True)
class Setting:
    """How much the user interrupts (b) and gives signs of listening (g), each from 0, never, to 1."""

    b: float = 0.0
    g: float = 0.0

    def __post_init__(self) -> None:
        for name, value in (("b", self.b), ("g", self.g)):
            if not (math.isfinite(value) and 0 <= value <= 1):
                raise UserError(f"{name} is {value:g}; it must be from 0 to 1.")

    @property
    def patience_seconds(self) -> float:
        """How long the agent must have spoken in its turn before it is interrupted."""
        return round(PATIENCE_SECONDS - PATIENCE_SPAN * self.b, _DIGITS)

    @property
    def backchannel_gap(self) -> float:
        """How many words must lie between two backchannels in a turn."""
        return round(BACKCHANNEL_GAP - BACKCHANNEL_GAP_SPAN * self.g, _DIGITS)


@dataclass(frozen=True, slots=True)
class Pause:
    """What is known at a short pause: of the agent's turn so far, seconds spoken, words, and whether it asks.

    `asks`: its speech is a question or a request. `first_turn`: it is the agent's first turn.
    """

    seconds: float
    words: int
    asks: bool
    first_turn: bool


@dataclass(frozen=True, slots=True)
class Progress:
    """What the user has done in this agent turn: interrupted it, and the word at its last backchannel."""

    interrupted: bool = False
    words_at_backchannel: int | None = None


@dataclass(frozen=True, slots=True)
class Decision:
    """What is done, and which clauses held of each rule; those of backchannel are empty where unread."""

    kind: str
    interrupt: dict[str, bool]
    backchannel: dict[str, bool]


def decide(pause: Pause, progress: Progress, setting: Setting) -> Decision:
    """Return what the user does at a pause: interruption first, then backchannel, else nothing."""
    interrupt = interrupt_clauses(pause, progress, setting)
    if all(interrupt.values()):
        return Decision(INTERRUPT, interrupt, {})
    backchannel = backchannel_clauses(pause, progress, setting)
    return Decision(BACKCHANNEL if all(backchannel.values()) else NOTHING, interrupt, backchannel)


def interrupt_clauses(pause: Pause, progress: Progress, setting: Setting) -> dict[str, bool]:
    """Return which clauses of the rule of interruption hold."""
    return {
        "on": setting.b > 0,
        "none_yet": not progress.interrupted,
        "seconds": round(pause.seconds, _DIGITS) >= setting.patience_seconds,
        "words": pause.words >= INTERRUPT_WORDS,
        "no_question": not pause.asks,
    }


def backchannel_clauses(pause: Pause, progress: Progress, setting: Setting) -> dict[str, bool]:
    """Return which clauses of the rule of backchannels hold."""
    last = progress.words_at_backchannel
    return {
        "on": setting.g > 0,
        "not_first_turn": not pause.first_turn,
        "no_question": not pause.asks,
        "words": pause.words >= (FIRST_BACKCHANNEL_WORDS if last is None else last + setting.backchannel_gap),
    }


def after(progress: Progress, pause: Pause, decision: Decision) -> Progress:
    """Return the progress in the turn after a decision."""
    if decision.kind == INTERRUPT:
        return replace(progress, interrupted=True)
    if decision.kind == BACKCHANNEL:
        return replace(progress, words_at_backchannel=pause.words)
    return progress
