"""Two build.json beside each other: recipe keys, inputs, stage fingerprints, versions, files."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from squtr.data_build.card import CARD
from squtr.diff.words import MISSING
from squtr.errors import UserError
from squtr.manifest import read_build

_NAMES = ("name", "judge")
_PLACE = re.compile(r"collections\..*\.path")


@dataclass(frozen=True, slots=True)
class Change:
    """One setting that is not the same in both builds."""

    key: str
    a: Any
    b: Any


@dataclass(frozen=True)
class SettingChanges:
    """What two builds say of themselves and do not agree on."""

    recipe: list[Change]
    inputs: list[Change]
    fingerprints: list[Change]
    versions: list[Change]
    files: list[Change]
    counts: list[Change]


def setting_changes(a: Path, b: Path) -> SettingChanges:
    """Compare two data sets' build.json; where a collection lay is no difference, what was in it is.

    The card repeats what the rest says, so it is no difference either.

    Raises UserError when one is missing or no JSON.
    """
    first, second = built(a), built(b)

    def changes(section: str) -> list[Change]:
        return compare_flat(first.get(section), second.get(section))

    return SettingChanges(
        [one for one in changes("recipe") if not _PLACE.fullmatch(one.key)],
        changes("inputs"),
        changes("stages"),
        changes("environment"),
        [one for one in changes("files") if one.key != CARD],
        changes("counts"),
    )


def built(folder: Path) -> dict[str, Any]:
    """Return a data set's build.json. Raises UserError when there is none."""
    if not (folder / "build.json").is_file():
        raise UserError(f"{folder}: no build.json, so this is not a data set built by squtr.")
    return read_build(folder)


def compare_flat(a: Any, b: Any) -> list[Change]:
    """Return what differs between two nested values, by dotted key; what one lacks is one change."""
    return list(_compared(a or {}, b or {}, ""))


def _compared(a: Any, b: Any, key: str) -> Iterator[Change]:
    first, second = _members(a), _members(b)
    if a == b:
        return
    if first is None or second is None:
        yield Change(key, a, b)
        return
    for name in dict.fromkeys([*first, *second]):
        inner = f"{key}.{name}" if key else str(name)
        yield from _compared(first.get(name, MISSING), second.get(name, MISSING), inner)


def _members(value: Any) -> dict[str, Any] | None:
    """Return what a value holds by name: a list's members go by theirs, other lists are one value."""
    if isinstance(value, dict):
        return value
    if isinstance(value, list) and all(_name(one) for one in value):
        return {str(_name(one)): one for one in value}
    return None


def _name(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    named = next((str(value[name]) for name in _NAMES if name in value), None)
    return f"{value['language']}/{named}" if named and "language" in value else named
