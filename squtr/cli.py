"""The command line: parse, call, print; no logic."""

from __future__ import annotations

import io
import sys
from pathlib import Path
from typing import Annotated

import typer

from squtr import __version__
from squtr.cli_channels import add_to as add_channels
from squtr.cli_dialogue import add_to as add_dialogue
from squtr.cli_eval import evaluate
from squtr.cli_leaderboard import leaderboard
from squtr.cli_noise import noise
from squtr.cli_options import Engine, Json, RayAddress, Workers
from squtr.cli_scoring import add_to
from squtr.errors import UserError, os_fault
from squtr.stopping import stoppable

app = typer.Typer(
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
    help="Build spoken-query retrieval data sets under controlled noise, and score systems on them.",
)
app.add_typer(noise, name="noise")
app.add_typer(leaderboard, name="leaderboard")


def main() -> None:
    """Run the command line; a fault of the user's set-up is one message and exit code 2."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # in JSON the escape of a lone surrogate
    try:
        app()
    except UserError as error:
        print(f"squtr: {error}", file=sys.stderr)
        sys.exit(2)
    except OSError as error:
        print(f"squtr: {os_fault(error)}.", file=sys.stderr)
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
        str | None, typer.Argument(help="A recipe file, or a built-in one: demo, pocket, squtr.")
    ] = None,
    collection: Annotated[
        Path | None, typer.Option(help="A collection folder, in place of a recipe.")
    ] = None,
    language: Annotated[str | None, typer.Option(help="Language of --collection: en, zh, ja, ...")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Take this many queries a collection.")] = None,
    voice: Annotated[str | None, typer.Option(help="Voice engine, such as kokoro or espeak.")] = None,
    workers: Workers = 0,
    engine: Engine = "local",
    ray_address: RayAddress = None,
    cache: Annotated[Path | None, typer.Option(help="Store that several builds share.")] = None,
    as_json: Json = False,
) -> None:
    """Build a data set from a recipe, or from any collection folder.

    Examples:

    squtr build demo --out data

    squtr build --collection my-beir-folder --language en --limit 50 --out data
    """
    with stoppable():
        from squtr.commands.build import run_build, show_build

        show_build(
            run_build(recipe, out, collection, language, limit, voice, workers, cache, engine, ray_address),
            out,
            as_json,
        )


@app.command()
def plan(
    recipe: Annotated[
        str | None, typer.Argument(help="A recipe file, or a built-in one: demo, pocket, squtr.")
    ] = None,
    collection: Annotated[
        Path | None, typer.Option(help="A collection folder, in place of a recipe.")
    ] = None,
    language: Annotated[
        str | None, typer.Option(help="Language of --collection, such as en, zh or ja.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Take this many queries a collection.")] = None,
    voice: Annotated[str | None, typer.Option(help="Voice engine, such as kokoro or espeak.")] = None,
    out: Annotated[Path, typer.Option(help="Where the data set would go; its disk is looked at.")] = Path(),
    as_json: Json = False,
) -> None:
    """Say what a build would take and what is missing on this machine; nothing is fetched, loaded or written.

    Exit code 0 whether or not something is missing ("ready" in --json); 2 for a faulty recipe.

    Example: squtr plan squtr
    """
    from squtr.commands.plan import run_plan, show_plan

    show_plan(run_plan(recipe, collection, language, limit, voice, out), as_json)


app.command(name="eval")(evaluate)


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


@app.command()
def mix(
    speech: Annotated[Path, typer.Argument(help="A recording of speech, in any format libsndfile reads.")],
    noise: Annotated[Path, typer.Argument(help="A recording of noise; any rate, width and channels.")],
    snr: Annotated[float, typer.Option(help="Signal-to-noise ratio in dB, from -60 to 60.")],
    out: Annotated[Path, typer.Option(help="The WAV file to write.")],
    room: Annotated[
        str | None, typer.Option(help="Put the speech into a room of this RT60 in seconds: 0.5 or 0.3-0.8.")
    ] = None,
    telephone: Annotated[
        str | None, typer.Option(help="Send the mixture through a telephone line: mu or a.")
    ] = None,
    bursts: Annotated[
        str | None, typer.Option(help="Noise in bursts over this share of the time: 0.4 or 0.2-0.5.")
    ] = None,
    second_noise: Annotated[Path | None, typer.Option(help="A second recording of noise.")] = None,
    second_db: Annotated[float, typer.Option(help="Its level relative to the first, in dB.")] = -6.0,
    seed: Annotated[int, typer.Option(help="Decides every draw.")] = 2602,
    sample_rate: Annotated[
        int | None, typer.Option(min=1000, max=384_000, help="Of OUT, in Hz; default: that of SPEECH.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Mix any two recordings at a stated SNR and print what was realised.

    Examples:

    squtr mix speech.wav cafe.flac --snr 10 --out noisy.wav

    squtr mix speech.wav cafe.flac --snr 5 --out noisy.wav --room 0.3-0.8 --telephone mu
    """
    from squtr.commands.mix import run_mix, show_mix

    facts = run_mix(
        speech, noise, snr, out, room, telephone, bursts, second_noise, second_db, seed, sample_rate
    )
    show_mix(facts, as_json)


@app.command()
def publish(
    dataset: Annotated[Path, typer.Argument(help="A data set folder, built or imported.")],
    to: Annotated[str, typer.Option(help="hf://organisation/name, a data set repository on the hub.")],
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Do everything but the upload.")] = False,
    private: Annotated[bool, typer.Option("--private", help="Make a new repository private.")] = False,
    staging: Annotated[
        Path | None, typer.Option(help="Folder to stage in; default: in the data set's .squtr.")
    ] = None,
    license_id: Annotated[
        str | None,
        typer.Option("--license", help="The card's licence, such as cc-by-sa-4.0; default: other."),
    ] = None,
    accept_licence: Annotated[
        bool,
        typer.Option(
            "--accept-licence", help="You have the right to pass on noise whose own terms do not give it."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Publish a data set as Parquet with its card and Croissant metadata; the token is read from HF_TOKEN.

    Example: squtr publish data --to hf://organisation/name --dry-run
    """
    from squtr.commands.publish import run_publish, show_publish

    published = run_publish(dataset, to, dry_run, private, staging, license_id, accept_licence=accept_licence)
    show_publish(published, as_json)


@app.command(name="export")
def export_dataset(
    layout: Annotated[str, typer.Argument(help="beir, mteb, squtr or webdataset.")],
    dataset: Annotated[Path, typer.Argument(help="A data set folder, built or imported.")],
    out: Annotated[Path, typer.Option(help="New folder for it.")],
    as_json: Json = False,
) -> None:
    """Write a data set in another layout.

    Example: squtr export mteb data --out data-mteb
    """
    from squtr.commands.export import run_export, show_export

    show_export(run_export(layout, dataset, out), out, as_json)


@app.command(name="import")
def import_dataset(
    layout: Annotated[str, typer.Argument(help="squtr.")],
    source: Annotated[Path, typer.Argument(help="A folder or .zip archive in SQuTR's published layout.")],
    out: Annotated[Path, typer.Option(help="New folder for its tables; the audio stays where it is.")],
    check_official: Annotated[
        bool,
        typer.Option(
            "--check-official", help="Compare the archive's SHA-256 too; exit 1 if anything differs."
        ),
    ] = False,
    as_json: Json = False,
) -> None:
    """Make published audio ready to be evaluated, straight from its archive.

    Examples:

    squtr import squtr source_data.zip --out squtr-data

    squtr eval squtr-data
    """
    from squtr.commands.export import run_import, show_import

    imported = run_import(layout, source, out, check_official)
    raise typer.Exit(show_import(imported, source, out, check_official, as_json))


@app.command()
def diff(
    a: Annotated[Path, typer.Argument(help="A data set folder built by squtr.")],
    b: Annotated[Path, typer.Argument(help="Another one.")],
    as_json: Json = False,
) -> None:
    """Say what differs between two builds, at which stage, and which change explains it; exit 1 if data does.

    Example: squtr diff data data-again
    """
    from squtr.commands.diff import run_diff, show_diff

    raise typer.Exit(show_diff(run_diff(a, b), a, b, as_json))


add_to(app)
add_channels(app)
add_dialogue(app)


if __name__ == "__main__":
    main()
