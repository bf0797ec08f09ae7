"""The commands people use alone: score TREC runs, rate transcripts, check a collection."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object for machines.")]


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    for command in (score, wer, validate, slice_):
        app.command(command.__name__.rstrip("_"))(command)


def score(
    qrels: Annotated[Path, typer.Argument(help="Qrels: TREC's four columns, three, JSONL or Parquet.")],
    runs: Annotated[
        list[Path], typer.Argument(metavar="RUN...", help="TREC runs, plain or gzipped, or folders of them.")
    ],
    measure: Annotated[
        list[str] | None,
        typer.Option(help="Repeatable: nDCG, MRR, Recall, MAP, P or Success with a cut-off, as nDCG@10."),
    ] = None,
    per_query: Annotated[bool, typer.Option("--per-query", help="Each query's scores too.")] = False,
    compare: Annotated[
        bool, typer.Option("--compare", help="Test every run against the first, corrected by Holm.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Score TREC runs: trec_eval's figures, over all judged queries, with 95 % intervals.

    Examples:

    squtr score qrels.txt bm25.trec dense.trec --compare

    squtr score qrels.tsv runs/ --measure nDCG@10 --measure Recall@100 --json
    """
    from squtr.commands.score import run_score, show_score

    show_score(run_score(qrels, runs, measure, compare), per_query, as_json)


def wer(
    reference: Annotated[Path, typer.Argument(help="JSONL, CSV, TSV, .trn, or lines of id and text.")],
    hypothesis: Annotated[Path, typer.Argument(help="The same forms; joined to the references by id.")],
    language: Annotated[str, typer.Option(help="Decides normaliser and unit: WER or CER.")],
    unit: Annotated[
        str | None, typer.Option(help="word, character or mixed; default: the language's own.")
    ] = None,
    per_utterance: Annotated[
        bool, typer.Option("--per-utterance", help="Each utterance's rate and errors too.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Rate transcripts made anywhere: WER or CER from pooled counts, raw and with numbers normalised.

    Example: squtr wer queries.jsonl heard.jsonl --language zh
    """
    from squtr.commands.wer import run_wer, show_wer

    show_wer(run_wer(reference, hypothesis, language, unit), per_utterance, as_json)


def validate(
    folder: Annotated[Path, typer.Argument(help="A collection folder: BEIR, MTEB or SQuTR layout.")],
    language: Annotated[str, typer.Option(help="Its language.")] = "en",
    strict: Annotated[
        bool, typer.Option("--strict", help="Judgements of unknown queries or documents are errors.")
    ] = False,
    as_json: Json = False,
) -> None:
    """Check any collection: what it holds, and every oddity with its place; exit 2 if it cannot be used.

    Example: squtr validate my-beir-folder
    """
    from squtr.commands.validate import run_validate, show_validate

    show_validate(run_validate(folder, language, strict), folder, as_json)


def slice_(
    folder: Annotated[Path, typer.Argument(help="A data set, built or imported, or a collection folder.")],
    out: Annotated[Path, typer.Option(help="New folder for the slice.")],
    queries: Annotated[int, typer.Option(min=1, help="Queries to keep of each subset.")] = 100,
    distractors: Annotated[
        int, typer.Option(min=0, help="Documents beside the judged ones, of each subset.")
    ] = 10_000,
    seed: Annotated[int, typer.Option(help="Decides both draws.")] = 2602,
    as_json: Json = False,
) -> None:
    """Cut a small data set or collection for cheap runs; its scores are marked as those of a slice.

    Example: squtr slice data --queries 50 --distractors 2000 --out data-small
    """
    from squtr.commands.slice import run_slice, show_slice

    show_slice(run_slice(folder, out, queries, distractors, seed), out, as_json)
