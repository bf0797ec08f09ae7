"""context-swap: the question comes before its context instead of after it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from squtr.channels.changed import Changed, Edit, changed
from squtr.channels.records import SOURCE, TEXT, FieldEdit, Record, without_fields
from squtr.digest import digest
from squtr.errors import UserError

_GAP = "\n\n"
_FIELDS = "the fields context and question"


class ContextSwap:
    """Exchange the places of a record's context and question in its text, word for word; a control.

    A text that holds the question alone is taken with the context, a blank line between them, before it.
    "Ann has 3 pears. How many are left?" becomes "How many are left? Ann has 3 pears.", with
    "Ann has 3 pears." in `context` and "How many are left?" in `question`.
    """

    fingerprint = digest("context-swap/1")
    languages = ()

    def change(self, text: str, language: str, rng: np.random.Generator) -> Changed:
        """Raise UserError: a text alone does not say what is its context."""
        raise without_fields("context-swap", _FIELDS)

    def change_record(
        self, record: Mapping[str, Any], language: str, rng: np.random.Generator
    ) -> tuple[Record, tuple[FieldEdit, ...]]:
        """Exchange them; there is no chance in it. Places count in the text with its context."""
        context, question = (_field(record, name) for name in ("context", "question"))
        text, source = str(record[TEXT]), str(record.get(SOURCE, record[TEXT]))
        if context in source:
            if context not in text or question not in text:
                raise UserError("context-swap no longer finds the context and the question: put it first.")
        else:
            question = text
            text, source = f"{context}{_GAP}{text}", f"{context}{_GAP}{source}"
        found = changed(text, _edits(text, context, question))
        edits = (FieldEdit(e.kind, TEXT, text[e.start : e.end], e.after, e.start, e.end) for e in found.edits)
        return {**record, TEXT: found.text, SOURCE: source}, tuple(edits)


def _field(record: Mapping[str, Any], name: str) -> str:
    value = record.get(name)
    if not isinstance(value, str) or not value.strip():
        raise UserError(f"no text in the field {name!r}; context-swap needs {_FIELDS}.")
    return value


def _edits(text: str, context: str, question: str) -> list[Edit]:
    at = text.index(context)
    after = text.find(question, at + len(context))
    asked = after if after >= 0 else text.rfind(question, 0, at)
    if asked < 0:
        raise UserError("context-swap: the context and the question overlap in the text.")
    return [
        Edit("swap", at, at + len(context), question),
        Edit("swap", asked, asked + len(question), context),
    ]
