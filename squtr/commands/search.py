"""squtr search."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from rich.console import Console

from squtr.collection import read_collection
from squtr.commands.channel_table import channel_lines, channel_table
from squtr.commands.score import Scored, plain_scores, show_score
from squtr.data_build.folder import refuse_file_as_cache
from squtr.eval.channel_files import write_channel_runs, write_channel_texts
from squtr.eval.channel_study import channel_results, study_subset
from squtr.eval.channels import SEEDS, ChannelRuns, load_channels, seeds_from, send
from squtr.eval.evaluate import DEFAULT_RETRIEVERS, DEPTH, TEXT, Settings, search_conditions
from squtr.eval.measures import parse_measure
from squtr.eval.runs import Run, file_name, write_run
from squtr.eval.scores import DEFAULT_MEASURES, score_runs
from squtr.eval.systems import StoredCorpus, load_systems
from squtr.progress import reporter
from squtr.publish.fresh import fresh_folder
from squtr.store import open_store

Channels = dict[str, Any] | None
Asked = dict[str, dict[str, str | None]]


def run_search(
    folder: Path,
    language: str,
    retrievers: list[str] | None,
    measures: list[str] | None,
    out: Path | None,
    cache: Path | None,
    channels: list[str] | None = None,
    channel_seeds: int = SEEDS,
) -> tuple[Scored, Channels]:
    """Search a collection's written queries, and what channels make of them, and score the runs.

    `out` appears when all is done. Raises UserError before any work, also for an `out` that holds anything.
    """
    chosen = tuple(dict.fromkeys(map(parse_measure, measures))) if measures else DEFAULT_MEASURES
    loaded, seed = load_channels(channels or (), [language]), Settings().seed
    seeds = seeds_from(seed, channel_seeds)
    refuse_file_as_cache(cache)
    with ExitStack() as stack:
        place = None if out is None else stack.enter_context(fresh_folder(out))
        systems = load_systems(tuple(retrievers or DEFAULT_RETRIEVERS))
        collection = read_collection(folder, language)
        queries = [query for query in collection.queries if query.id in collection.qrels]
        progress = stack.enter_context(reporter())
        sent = send(queries, language, loaded, seeds, progress, folder.name)
        kept = cache or Path(stack.enter_context(tempfile.TemporaryDirectory()))
        corpus = StoredCorpus(collection, stack.enter_context(open_store(kept)), progress)
        known = {document.id for document in corpus}
        asked: Asked = {TEXT: {query.id: query.text for query in queries}, **sent.asked}
        found: dict[str, dict[str, Run]] = {}
        for system in systems:
            system.retriever.index(corpus, language)
            found[system.name] = search_conditions(system, asked, DEPTH, known, {})
        runs = {name: conditions.pop(TEXT) for name, conditions in found.items()}
        scores = score_runs(collection.qrels, runs, chosen, corpus=known)
        behind = ChannelRuns.scored(sent, found, collection.qrels, known, chosen) if loaded else None
        if place is not None:
            _write(place, runs, behind)
    said = tuple(finding.message for finding in collection.findings)
    scored = Scored(folder, dict.fromkeys(runs, folder), chosen, scores, said, [])
    if behind is None:
        return scored, None
    study = study_subset(behind, scores, {}, chosen[0], folder.name, seed)
    return scored, channel_results(loaded, seeds, {folder.name: study})


def _write(place: Path, runs: Mapping[str, Run], behind: ChannelRuns | None) -> None:
    for name, run in runs.items():
        write_run(place / f"{file_name(name)}.trec", run, file_name(name), DEPTH)
    if behind is not None:
        write_channel_texts(place / "channels.jsonl", behind.texts)
        write_channel_runs(place / "channels", behind)


def show_search(scored: Scored, channels: Channels, as_json: bool) -> None:
    """Print the scores, and below them what the channels cost."""
    if as_json:
        plain = {**plain_scores(scored, False), **({"channels": channels} if channels else {})}
        print(json.dumps(plain, ensure_ascii=False, allow_nan=False))
        return
    show_score(scored, False, False)
    console = Console()
    for key, study in (channels or {"subsets": {}})["subsets"].items():
        console.print(channel_table(key, study))
        for line in channel_lines(key, study):
            console.print(line, markup=False, highlight=False)
