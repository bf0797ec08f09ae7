"""Replay: a stored command run again, its figures held against the stored ones."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from squtr.content import content
from squtr.errors import UserError
from squtr.eval.references import PLACES, Reference, leaves, needs_of_reference, read_reference

OK, NEAR, FAIL, SKIPPED = "OK", "near", "FAIL", "skipped"


@dataclass(frozen=True, slots=True)
class Figure:
    """One expected figure; `found` is None where the command's output does not hold it."""

    name: str
    expected: float
    found: float | None
    verdict: str


@dataclass(frozen=True)
class Replayed:
    """What became of one reference. `reason` says why it was skipped or why its command failed."""

    name: str
    what: str
    verdict: str
    seconds: float = 0.0
    reason: str | None = None
    figures: list[Figure] = field(default_factory=list)


def replay(spec: str, data: Path | None, work: Path, cache: Path) -> Replayed:
    """Replay one reference in the empty folder `work`; what the machine lacks makes it `skipped`.

    Raises UserError for a reference that cannot be read, or a command that is none of squtr's.
    """
    reference, here = read_reference(spec)
    name = Path(spec).stem
    lacking = [need for need in needs_of_reference(reference, here, data) if not need.present]
    if lacking:
        reason = "; ".join(f"no {need.kind} {need.name} ({need.how})" for need in lacking)
        return Replayed(name, reference.what, SKIPPED, reason=reason)
    places = dict(zip(PLACES, (here, content(), data, work, cache), strict=True))
    commands = [_arguments(command, places, spec) for command in reference.commands]
    started = time.perf_counter()
    output = ""
    for arguments in commands:
        output, failure = _run(arguments)
        if failure is not None:
            return Replayed(name, reference.what, FAIL, time.perf_counter() - started, failure)
    return _judged(name, reference, output, time.perf_counter() - started)


def worst(verdicts: list[str]) -> str:
    """Return the gravest verdict; what was skipped counts for nothing beside any other."""
    return next((one for one in (FAIL, NEAR, OK) if one in verdicts), SKIPPED)


def verdict_of(expected: float, found: float | None, tolerance: float, near: float) -> str:
    """Return OK, near or FAIL; a difference of exactly the bound is within it."""
    if found is None:
        return FAIL
    difference = round(abs(found - expected), 12)
    return OK if difference <= tolerance else NEAR if difference <= near else FAIL


def _judged(name: str, reference: Reference, output: str, seconds: float) -> Replayed:
    try:
        plain = json.loads(output)
    except ValueError:
        return Replayed(name, reference.what, FAIL, seconds, "the last command printed no JSON")
    figures = [
        Figure(
            " / ".join(place), wanted, found, verdict_of(wanted, found, reference.tolerance, reference.near)
        )
        for place, wanted in leaves(reference.expected)
        for found in [_at(plain, place)]
    ]
    return Replayed(name, reference.what, worst([one.verdict for one in figures]), seconds, None, figures)


def _arguments(command: str, places: Mapping[str, Path | None], spec: str) -> list[str]:
    try:
        first, *rest = shlex.split(command)
    except ValueError as error:
        raise UserError(f"{spec}: {command!r} cannot be read ({error}).") from None
    if first != "squtr" or not rest or rest[0] == "check":
        raise UserError(f"{spec}: {command!r} is no command of squtr that can be replayed.")
    named = {"{" + name + "}": str(path) for name, path in places.items()}
    return [_filled(word, named) for word in rest]


def _filled(word: str, named: Mapping[str, str]) -> str:
    for name, path in named.items():
        word = word.replace(name, path)
    return word


def _run(arguments: list[str]) -> tuple[str, str | None]:
    """Run a command of squtr in a process of its own; return its output, and why it failed."""
    path = os.pathsep.join(
        filter(None, [str(Path(__file__).resolve().parents[2]), os.environ.get("PYTHONPATH")])
    )
    done = subprocess.run(  # noqa: S603
        [sys.executable, "-m", "squtr.cli", *arguments],
        capture_output=True,
        encoding="utf-8",
        errors="replace",
        stdin=subprocess.DEVNULL,
        env={**os.environ, "PYTHONPATH": path, "PYTHONIOENCODING": "utf-8"},
    )
    if done.returncode == 0:
        return done.stdout, None
    told = [line.strip(" │") for line in done.stderr.splitlines()]
    said = next((line for line in reversed(told) if line.strip("╭╰─╯╮ ")), "no message")
    return "", f"squtr {arguments[0]} ended with {done.returncode}: {said}"


def _at(plain: Any, place: tuple[str, ...]) -> float | None:
    for key in place:
        if isinstance(plain, list) and key.isdigit() and int(key) < len(plain):
            plain = plain[int(key)]
        elif isinstance(plain, dict) and key in plain:
            plain = plain[key]
        else:
            return None
    return float(plain) if type(plain) in (int, float) else None
