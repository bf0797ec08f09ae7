"""The settings of the channel `typos`, as channels/typos.yaml gives them."""

from __future__ import annotations

import functools
from typing import Annotated

from pydantic import Field

from squtr.content import content
from squtr.errors import UserError
from squtr.recipe_file import line_of, plain_yaml
from squtr.section import Section, check_section

Share = Annotated[float, Field(ge=0, le=1)]
Weight = Annotated[float, Field(gt=0)]
Part = Annotated[float, Field(ge=0)]


class Kinds(Section):
    """How often each kind is drawn, in parts of their sum."""

    deletion: Part
    insertion: Part
    replacement: Part
    transposition: Part


class TypoSettings(Section):
    """The file tells of each field."""

    kinds: Kinds
    same_row: Share
    doubled: Share
    same_keys: Share
    first: Weight
    start: Weight
    end: Weight

    def weight(self, place: int, length: int) -> float:
        """Return how prone the character at `place` of a word is."""
        if place == 0:
            return self.first
        return self.start + (self.end - self.start) * (place - 1) / max(length - 2, 1)

    def kinds_from(self, roll: float) -> list[str]:
        """Return the kind that `roll`, from 0 to below 1, falls on, and then the others."""
        parts = list(self.kinds.model_dump().items())
        left = roll * sum(part for _, part in parts)
        for number, (_, part) in enumerate(parts):
            left -= part
            if left < 0:
                return [kind for kind, _ in parts[number:] + parts[:number]]
        return [kind for kind, _ in parts]


@functools.cache
def typo_settings() -> TypoSettings:
    """Read the file. Raises UserError with file and line for a fault of it."""
    path = content("channels", "typos.yaml")
    plain, tree = plain_yaml(path)
    if tree is None or not isinstance(plain, dict):
        raise UserError(f"{path}: settings, key: value, must stand here.")
    return check_section(TypoSettings, plain, str(path), functools.partial(line_of, tree))
