"""The command line: parse, call, print; no logic."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from squtr import __version__
from squtr.errors import UserError

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="Build spoken-query retrieval data sets under controlled noise, and score systems on them.",
)

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object for machines.")]
Workers = Annotated[
    int, typer.Option(min=0, help="Local processes, 0 for one a core; the bytes are the same for any number.")
]


def main() -> None:
    """Run the command line; a fault of the user's set-up is one message and exit code 2."""
    try:
        app()
    except UserError as error:
        print(f"squtr: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        print(f"squtr: {error}. What was finished is kept: mend it and run the same again.", file=sys.stderr)
        sys.exit(2)


@app.callback(invoke_without_command=True)
def _root(version: Annotated[bool, typer.Option("--version", help="Print the version.")] = False) -> None:
    if version:
        print(f"squtr {__version__}")
        raise typer.Exit


@app.command()
def build(
    out: Annotated[Path, typer.Option(help="Folder for the data set.")],
    recipe: Annotated[
        str | None, typer.Argument(help="A recipe file, or a built-in one: demo, pocket.")
    ] = None,
    collection: Annotated[
        Path | None, typer.Option(help="A collection folder, in place of a recipe.")
    ] = None,
    language: Annotated[str | None, typer.Option(help="Language of --collection: en or zh.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Take this many queries a collection.")] = None,
    voice: Annotated[str | None, typer.Option(help="Voice engine, such as kokoro or espeak.")] = None,
    workers: Workers = 0,
    cache: Annotated[Path | None, typer.Option(help="Store that several builds share.")] = None,
    as_json: Json = False,
) -> None:
    """Build a data set from a recipe, or from any collection folder.

    Examples:

    squtr build demo --out data

    squtr build --collection my-beir-folder --language en --limit 50 --out data
    """
    from squtr.commands.build import run_build, show_build

    show_build(run_build(recipe, out, collection, language, limit, voice, workers, cache), out, as_json)


@app.command(name="eval")
def evaluate(
    dataset: Annotated[Path, typer.Argument(help="A data set folder in SQuTR's layout.")],
    asr: Annotated[
        str | None, typer.Option(help="Recogniser: whisper-base, or package.module:Class.")
    ] = None,
    retriever: Annotated[
        list[str] | None,
        typer.Option(help="Retriever, repeatable: bm25, dense, hybrid, package.module:Class."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for results; default: beside the data set.")
    ] = None,
    workers: Workers = 0,
    cache: Annotated[Path | None, typer.Option(help="Store that several runs share.")] = None,
    as_json: Json = False,
) -> None:
    """Score systems on a data set under text, clean and every SNR.

    Examples:

    squtr eval data

    squtr eval data --retriever bm25 --retriever my_package.search:MyRetriever
    """
    from squtr.commands.eval import run_eval, show_eval

    show_eval(*run_eval(dataset, asr, retriever, out, workers, cache), as_json)


@app.command()
def verify(
    dataset: Annotated[Path, typer.Argument(help="A data set folder built by squtr.")],
    as_json: Json = False,
) -> None:
    """Recompute digests, realised SNRs, counts and layout of a data set; exit 1 if anything is off.

    Example: squtr verify data
    """
    from squtr.commands.verify import run_verify, show_verify

    raise typer.Exit(show_verify(run_verify(dataset), dataset, as_json))


if __name__ == "__main__":
    main()
