"""squtr noise: parse, call, print; no logic."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

noise = typer.Typer(no_args_is_help=True, help="List, fetch and check the noise that is mixed in.")

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object for machines.")]
Environments = Annotated[
    list[str] | None,
    typer.Option("--environments", help="Only these, such as SCAFE,PRESTO; repeatable. Default: all."),
]


@noise.command(name="list")
def list_noise(
    spec: Annotated[
        str, typer.Argument(help="A noise source as mix.noise names it: its recordings are listed.")
    ] = "",
    as_json: Json = False,
) -> None:
    """Show the noise sources: categories, recordings, licence, and where they are on this machine.

    Examples:

    squtr noise list

    squtr noise list squtr17,demand=my-demand
    """
    from squtr.commands.noise import show_noise

    show_noise(spec, as_json)


@noise.command()
def fetch(
    source: Annotated[str, typer.Argument(help="A source with a download, such as demand, or a YAML file.")],
    to: Annotated[Path, typer.Option(help="Folder for the archives; they are read as they are.")],
    environments: Environments = None,
    rate: Annotated[
        str, typer.Option(help="48k or 16k; what exists at one rate only comes at that.")
    ] = "48k",
    base_url: Annotated[
        str,
        typer.Option(
            envvar="SQUTR_NOISE_URL",
            help="A mirror: the address before /FILE, or one with {file}.",
        ),
    ] = "",
    attempts: Annotated[int, typer.Option(min=1, help="Attempts without a new byte before giving up.")] = 6,
    pause: Annotated[float, typer.Option(min=0, help="Seconds before the second attempt; doubled.")] = 1.0,
    as_json: Json = False,
) -> None:
    """Download the archives of a source: resumed, checked, and taken down in noise-lock.json.

    Example: squtr noise fetch demand --to my-demand --environments SCAFE,PRESTO
    """
    from squtr.commands.noise import run_fetch, show_fetched
    from squtr.noise_sources.download import Patience

    patience = Patience(attempts, pause)
    fetched = run_fetch(source, to, environments or [], rate, base_url, patience)
    show_fetched(source, to, rate, fetched, as_json)


@noise.command()
def check(
    folder: Annotated[Path, typer.Argument(help="Your copy: a folder, or one archive.")],
    source: Annotated[
        str, typer.Option(help="demand, noisex92, or a YAML file. Default: the one that fits best.")
    ] = "",
    environments: Environments = None,
    as_json: Json = False,
) -> None:
    """Read a copy whole and name what is wrong with it; exit 1 if anything is.

    Example: squtr noise check my-demand
    """
    from squtr.commands.noise import run_check, show_check

    raise typer.Exit(show_check(run_check(folder, source, environments or []), as_json))
