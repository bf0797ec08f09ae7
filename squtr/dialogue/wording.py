"""Which words an agent has said by a given time: from a transcript, a recogniser, or the seconds alone."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeGuard

from squtr.channels.words import marked_words
from squtr.collection.jsonl import read_jsonl
from squtr.dialogue.activity import PAUSE_SECONDS, AgentTurn, Span
from squtr.errors import ItemFailure, UserError, at
from squtr.records import Transcription, Waveform

WORDS_A_SECOND = 3.0


@dataclass(frozen=True, slots=True)
class Said:
    """What was said in a stretch of time."""

    start: float
    end: float
    text: str


@dataclass(frozen=True, slots=True)
class Heard:
    """What has been said in a turn by a time; `text` is None where only seconds are known."""

    words: int
    text: str | None


@dataclass(frozen=True, slots=True)
class TimedWord:
    """A word with what follows it up to the next one, and when its last letter is said."""

    end: float
    text: str


class Script:
    """The words of all turns, each at its time."""

    def __init__(self, rows: Sequence[Said], turns: Sequence[AgentTurn], language: str) -> None:
        speech = [span for turn in turns for span in turn.speech]
        self._words = [word for row in rows for word in _timed(row, speech, language)]

    def heard(self, turn: AgentTurn, pause: int) -> Heard:
        """Return what is said in a turn before one of its pauses."""
        until = turn.speech[pause].end
        found = [word.text for word in self._words if turn.start <= word.end <= until]
        return Heard(len(found), "".join(found))


class Counted:
    """No words: a number of them follows from the seconds of speech; nothing is known to be a question."""

    def heard(self, turn: AgentTurn, pause: int) -> Heard:
        return Heard(math.floor(turn.spoken_before(pause) * WORDS_A_SECOND), None)


def read_transcript(path: Path) -> list[Said]:
    """Read JSON lines with start and end in seconds and text. Raises UserError with file and line."""
    rows = [_said(row, at(path, line)) for line, row in read_jsonl(path)]
    if not rows:
        raise UserError(f"{path}: no line in it. Leave --transcript out where there is none.")
    return sorted(rows, key=lambda row: (row.start, row.end))


def recognised(sound: Waveform, turns: Sequence[AgentTurn], recogniser: Any, language: str) -> list[Said]:
    """Let a recogniser hear each stretch between two pauses alone, so that its words are known in time.

    It hears half a pause before and behind, too: the detector finds soft sounds late and leaves them early.
    """
    return [
        Said(span.start, span.end, _transcribed(sound, span, recogniser, language).text + " ")
        for turn in turns
        for span in turn.speech
    ]


def _transcribed(sound: Waveform, span: Span, recogniser: Any, language: str) -> Transcription:
    margin = PAUSE_SECONDS / 2
    times = (max(0.0, span.start - margin), span.end + margin)
    first, end = (round(time * sound.sample_rate) for time in times)
    try:
        heard: Transcription = recogniser.transcribe(
            Waveform(sound.samples[first:end], sound.sample_rate), language
        )
    except ItemFailure as failure:
        raise UserError(f"The agent's words from {span.start:g} to {span.end:g} s: {failure}.") from None
    return heard


def _said(row: dict[str, Any], where: str) -> Said:
    start, end, text = (row.get(name) for name in ("start", "end", "text"))
    if not (_is_time(start) and _is_time(end) and isinstance(text, str) and 0 <= start < end):
        raise UserError(
            f'{where}: not a turn. Write {{"start": 0.5, "end": 4.2, "text": "..."}}, in seconds of the WAV.'
        )
    return Said(float(start), float(end), text + " ")


def _is_time(value: object) -> TypeGuard[float]:
    return isinstance(value, (int, float)) and not isinstance(value, bool) and math.isfinite(value)


def _timed(row: Said, speech: Sequence[Span], language: str) -> list[TimedWord]:
    """Spread the characters of a row evenly over the speech in its time."""
    spans = [Span(max(row.start, one.start), min(row.end, one.end)) for one in speech]
    spans = [span for span in spans if span.end > span.start] or [Span(row.start, row.end)]
    found = [word for word, _ in marked_words(row.text, language)]
    ends = [word.start for word in found[1:]] + [len(row.text)]
    starts = [0, *ends]
    letters = len(row.text.rstrip())
    return [
        TimedWord(_time_at(word.end / letters, spans), row.text[start:end])
        for word, start, end in zip(found, starts, ends, strict=False)
    ]


def _time_at(share: float, spans: Sequence[Span]) -> float:
    """Return when a share of the speech in `spans` has passed."""
    passed = [0.0, *itertools.accumulate(span.seconds for span in spans)]
    wanted = round(share * passed[-1], 6)
    for span, before, by in zip(spans, passed, passed[1:], strict=False):
        if wanted <= round(by, 6):
            return round(span.start + wanted - before, 6)
    return spans[-1].end
