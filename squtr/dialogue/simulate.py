"""A user's decisions along a recording: turns and words in, events out; no audio."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from squtr.dialogue.activity import AgentTurn, Span
from squtr.dialogue.rules import INTERRUPT, NOTHING, Decision, Pause, Progress, Setting, after, decide
from squtr.dialogue.wording import Heard

SOUNDING = "user_sounding"


class Words(Protocol):
    """What tells the words before a pause: Script or Counted."""

    def heard(self, turn: AgentTurn, pause: int) -> Heard:
        """Return what is said in a turn before one of its pauses."""


@dataclass(frozen=True, slots=True)
class Placed:
    """What the user says, and when."""

    text: str
    span: Span


@dataclass(frozen=True, slots=True)
class Event:
    """A short pause and what was done: interrupt, backchannel, nothing, or user_sounding, no opportunity.

    `opportunity` counts from 0 over the recording, `in_turn` within the turn; `decision` is None for
    user_sounding, `placed` where nothing was said.
    """

    time: float
    turn: int
    kind: str
    pause: Pause
    text: str | None
    opportunity: int | None = None
    in_turn: int | None = None
    decision: Decision | None = None
    placed: Placed | None = None


Choose = Callable[[str, str], tuple[str, float]]


def simulate(
    turns: Sequence[AgentTurn],
    words: Words,
    is_asking: Callable[[str], bool],
    setting: Setting,
    choose: Choose,
    user: Sequence[Span] = (),
) -> list[Event]:
    """Return what the user does at every short pause, in order.

    `choose` gives, for a kind and a pause ("2-0": third turn, first pause), what is said and how many seconds
    it takes; it sounds from the moment of the decision. `user`: where the user side sounds already. A turn
    ends with its interruption.
    """
    events: list[Event] = []
    sounding, opportunity = list(user), 0
    for turn in turns:
        progress, in_turn = Progress(), 0
        for number, time in enumerate(turn.pauses):
            pause, text = _pause(turn, number, words, is_asking)
            if any(span.holds(time) for span in sounding):
                events.append(Event(time, turn.index, SOUNDING, pause, text))
                continue
            decision = decide(pause, progress, setting)
            placed = _placed(decision.kind, time, f"{turn.index}-{number}", choose)
            events.append(
                Event(time, turn.index, decision.kind, pause, text, opportunity, in_turn, decision, placed)
            )
            if placed:
                sounding.append(placed.span)
            opportunity, in_turn, progress = opportunity + 1, in_turn + 1, after(progress, pause, decision)
            if progress.interrupted:
                break
    return events


def cuts(events: Sequence[Event], turns: Sequence[AgentTurn], reaction_seconds: float) -> dict[int, Span]:
    """Return, by turn, the stretch in which an interrupted agent is silent: from its reaction to its end."""
    found = {}
    for event in events:
        start, end = round(event.time + reaction_seconds, 6), turns[event.turn].end
        if event.kind == INTERRUPT:
            found[event.turn] = Span(min(start, end), end)
    return found


def _pause(
    turn: AgentTurn, number: int, words: Words, is_asking: Callable[[str], bool]
) -> tuple[Pause, str | None]:
    heard = words.heard(turn, number)
    asks = heard.text is not None and is_asking(heard.text)
    return Pause(turn.spoken_before(number), heard.words, asks, turn.index == 0), heard.text


def _placed(kind: str, time: float, at: str, choose: Choose) -> Placed | None:
    if kind == NOTHING:
        return None
    text, seconds = choose(kind, at)
    return Placed(text, Span(time, round(time + seconds, 6)))
