"""squtr diff."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from squtr.counted import counted
from squtr.diff import Comparison, compare
from squtr.diff.words import MISSING, pair


def run_diff(a: Path, b: Path) -> Comparison:
    """Compare two builds."""
    return compare(a, b)


def show_diff(found: Comparison, a: Path, b: Path, as_json: bool) -> int:
    """Print what differs; return the exit code, 1 if anything of the data does."""
    if as_json:
        print(json.dumps(found.plain(), ensure_ascii=False, allow_nan=False))
        return 0 if found.same else 1
    lines = [
        *_setting_lines(found),
        *_stage_lines(found, a, b),
        *_field_lines(found),
        *_file_lines(found, a, b),
    ]
    for line in (f"{a} -> {b}", *lines) if lines else ():
        print(line)
    verdict = "the same data" if found.same else "not the same"
    print(
        f"{a} and {b}: {verdict}; {counted(found.queries, 'query')} in all. Both have"
        f" {counted(found.both_recordings, 'recording')}: {found.same_samples:,} with the same samples,"
        f" {found.same_recordings:,} with the same manifest row."
    )
    return 0 if found.same else 1


def _setting_lines(found: Comparison) -> Iterator[str]:
    settings = found.settings
    for title, changes in (
        ("recipe", settings.recipe),
        ("input", settings.inputs),
        ("engine", settings.fingerprints),
        ("version", settings.versions),
    ):
        for change in changes:
            yield f"{title} {change.key}: {pair(change.a, change.b)}"


def _stage_lines(found: Comparison, a: Path, b: Path) -> Iterator[str]:
    for stage, count in found.stages.items():
        verb = "differs" if count == 1 else "differ"
        yield f"{counted(count, 'query')} first {verb} at {stage}: {found.causes[stage]}"
    for only, folder, other in ((found.only_a, a, b), (found.only_b, b, a)):
        if only.count:
            said = ", ".join(f"{count:,} {what}" for what, count in only.other.items())
            queries, example = counted(only.count, "query"), only.examples[0]
            yield f"{queries} only in {folder}; in {other}: {said}; such as {example}"


def _field_lines(found: Comparison) -> Iterator[str]:
    for name, changed in sorted(found.fields.items(), key=lambda item: -item[1].count):
        place, one, other = changed.examples[0]
        rows = f"{counted(changed.count, 'row')}, such as {place}: {pair(one, other)}"
        yield f"{name} ({changed.stage}): {rows}"


def _file_lines(found: Comparison, a: Path, b: Path) -> Iterator[str]:
    for change in found.settings.files:
        if MISSING in (change.a, change.b):
            yield f"file {change.key} is only in {a if change.b == MISSING else b}"
        else:
            yield f"file {change.key} is not the same"
