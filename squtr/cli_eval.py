"""squtr eval: its options."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from squtr.cli_options import Engine, Json, RayAddress, Workers
from squtr.stopping import stoppable


def evaluate(
    dataset: Annotated[
        str, typer.Argument(help="Folder or .zip in SQuTR's layout, or hf://datasets/org/name@commit.")
    ],
    asr: Annotated[
        list[str] | None,
        typer.Option(
            help="Recogniser, repeatable: whisper-base (default), transcripts,path=..., module:name."
        ),
    ] = None,
    retriever: Annotated[
        list[str] | None,
        typer.Option(help="Retriever, repeatable: bm25, dense, hybrid, mteb,model=..., module:name."),
    ] = None,
    out: Annotated[
        Path | None, typer.Option(help="Folder for results; default: beside the data set.")
    ] = None,
    sensitivity: Annotated[
        bool, typer.Option("--sensitivity", help="Score under other grading policies too.")
    ] = False,
    end_to_end: Annotated[
        list[str] | None,
        typer.Option(help="Embedder of speech, repeatable: squtr-e2e, omni-embed, module:name."),
    ] = None,
    runs: Annotated[
        list[str] | None,
        typer.Option(
            help="TREC runs made elsewhere, repeatable: a folder, or name=pattern with {condition}."
        ),
    ] = None,
    channel: Annotated[
        list[str] | None,
        typer.Option(help="Channel that changes the written queries, repeatable: typos@0.04, disfluent@0.5."),
    ] = None,
    channel_seeds: Annotated[
        int, typer.Option(min=1, max=1000, help="Seeds of each channel; their spread gives the interval.")
    ] = 5,
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

    squtr eval hf://datasets/organisation/name@commit --retriever bm25

    squtr eval data --sensitivity

    squtr eval data --end-to-end squtr-e2e

    squtr eval data --channel typos@0.04 --channel 'spoken:clean+fillers'

    squtr eval data --asr transcripts,path=heard --runs 'mine=runs/{subset}.{condition}.trec'
    """
    with stoppable():
        from squtr.commands.eval import run_eval, show_eval

        found = run_eval(
            dataset,
            asr,
            retriever,
            out,
            workers,
            cache,
            engine,
            ray_address,
            sensitivity,
            end_to_end,
            batch,
            runs,
            channel,
            channel_seeds,
        )
        show_eval(*found, as_json)
