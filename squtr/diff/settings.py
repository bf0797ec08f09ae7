"""Two build.json beside each other: recipe keys, inputs, stage fingerprints, versions, files."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from squtr.errors import UserError
from squtr.manifest import read_build

_MISSING = "(not there)"
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
        changes("files"),
        changes("counts"),
    )


def built(folder: Path) -> dict[str, Any]:
    """Return a data set's build.json. Raises UserError when there is none."""
    if not (folder / "build.json").is_file():
        raise UserError(f"{folder}: no build.json, so this is not a data set built by squtr.")
    return read_build(folder)


def compare_flat(a: Any, b: Any) -> list[Change]:
    """Return what differs between two nested values, by dotted key."""
    first, second = dict(_flat(a)), dict(_flat(b))
    keys = [*first, *(key for key in second if key not in first)]
    pairs = ((key, first.get(key, _MISSING), second.get(key, _MISSING)) for key in keys)
    return [Change(key, one, other) for key, one, other in pairs if one != other]


def _flat(value: Any, key: str = "") -> Iterable[tuple[str, Any]]:
    """Yield (dotted key, value); members of a list that have a name go by it, other lists are one value."""
    members: Iterable[tuple[str, Any]]
    if isinstance(value, dict):
        members = value.items()
    elif isinstance(value, list) and value and all(_name(one) for one in value):
        members = [(str(_name(one)), one) for one in value]
    else:
        yield key, value
        return
    for name, member in members:
        yield from _flat(member, f"{key}.{name}" if key else str(name))


def _name(value: Any) -> str | None:
    if not isinstance(value, dict):
        return None
    named = next((str(value[name]) for name in _NAMES if name in value), None)
    return f"{value['language']}/{named}" if named and "language" in value else named
