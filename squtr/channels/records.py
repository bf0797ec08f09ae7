"""Operators that change a whole record, such as a multiple-choice item, and records behind a channel."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np

from squtr.channels.channel import Channel, operator_name
from squtr.channels.operator import Operator
from squtr.draw import draw
from squtr.errors import UserError

TEXT, SOURCE, EDITS = "text", "source_text", "edits"
OPTIONS = ("choices", "options")
ANSWERS = ("answer", "answer_index", "answer_idx", "target")
LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class FieldEdit:
    """One change of a field: value[start:end] became `after`, or, without places, the whole value did.

    Places count characters of a text and members of a list.
    """

    kind: str
    field: str
    before: Any
    after: Any
    start: int | None = None
    end: int | None = None


@runtime_checkable
class RecordOperator(Protocol):
    """What an operator has besides `change` when it needs more of a record than its text."""

    def change_record(
        self, record: Mapping[str, Any], language: str, rng: np.random.Generator
    ) -> tuple[Record, tuple[FieldEdit, ...]]:
        """Return a changed copy and its edits; `text` is what earlier operators made of the text.

        Raises UserError, without a place, for a record that lacks a field.
        """
        ...


def through(
    channel: Channel, record: Mapping[str, Any], column: str, language: str, seed: int, item: str
) -> Record:
    """Send a record through: `text` is the result, `source_text` what came in, `edits` what was done.

    The text comes from `column`; all other fields stay, but those that an operator on records moves.
    Raises ItemFailure as Channel.apply does, and UserError, without a place, for a record that lacks a field.
    """
    now = {**record, TEXT: _text(record, column), SOURCE: _text(record, column)}
    edits: list[dict[str, Any]] = []
    for place, (name, operator) in enumerate(channel.operators):
        rng = draw(seed, f"channel/{place}/{operator_name(name)}", item)
        now, done = _changed(operator, now, language, rng)
        edits += [{"operator": name, **edit} for edit in done]
    return {**now, EDITS: edits}


def without_fields(operator: str, fields: str) -> UserError:
    """Return the error for a text alone, where an operator needs fields."""
    return UserError(f"{operator} changes records with {fields}; a text alone has none.")


def options_of(record: Mapping[str, Any]) -> tuple[str, list[str]]:
    """Return the options' field and the options. Raises UserError when there is no list of texts."""
    name = next((name for name in OPTIONS if name in record), None)
    if name is None:
        raise UserError(f"no field {' or '.join(OPTIONS)} with the options to choose from.")
    found = record[name]
    if (
        not isinstance(found, Sequence)
        or isinstance(found, str)
        or not all(isinstance(x, str) for x in found)
    ):
        raise UserError(f"{name} is no list of texts.")
    if not 1 <= len(found) <= len(LETTERS):
        raise UserError(f"{name} has {len(found)} options; from 1 to {len(LETTERS)} can be handled.")
    return name, list(found)


def answers_of(record: Mapping[str, Any], options: Sequence[str]) -> dict[str, int]:
    """Return the place of the right option, from 0, by each field that gives it.

    A field gives it as a place from 0, a letter from A, or the option itself. Raises UserError when it gives
    none of them, when a letter is an option too, and when two fields disagree.
    """
    found = {name: _place(name, record[name], options) for name in ANSWERS if record.get(name) is not None}
    if not found:
        raise UserError(f"no field {' or '.join(ANSWERS)} with the right option.")
    if len(set(found.values())) > 1:
        raise UserError(f"{' and '.join(found)} name different options.")
    return found


def _place(name: str, value: object, options: Sequence[str]) -> int:
    letters = LETTERS[: len(options)]
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < len(options):
        return value
    is_letter = isinstance(value, str) and len(value) == 1 and value in letters
    if value in options:
        place = options.index(str(value))
        if is_letter and letters.index(str(value)) != place:
            raise UserError(
                f"{name} is {value!r}, a letter and an option too. Give the option's place, from 0."
            )
        return place
    if is_letter:
        return letters.index(str(value))
    raise UserError(f"{name} is {value!r}: no place from 0 to {len(options) - 1}, no letter and no option.")


def _text(record: Mapping[str, Any], column: str) -> str:
    text = record.get(column)
    if not isinstance(text, str):
        raise UserError(f"no text in the field {column!r}.")
    return text


def _changed(
    operator: Operator, record: Record, language: str, rng: np.random.Generator
) -> tuple[Record, list[dict[str, Any]]]:
    if isinstance(operator, RecordOperator):
        changed, done = operator.change_record(record, language, rng)
        return changed, [_plain(edit) for edit in done]
    source = record[TEXT]
    found = operator.change(source, language, rng)
    edits = [FieldEdit(e.kind, TEXT, source[e.start : e.end], e.after, e.start, e.end) for e in found.edits]
    return {**record, TEXT: found.text}, [_plain(edit) for edit in edits]


def _plain(edit: FieldEdit) -> dict[str, Any]:
    places = {} if edit.start is None else {"start": edit.start, "end": edit.end}
    field = {} if edit.field == TEXT else {"field": edit.field}
    return {"kind": edit.kind, **field, **places, "before": edit.before, "after": edit.after}
