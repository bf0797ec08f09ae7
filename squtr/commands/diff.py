"""squtr diff."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from squtr.diff import Comparison, compare
from squtr.diff.compare import OnlyIn
from squtr.diff.settings import Change

_SHOWN = 60


def run_diff(a: Path, b: Path) -> Comparison:
    """Compare two builds."""
    return compare(a, b)


def show_diff(found: Comparison, a: Path, b: Path, as_json: bool) -> int:
    """Print what differs; return the exit code, 1 if anything of the data does."""
    if as_json:
        print(json.dumps(found.plain(), ensure_ascii=False, allow_nan=False))
        return 0 if found.same else 1
    settings = found.settings
    for title, changes in (
        ("recipe", settings.recipe),
        ("input", settings.inputs),
        ("engine", settings.fingerprints),
        ("version", settings.versions),
    ):
        for change in changes:
            print(f"{title} {_shown(change)}")
    for stage, count in found.stages.items():
        print(f"{count} queries differ first at {stage}: {found.causes[stage]}")
    _show_only(found.only_a, a)
    _show_only(found.only_b, b)
    for name, changed in sorted(found.fields.items(), key=lambda pair: -pair[1].count):
        place, one, other = changed.examples[0]
        print(
            f"{name} ({changed.stage}): {changed.count} rows, such as {place}:"
            f" {_short(one)} -> {_short(other)}"
        )
    for change in settings.files:
        print(f"file {change.key} is not the same")
    verdict = "the same data" if found.same else "not the same"
    print(
        f"{a} and {b}: {verdict}; {found.queries} queries,"
        f" {found.same_recordings} of {found.recordings} recordings in both are the same."
    )
    return 0 if found.same else 1


def _show_only(only: OnlyIn, folder: Path) -> None:
    if only.count:
        others = ", ".join(f"{what} {count}" for what, count in only.other.items())
        print(f"{only.count} queries only in {folder} ({others} in the other), such as {only.examples[0]}")


def _shown(change: Change) -> str:
    return f"{change.key}: {_short(change.a)} -> {_short(change.b)}"


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 1]}…"
