"""The commands for texts that are typed, spoken or rewritten before they are searched."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from squtr.cli_options import Json, Workers


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    for command in (audit, perturb, grade_code):
        app.command(command.__name__.replace("_", "-"))(command)


def audit(
    path: Annotated[
        Path, typer.Argument(metavar="IN", help="JSONL, CSV, TSV, plain lines, or a folder of BEIR's layout.")
    ],
    text_column: Annotated[str, typer.Option(help="The column with the text.")] = "text",
    source_column: Annotated[
        str | None, typer.Option(help="What the text was made of; default: source_text, where there is one.")
    ] = None,
    group: Annotated[
        str | None, typer.Option(help="Column of what is resampled, such as the conversation.")
    ] = None,
    setting: Annotated[
        str | None, typer.Option(help="Column of the asked setting; each is audited, and their trend.")
    ] = None,
    language: Annotated[str, typer.Option(help="en or zh.")] = "en",
    seed: Annotated[int, typer.Option(help="Decides the resamples.")] = 0,
    as_json: Json = False,
) -> None:
    """Count what texts from anywhere realised: fillers, repetitions, edits, and how settings compare.

    Examples:

    squtr audit turns.jsonl --group conversation --setting tendency

    squtr audit perturbed.csv --text-column query --source-column original --json
    """
    from squtr.commands.audit import run_audit, show_audit

    show_audit(run_audit(path, text_column, source_column, group, setting, language, seed), as_json)


def perturb(
    path: Annotated[
        Path, typer.Argument(metavar="IN", help="JSONL, CSV, TSV, plain lines, or a folder of BEIR's layout.")
    ],
    op: Annotated[
        list[str],
        typer.Option(
            metavar="SPEC", help="operator@rate,option=value; several act in order. See docs/channels.md."
        ),
    ],
    out: Annotated[Path, typer.Option(help="File to write, in the form its name says.")],
    text_column: Annotated[str, typer.Option(help="The column with the text.")] = "text",
    language: Annotated[str, typer.Option(help="Of the texts: en, zh, ...")] = "en",
    seed: Annotated[int, typer.Option(help="With each record's id it decides all chance.")] = 2602,
    form: Annotated[
        str,
        typer.Option("--format", help="rows; inspect and lm-eval for those harnesses (lm-eval: a folder)."),
    ] = "rows",
    as_json: Json = False,
) -> None:
    """Change texts as people type and speak them, and say what was realised.

    Examples:

    squtr perturb queries.jsonl --op typos@0.04 --out typed.jsonl

    squtr perturb my-collection --op spoken:clean+fillers --op typed:missed-space@0.1 --out heard.jsonl
    """
    from squtr.commands.perturb import run_perturb, show_perturb

    show_perturb(run_perturb(path, op, out, text_column, language, seed, form), out, as_json)


def grade_code(
    path: Annotated[
        Path,
        typer.Argument(metavar="ANSWERS", help="JSONL: an answer, and tests, or expected_output and stdin."),
    ],
    column: Annotated[str, typer.Option(help="The column with the answer, in Markdown.")] = "answer",
    setting: Annotated[
        str | None, typer.Option(help="Column of the setting, such as the typo rate; each is graded.")
    ] = None,
    run: Annotated[
        bool, typer.Option("--run", help="Run the answers' code on this machine: limited, but no sandbox.")
    ] = False,
    seconds: Annotated[float, typer.Option(min=0.1, max=3600, help="Time for one run.")] = 10.0,
    workers: Workers = 0,
    as_json: Json = False,
) -> None:
    """Score code answers by first, last, longest valid and any block, and say how far the choice moves it.

    Examples:

    squtr grade-code answers.jsonl --setting typo_rate

    squtr grade-code answers.jsonl --setting typo_rate --run --json
    """
    from squtr.commands.grade_code import run_grade_code, show_grade_code

    show_grade_code(run_grade_code(path, column, setting, run, seconds, workers), as_json)
