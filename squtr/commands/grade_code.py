"""squtr grade-code."""

from __future__ import annotations

import dataclasses
import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from squtr.channels.code_answers import POLICIES, Answer, Case, Graded, grade
from squtr.channels.estimate import Estimate
from squtr.channels.run_code import Runs
from squtr.channels.table import Row, field, read_rows
from squtr.counted import counted
from squtr.errors import UserError


@dataclass(frozen=True, slots=True)
class GradedCode:
    """What each setting got; `timeouts` is None where nothing was run."""

    settings: tuple[Graded, ...]
    timeouts: int | None


def run_grade_code(
    path: Path, column: str, setting: str | None, run: bool, seconds: float, workers: int
) -> GradedCode:
    """Read answers and grade them; code is run only with `run`. Raises UserError with file and line."""
    answers = [_answer(row, setting, run) for row in read_rows(path, column)]
    if not run:
        return GradedCode(tuple(grade(answers)), None)
    runs = Runs(answers, seconds, workers or os.cpu_count() or 1)
    return GradedCode(tuple(grade(answers, runs.is_right)), runs.timeouts)


def show_grade_code(found: GradedCode, as_json: bool) -> None:
    """Print the share right, or merely valid, by policy, and by how much the policy moves it."""
    if as_json:
        print(json.dumps(dataclasses.asdict(found), ensure_ascii=False, allow_nan=False))
        return
    ran = found.timeouts is not None
    title = (
        "Right, by what is taken from an answer" if ran else "Valid Python, by what is taken from an answer"
    )
    table = Table(title=title, title_justify="left", box=SIMPLE, padding=(0, 1))
    table.add_column("setting")
    for name in POLICIES:
        table.add_column(name, justify="right")
    for one in found.settings:
        shares = _shares(one)
        table.add_row(one.setting or "all", *(_told(shares[name]) for name in POLICIES))
    Console().print(table)
    for one in found.settings:
        blocks = f"{one.without_block:,} without code, {one.several_blocks:,} with several blocks"
        print(f"{one.setting or 'all'}: {counted(one.answers, 'answer')}, {blocks}; {_apart(_shares(one))}.")
    if not ran:
        print(
            "Nothing was run. --run runs the code of the answers on this machine, limited but in no sandbox."
        )
    elif found.timeouts:
        print(f"Stopped at the time limit, and wrong by that: {counted(found.timeouts, 'run')}.")


def _shares(one: Graded) -> Mapping[str, Estimate]:
    return one.right or one.valid


def _apart(shares: Mapping[str, Estimate]) -> str:
    values = {name: share.value or 0.0 for name, share in shares.items()}
    low, high = min(values, key=values.__getitem__), max(values, key=values.__getitem__)
    if values[low] == values[high]:
        return "the same by every policy"
    return f"{low} to {high}, {100 * (values[high] - values[low]):.1f} points apart"


def _told(one: Estimate) -> str:
    if one.value is None or one.low is None or one.high is None:
        return "-"
    return f"{one.value:.1%} [{100 * one.low:.0f}, {100 * one.high:.0f}]"


def _answer(row: Row, setting: str | None, run: bool) -> Answer:
    case = Case(_text(row, "tests") or "", _text(row, "expected_output"), _text(row, "stdin") or "")
    if run and not case.tests and case.expected_output is None:
        raise UserError(f"{row.place}: neither tests nor expected_output to hold the answer against.")
    return Answer(row.text, case, _plain(field(row, setting)) if setting else "")


def _text(row: Row, name: str) -> str | None:
    found = row.fields.get(name)
    if found is not None and not isinstance(found, str):
        raise UserError(f"{row.place}: {name} is {json.dumps(found, ensure_ascii=False)}, not a text.")
    return found


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
