"""option-permutation: the options of a multiple-choice item in another order; the answer moves along."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from squtr.channels.changed import Changed
from squtr.channels.records import LETTERS, FieldEdit, Record, answers_of, options_of, without_fields
from squtr.digest import digest

_FIELDS = "a list of choices and an answer"


class OptionPermutation:
    """Draw another order for `choices` or `options`, never the one they have; a control.

    `answer`, `answer_index`, `answer_idx` and `target`, where they stand, keep to the right option: a place
    and a letter move, the option itself stays. A single option stays as it is.
    ["Rome", "Oslo", "Bern"] with answer 1 becomes ["Bern", "Rome", "Oslo"] with answer 2.
    """

    fingerprint = digest("option-permutation/1")
    languages = ()

    def change(self, text: str, language: str, rng: np.random.Generator) -> Changed:
        """Raise UserError: a text alone has no options."""
        raise without_fields("option-permutation", _FIELDS)

    def change_record(
        self, record: Mapping[str, Any], language: str, rng: np.random.Generator
    ) -> tuple[Record, tuple[FieldEdit, ...]]:
        """Permute the options. Raises UserError for a record without options, or without their answer."""
        name, options = options_of(record)
        places = answers_of(record, options)
        order = _order(options, rng)
        moved = [options[place] for place in order]
        edits = [
            FieldEdit("moved", name, before, after, at, at + 1)
            for at, (before, after) in enumerate(zip(options, moved, strict=True))
            if before != after
        ]
        found: Record = {**record, name: moved}
        for field, place in places.items():
            found[field] = _moved(record[field], order.index(place), options)
            if found[field] != record[field]:
                edits.append(FieldEdit("moved", field, record[field], found[field]))
        return found, tuple(edits)


def _order(options: Sequence[str], rng: np.random.Generator) -> list[int]:
    """Return the former place of each option; drawn evenly among the orders that look different."""
    order = list(range(len(options)))
    if len(set(options)) < 2:
        return order
    while [options[place] for place in order] == list(options):
        order = [int(place) for place in rng.permutation(len(options))]
    return order


def _moved(value: object, place: int, options: Sequence[str]) -> object:
    if isinstance(value, int):
        return place
    return value if value in options else LETTERS[place]
