"""squtr leaderboard submit, validate and dataset."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path

from rich.console import Console
from rich.table import Table

from squtr.counted import counted
from squtr.leaderboard.board_data import keep_data
from squtr.leaderboard.schema import Submission
from squtr.leaderboard.submit import submit
from squtr.leaderboard.validate import validate
from squtr.leaderboard.verdict import CHECKS, Verdict

_SAID = {True: "ok", False: "REFUSED", None: "not reached"}


def run_submit(evaluation: Path, system: Path, name: str | None, out: Path) -> Submission:
    """Pack a submission. Raises UserError."""
    return submit(evaluation, system, out, name)


def show_submit(submission: Submission, out: Path, as_json: bool) -> None:
    """Print what was packed."""
    if as_json:
        facts = {"id": submission.id, "folder": str(out), "files": dict(submission.files)}
        print(json.dumps(facts, ensure_ascii=False))
        return
    runs, subsets = counted(len(submission.cells), "run"), counted(len(submission.scores), "subset")
    heard = " and their transcripts" if submission.has_transcripts else ""
    print(f"{out}: {submission.id}, {runs} of {subsets}{heard}. Check it: squtr leaderboard validate {out}")


def run_dataset(dataset: Path, out: Path) -> Path:
    """Keep what the board needs of a data set. Raises UserError."""
    return keep_data(dataset, out)


def show_dataset(folder: Path) -> None:
    """Print what was kept and how large it is."""
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    print(f"{folder}: judgements and ids, {size / 1e6:.2f} MB. Submissions are validated against it.")


def run_validate(path: Path, data: Path | None, board: Path | None) -> Verdict:
    """Check a submission. Raises UserError for a call that cannot be carried out."""
    return validate(path, data, board)


def show_verdict(verdict: Verdict, as_json: bool, summary: Path | None) -> int:
    """Print the verdict, and append it as Markdown to `summary`; return the exit code, 1 if refused."""
    if summary is not None:
        with summary.open("a", encoding="utf-8") as file:
            file.write("\n".join(_markdown(verdict)) + "\n")
    if as_json:
        print(json.dumps(verdict.plain(), ensure_ascii=False, allow_nan=False))
    else:
        _show(verdict)
    return 0 if verdict.accepted else 1


def _show(verdict: Verdict) -> None:
    console = Console(markup=False, highlight=False, soft_wrap=True)
    for check in verdict.checks.values():
        console.print(f"{_SAID[check.ok]}: {check.name} ({CHECKS[check.name]})")
        for fault in check.faults:
            console.print(f"  {fault}")
        if check.more:
            console.print(f"  and {check.more:,} more.")
    for note in verdict.notes:
        console.print(f"note: {note}")
    if verdict.scores:
        console.print(_table(verdict))
    console.print(f"{verdict.path}: {'accepted' if verdict.accepted else 'refused'}.")


def _table(verdict: Verdict) -> Table:
    rows = list(_rows(verdict))
    table = Table(title="recomputed", title_justify="left")
    for name in rows[0]:
        table.add_column(name, overflow="fold")
    for row in rows[1:]:
        table.add_row(*row)
    return table


def _rows(verdict: Verdict) -> Iterator[list[str]]:
    measures = [name for one in verdict.scores.values() for cell in one.values() for name in cell["measures"]]
    named = list(dict.fromkeys(measures))
    short = [name.partition(" (")[0] for name in named]
    yield ["subset", "condition", *short, "queries", "no response"]
    for key, conditions in verdict.scores.items():
        for condition, cell in conditions.items():
            figures = [f"{cell['measures'][name]:.4f}" for name in named]
            yield [key, condition, *figures, str(cell["queries"]), str(cell["no_response"])]


def _markdown(verdict: Verdict) -> Iterator[str]:
    yield f"### {_cell(verdict.name or verdict.path)}: {'accepted' if verdict.accepted else 'refused'}"
    yield ""
    yield from _markdown_table(
        [["check", "verdict"], *([c.name, _SAID[c.ok]] for c in verdict.checks.values())]
    )
    for check in verdict.checks.values():
        for fault in check.faults:
            yield f"- {check.name}: {_cell(str(fault))}"
        if check.more:
            yield f"- {check.name}: and {check.more} more"
    yield from (f"- note: {_cell(note)}" for note in verdict.notes)
    yield ""
    if verdict.scores:
        yield from _markdown_table(list(_rows(verdict)))


def _markdown_table(rows: list[list[str]]) -> Iterator[str]:
    head, *body = ("| " + " | ".join(map(_cell, row)) + " |" for row in rows)
    yield from (head, "|" + " --- |" * len(rows[0]), *body, "")


def _cell(text: str) -> str:
    """Return a text in which nothing is Markdown or HTML any more."""
    return re.sub(r"([\\`*_{}\[\]()#+!|~<>&@])", r"\\\1", " ".join(text.split()))
