"""squtr leaderboard match, submit, validate, dataset, render and publish."""

from __future__ import annotations

import itertools
import json
import operator
import os
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from squtr.content import content
from squtr.counted import counted
from squtr.leaderboard.kept_data import keep_data
from squtr.leaderboard.match import Match, match
from squtr.leaderboard.publish_site import Published, publish_site
from squtr.leaderboard.render import Rendered, render
from squtr.leaderboard.schema import Submission
from squtr.leaderboard.submit import submit
from squtr.leaderboard.validate import offered_data, validate
from squtr.leaderboard.verdict import CHECKS, Verdict
from squtr.progress import reporter
from squtr.publish.ready import ready_dataset

_SHOWN = 40
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
    here = Path(submission.dataset.name)
    against = ["--data", str(here)] if here.is_dir() else ["--board", "leaderboard/submissions"]
    check = shlex.join(["squtr", "leaderboard", "validate", str(out), *against])
    print(f"{out}: id {submission.id}, {runs} of {subsets}{heard}. Check it: {check}")


def run_dataset(dataset: Path, out: Path) -> Path:
    """Keep what the board needs of a data set. Raises UserError."""
    return keep_data(dataset, out)


def show_dataset(folder: Path) -> None:
    """Print what was kept and how large it is."""
    size = sum(path.stat().st_size for path in folder.rglob("*") if path.is_file())
    held = "judgements, ids, noise categories and digests of texts"
    print(f"{folder}: {held}, {size / 1e6:.2f} MB. Submissions are validated against it.")


def run_match(data: str, board: Path | None) -> Match:
    """Compare what `ready_dataset` takes for a data set with those of a board. Raises UserError."""
    offered = offered_data(None, board)
    with reporter() as progress:
        return match(ready_dataset(data, progress), offered)


def show_match(found: Match, data: str, as_json: bool) -> int:
    """Print whether the data set is one of the board's; return the exit code, 1 if it is not."""
    if as_json:
        facts = {"dataset": found.dataset, "same": not found.differences, "differences": found.differences}
        print(json.dumps(facts, ensure_ascii=False))
    elif found.differences:
        for where, what in found.differences:
            print(f"{where}: {what}.")
        print(f"{data}: not {found.dataset} of the board. What is evaluated on it cannot stand there.")
    else:
        print(f"{data}: {found.dataset} of the board. What is evaluated on it can stand there.")
    return 1 if found.differences else 0


def run_publish(site: Path, to: str, dry_run: bool) -> Published:
    """Publish a rendered site. Raises UserError."""
    return publish_site(site, to, dry_run)


def show_publish(published: Published, as_json: bool) -> None:
    """Print the files, their bytes, where they belong, and whether they went there."""
    if as_json:
        files = [{"name": name, "bytes": count} for name, count in published.files]
        facts = {"to": published.where, "published": published.sent, "bytes": published.size, "files": files}
        print(json.dumps(facts, ensure_ascii=False))
        return
    if not published.sent:
        for name, count in published.files[:_SHOWN]:
            print(f"  {name} {count}")
        if len(published.files) > _SHOWN:
            print(f"  and {len(published.files) - _SHOWN} more")
    done = f"published to {published.where}" if published.sent else f"not sent to {published.where} (dry run)"
    print(
        f"{published.site}: {counted(len(published.files), 'file')}, {published.size / 1e6:.2f} MB, {done}."
    )


def run_render(
    board: Path | None, out: Path, data: Path | None, cache: Path | None, workers: int
) -> Rendered:
    """Write the site of a board, or of the one that squtr brings along. Raises UserError."""
    board = content("leaderboard", "submissions") if board is None else board
    with reporter() as progress:
        return render(board, out, data, cache, workers or os.cpu_count() or 1, progress)


def show_render(rendered: Rendered, as_json: bool) -> int:
    """Print what was written and what was left out; return the exit code, 1 if anything was."""
    board = rendered.board
    if as_json:
        told = {
            "out": str(rendered.out),
            "systems": [entry.id for entry in board.entries],
            "left_out": [verdict.plain() for verdict in board.left_out],
            "files": rendered.files,
            "bytes": rendered.bytes,
        }
        print(json.dumps(told, ensure_ascii=False, allow_nan=False))
        return 1 if board.left_out else 0
    for verdict in board.left_out:
        faults = [str(fault) for check in verdict.checks.values() for fault in check.faults]
        print(f"left out: {verdict.path}: {faults[0]}")
    systems, sets = counted(len(board.entries), "system"), counted(len(board.data), "data set")
    size = f"{counted(rendered.files, 'file')}, {rendered.bytes / 1e6:.1f} MB"
    print(f"{rendered.out}: {systems} on {sets}; {size}. Open {rendered.out / 'index.html'}")
    return 1 if board.left_out else 0


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
    for table in _tables(verdict):
        console.print(table)
    console.print(f"{verdict.path}: {'accepted' if verdict.accepted else 'refused'}.")


def _tables(verdict: Verdict) -> Iterator[Table]:
    head, *rows = _rows(verdict)
    for subset, members in itertools.groupby(rows, operator.itemgetter(0)):
        rated = verdict.recognition.get(subset, {})
        names = [*head[1:-1], next(iter(rated.values()))["name"]] if rated else head[1:]
        table = Table(title=f"recomputed: {subset}", title_justify="left")
        for place, name in enumerate(names):
            table.add_column(name, overflow="fold", justify="right" if place else "left")
        for row in members:
            table.add_row(*row[1:])
        yield table


def _rows(verdict: Verdict) -> Iterator[list[str]]:
    measures = [name for one in verdict.scores.values() for cell in one.values() for name in cell["measures"]]
    named = list(dict.fromkeys(measures))
    short = [name.partition(" (")[0] for name in named]
    rated = ["/".join(_rate_names(verdict))] if verdict.recognition else []
    yield ["subset", "condition", *short, "queries", "no response", *rated]
    for key, conditions in verdict.scores.items():
        for condition, cell in conditions.items():
            figures = [f"{cell['measures'][name]:.4f}" for name in named]
            counts = [str(cell["queries"]), str(cell["no_response"])]
            heard = [_error_rate(verdict.recognition.get(key, {}).get(condition))] if rated else []
            yield [key, condition, *figures, *counts, *heard]


def _rate_names(verdict: Verdict) -> list[str]:
    return sorted({cell["name"] for cells in verdict.recognition.values() for cell in cells.values()})


def _error_rate(found: dict[str, Any] | None) -> str:
    return "" if found is None or found["rate"] is None else f"{100 * found['rate']:.1f}%"


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
