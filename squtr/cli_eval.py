"""squtr eval: its options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from squtr.cli_options import Engine, Json, RayAddress, Workers
from squtr.stopping import stoppable


def evaluate(
    dataset: Annotated[Path, typer.Argument(help="A data set folder in SQuTR's layout.")],
    asr: Annotated[
        list[str] | None,
        typer.Option(help="Recogniser, repeatable: whisper-base (default), or package.module:Class."),
    ] = None,
    retriever: Annotated[
        list[str] | None,
        typer.Option(help="Retriever, repeatable: bm25, dense, hybrid, package.module:Class."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for results; default: beside the data set.")
    ] = None,
    sensitivity: Annotated[
        bool, typer.Option("--sensitivity", help="Score under other grading policies too.")
    ] = False,
    end_to_end: Annotated[
        list[str] | None,
        typer.Option(help="Embedder of speech, repeatable: squtr-e2e, omni-embed, package.module:Class."),
    ] = None,
    batch: Annotated[
        int, typer.Option(min=1, max=4096, help="Recordings a call of a recogniser that takes several.")
    ] = 1,
    workers: Workers = 0,
    engine: Engine = "local",
    ray_address: RayAddress = None,
    cache: Annotated[Path | None, typer.Option(help="Store that several runs share.")] = None,
    as_json: Json = False,
) -> None:
    """Score systems on a data set under text, clean and every SNR.

    Examples:

    squtr eval data

    squtr eval data --retriever bm25 --retriever my_package.search:MyRetriever

    squtr eval data --asr whisper-base --asr pocketsphinx

    squtr eval data --sensitivity

    squtr eval data --end-to-end squtr-e2e
    """
    with stoppable():
        from squtr.commands.eval import run_eval, show_eval

        found = run_eval(
            dataset, asr, retriever, out, workers, cache, engine, ray_address, sensitivity, end_to_end, batch
        )
        show_eval(*found, as_json)
