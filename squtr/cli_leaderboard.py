"""squtr leaderboard: parse, call, print; no logic."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from squtr.cli_options import Json, Workers
from squtr.stopping import stoppable

leaderboard = typer.Typer(no_args_is_help=True, help="Pack a system for the leaderboard, and check it.")


@leaderboard.command()
def match(
    data: Annotated[str, typer.Argument(help="A data set, as squtr eval takes it.")],
    board: Annotated[
        Path | None, typer.Option(help="Folder of the submissions. Default: those that squtr brings along.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Say whether a data set is one of the board's, before anything is evaluated on it.

    Exit code 0: it is, with the same texts, judgements and recordings; 1: it is not; 2: a bad call.

    Example: squtr leaderboard match data --board leaderboard/submissions
    """
    from squtr.commands.leaderboard import run_match, show_match

    raise typer.Exit(show_match(run_match(data, board), data, as_json))


@leaderboard.command()
def submit(
    evaluation: Annotated[Path, typer.Argument(help="What squtr eval wrote.")],
    system: Annotated[Path, typer.Option(help="system.yaml: who made the system, and of what.")],
    out: Annotated[Path, typer.Option(help="New folder for the submission.")],
    name: Annotated[
        str | None, typer.Option(help="The system's name in the evaluation, where it has several.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Pack one system of an evaluation: runs, transcripts, scores, digests. The same bytes each time.

    Example: squtr leaderboard submit data-eval --system system.yaml --name bm25 --out my-system
    """
    from squtr.commands.leaderboard import run_submit, show_submit

    show_submit(run_submit(evaluation, system, name, out), out, as_json)


@leaderboard.command()
def validate(
    submission: Annotated[Path, typer.Argument(help="A submission: its folder, .zip or .tar.gz.")],
    data: Annotated[
        Path | None,
        typer.Option(help="The data set's folder, or what a board keeps of it. Default: all the board has."),
    ] = None,
    board: Annotated[
        Path | None, typer.Option(help="Folder of accepted submissions to compare it with.")
    ] = None,
    summary: Annotated[
        Path | None, typer.Option(help="Append the verdict to this file as Markdown, for a job summary.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Recompute every score of a submission and look for whatever must not be in it.

    Exit code 0: accepted; 1: refused; 2: a bad call.

    Examples:

    squtr leaderboard validate my-system --data data

    squtr leaderboard validate my-system --board leaderboard/submissions --json
    """
    from squtr.commands.leaderboard import run_validate, show_verdict

    raise typer.Exit(show_verdict(run_validate(submission, data, board), as_json, summary))


@leaderboard.command()
def dataset(
    folder: Annotated[Path, typer.Argument(help="A data set, built or imported.")],
    out: Annotated[Path, typer.Option(help="Where the board keeps its data sets.")] = Path(
        "leaderboard/datasets"
    ),
) -> None:
    """Keep of a data set what validation needs: judgements, ids, conditions and digests; no text, no audio.

    Example: squtr leaderboard dataset data --out leaderboard/datasets
    """
    from squtr.commands.leaderboard import run_dataset, show_dataset

    show_dataset(run_dataset(folder, out))


@leaderboard.command()
def render(
    out: Annotated[Path, typer.Option(help="Folder of the site; a site that is there is replaced.")],
    board: Annotated[
        Path | None, typer.Option(help="Folder of the submissions. Default: those that squtr brings along.")
    ] = None,
    data: Annotated[
        Path | None,
        typer.Option(help="The data set's folder, or what a board keeps of it. Default: all beside --board."),
    ] = None,
    workers: Workers = 0,
    cache: Annotated[
        Path | None, typer.Option(help="Keep what was scored here; only new submissions are scored again.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Score every submission anew and write the board as pages that open without a server.

    A submission that does not validate is left out and named, with exit code 1.

    Example: squtr leaderboard render --board leaderboard/submissions --out site
    """
    with stoppable():
        from squtr.commands.leaderboard import run_render, show_render

        code = show_render(run_render(board, out, data, cache, workers), as_json)
    raise typer.Exit(code)


@leaderboard.command()
def publish(
    site: Annotated[Path, typer.Argument(help="What squtr leaderboard render wrote.")],
    to: Annotated[
        str, typer.Option(help="hf://spaces/org/name, gh-pages (of the repository you are in), or a folder.")
    ],
    dry_run: Annotated[
        bool, typer.Option("--dry-run", help="Say what would go where; send nothing.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Publish a rendered site in the place of the earlier one; the token is read from HF_TOKEN.

    Examples:

    squtr leaderboard publish site --to hf://spaces/my-organisation/leaderboard --dry-run

    squtr leaderboard publish site --to gh-pages
    """
    from squtr.commands.leaderboard import run_publish, show_publish

    show_publish(run_publish(site, to, dry_run), as_json)
