"""An agent's turns and pauses, from where it speaks: 200 ms of silence are a pause, 500 ms end a turn."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass

PAUSE_SECONDS = 0.2
END_SECONDS = 0.5
_DIGITS = 6


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time, in seconds; `end` is no part of it."""

    start: float
    end: float

    @property
    def seconds(self) -> float:
        return round(self.end - self.start, _DIGITS)

    def holds(self, time: float) -> bool:
        return self.start <= time < self.end


@dataclass(frozen=True, slots=True)
class AgentTurn:
    """One turn: its stretches of speech in order, parted by pauses."""

    index: int
    speech: tuple[Span, ...]

    @property
    def start(self) -> float:
        return self.speech[0].start

    @property
    def end(self) -> float:
        return self.speech[-1].end

    @property
    def pauses(self) -> tuple[float, ...]:
        """The times at which 200 ms of silence have passed, each after the stretch of the same place."""
        return tuple(round(span.end + PAUSE_SECONDS, _DIGITS) for span in self.speech[:-1])

    def spoken_before(self, pause: int) -> float:
        """Return the seconds of speech before a pause, shorter silences counted."""
        return round(sum(span.seconds for span in self.speech[: pause + 1]), _DIGITS)


def agent_turns(heard: Sequence[Span]) -> tuple[AgentTurn, ...]:
    """Join what less than 200 ms part, and part turns where 500 ms or more lie between."""
    speech = _grouped(heard, PAUSE_SECONDS)
    joined = [Span(group[0].start, group[-1].end) for group in speech]
    turns = _grouped(joined, END_SECONDS)
    return tuple(AgentTurn(index, tuple(group)) for index, group in enumerate(turns))


def _grouped(spans: Sequence[Span], gap: float) -> list[list[Span]]:
    groups = [[span] for span in spans[:1]]
    for before, span in itertools.pairwise(spans):
        if round(span.start - before.end, _DIGITS) >= gap:
            groups.append([])
        groups[-1].append(span)
    return groups
