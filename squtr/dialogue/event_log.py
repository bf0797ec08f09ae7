"""The event log: JSON lines of the dialogue, of each agent turn, and of each short pause in it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from squtr.collection.jsonl import read_jsonl, write_jsonl
from squtr.dialogue.activity import AgentTurn, Span
from squtr.dialogue.rules import BACKCHANNEL, INTERRUPT, NOTHING, Setting
from squtr.dialogue.runner import Dialogue
from squtr.dialogue.simulate import SOUNDING, Event
from squtr.digest import digest_bytes
from squtr.errors import UserError, at

Row = dict[str, Any]

_KINDS = (INTERRUPT, BACKCHANNEL, NOTHING)


@dataclass(frozen=True, slots=True)
class Counts:
    """What one dialogue realised; `at_first`: interruptions at the first opportunity of their turn."""

    name: str
    setting: Setting
    turns: int
    opportunities: int
    interruptions: int
    backchannels: int
    at_first: int
    while_sounding: int


def log_rows(dialogue: Dialogue, turns: Iterable[AgentTurn], facts: Mapping[str, Any]) -> list[Row]:
    """Return the lines: the dialogue first, with `facts` about how it was made; then turns and pauses."""
    head = {
        "kind": "dialogue",
        "name": dialogue.name,
        "b": dialogue.setting.b,
        "g": dialogue.setting.g,
        **facts,
        "sample_rate": dialogue.sample_rate,
        "seconds": round(len(dialogue.pcm) / dialogue.sample_rate, 6),
        "pcm_sha256": digest_bytes(np.ascontiguousarray(dialogue.pcm, dtype="<i2").data),
    }
    rows = [head]
    for turn in turns:
        rows.append(_turn_row(turn, dialogue.cuts.get(turn.index)))
        rows += [_event_row(event) for event in dialogue.events if event.turn == turn.index]
    return rows


def write_log(path: Path, rows: Iterable[Row]) -> None:
    """Write the lines, whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_jsonl(path, rows)


def read_counts(path: Path) -> Counts:
    """Count what a log tells. Raises UserError with file and line for what is no log of a dialogue."""
    numbered = list(read_jsonl(path))
    if not numbered or numbered[0][1].get("kind") != "dialogue":
        raise UserError(f"{at(path, 1)}: not the log of a dialogue; its first line has the kind dialogue.")
    for line, row in numbered:
        if row.get("kind") not in ("dialogue", "turn", SOUNDING, *_KINDS):
            raise UserError(f"{at(path, line)}: the kind {row.get('kind')!r} is none of a dialogue's log.")
    return counts([row for _, row in numbered], str(path))


def counts(rows: list[Row], place: str = "log") -> Counts:
    """Count the lines of one dialogue."""
    head, kinds = rows[0], [row["kind"] for row in rows]
    try:
        name, setting = str(head["name"]), Setting(float(head["b"]), float(head["g"]))
        at_first = sum(row["kind"] == INTERRUPT and row["in_turn"] == 0 for row in rows)
    except (KeyError, TypeError, ValueError) as error:
        raise UserError(f"{place}: not the log of a dialogue ({error}).") from None
    return Counts(
        name,
        setting,
        kinds.count("turn"),
        sum(kinds.count(kind) for kind in _KINDS),
        kinds.count(INTERRUPT),
        kinds.count(BACKCHANNEL),
        at_first,
        kinds.count(SOUNDING),
    )


def _turn_row(turn: AgentTurn, cut: Span | None) -> Row:
    return {
        "time": turn.start,
        "kind": "turn",
        "turn": turn.index,
        "end": cut.start if cut else turn.end,
        "recorded_end": turn.end,
        "speech_seconds": turn.spoken_before(len(turn.speech) - 1),
        "short_pauses": len(turn.pauses),
        "interrupted": cut is not None,
    }


def _event_row(event: Event) -> Row:
    decision, placed = event.decision, event.placed
    return {
        "time": event.time,
        "kind": event.kind,
        "turn": event.turn,
        "opportunity": event.opportunity,
        "in_turn": event.in_turn,
        "words": event.pause.words,
        "seconds": event.pause.seconds,
        "asks": event.pause.asks,
        "first_turn": event.pause.first_turn,
        "interrupt": decision.interrupt if decision else {},
        "backchannel": decision.backchannel if decision else {},
        "heard": event.text,
        "placed": {"text": placed.text, "start": placed.span.start, "end": placed.span.end}
        if placed
        else None,
    }
