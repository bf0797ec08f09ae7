"""The commands people use alone: score TREC runs, rate transcripts, check a collection."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

Json = Annotated[bool, typer.Option("--json", help="Print one JSON object for machines.")]


def add_to(app: typer.Typer) -> None:
    """Register the commands."""
    for command in (score, search, wer, validate, slice_, check, compare):
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


def search(
    folder: Annotated[Path, typer.Argument(help="A collection folder: BEIR, MTEB or SQuTR layout.")],
    language: Annotated[str, typer.Option(help="Its language: en, zh, ja, ...")],
    retriever: Annotated[
        list[str] | None, typer.Option(help="Retriever, repeatable, as squtr eval takes it.")
    ] = None,
    measure: Annotated[list[str] | None, typer.Option(help="Repeatable, such as nDCG@10.")] = None,
    channel: Annotated[
        list[str] | None,
        typer.Option(help="Channel that changes the queries, repeatable: typos@0.04, disfluent@0.5."),
    ] = None,
    channel_seeds: Annotated[
        int, typer.Option(min=1, max=1000, help="Seeds of each channel; their spread gives the interval.")
    ] = 5,
    out: Annotated[Path | None, typer.Option(help="New folder for the TREC runs.")] = None,
    cache: Annotated[Path | None, typer.Option(help="Store that several runs share.")] = None,
    as_json: Json = False,
) -> None:
    """Score retrievers on the written queries of any collection: what no spoken query can beat by much.

    Examples:

    squtr search my-beir-folder --language en --retriever bm25 --retriever dense

    squtr search my-beir-folder --language en --channel typos@0.04 --channel disfluent@0.5
    """
    from squtr.commands.search import run_search, show_search

    found = run_search(folder, language, retriever, measure, out, cache, channel, channel_seeds)
    show_search(*found, as_json)


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

    A reference without a word stays in: each word heard there is an insertion of the pooled rate, and their
    number is the utterance's own rate. Without a word in any reference there is no rate.

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


def check(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="[NAME...]", help="References, or YAML files of your own; all if none."),
    ] = None,
    data: Annotated[
        Path | None, typer.Option(help="Folder of collections that references name, such as fiqa.")
    ] = None,
    listed: Annotated[bool, typer.Option("--list", help="Say what there is; replay nothing.")] = False,
    as_json: Json = False,
) -> None:
    """Replay stored commands and hold their figures against the stored ones: OK, near or FAIL.

    What this machine lacks is named and skipped. Exit code 0: all OK or near; 1: a FAIL; 2: nothing could
    be replayed, or bad input.

    Examples:

    squtr check

    squtr check edge-cases pocket-text-en --json
    """
    from squtr.commands.check import list_references, run_check, show_check

    if listed:
        list_references(data, as_json)
        return
    raise typer.Exit(show_check(run_check(names, data), as_json))


def compare(
    evaluation: Annotated[Path, typer.Argument(help="What squtr eval wrote, or its results.json.")],
    with_: Annotated[
        str,
        typer.Option(
            "--with", help="Published tables: paper, public (written queries by subset), or a YAML file."
        ),
    ] = "paper",
    as_json: Json = False,
) -> None:
    """Set a result beside published ones, with every reason why the two may differ.

    Examples:

    squtr compare data-eval

    squtr compare data-eval --with public
    """
    from squtr.commands.compare import run_compare, show_compare

    show_compare(run_compare(evaluation, with_), as_json)
