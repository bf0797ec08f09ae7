"""Evaluate: a data set, one recogniser and any retrievers give scores under every condition."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from squtr.data_build.folder import WORK
from squtr.dataset import Subset, read_dataset
from squtr.engines import StartEngine
from squtr.errors import UserError
from squtr.eval.output import claimed_output, write_output
from squtr.eval.results import SubsetRuns, make_results
from squtr.eval.runs import Run
from squtr.eval.scores import score_runs
from squtr.eval.systems import StoredCorpus, System, load_systems, search
from squtr.eval.transcripts import Heard, transcribe_dataset
from squtr.manifest import read_build
from squtr.progress import Reporter
from squtr.stage import Runner
from squtr.store import Store, open_store
from squtr.transcribe import recogniser

TEXT = "text"
DEFAULT_RECOGNISER = "whisper-base"
DEFAULT_RETRIEVERS = ("bm25", "dense", "hybrid")
DEPTH = 100


@dataclass(frozen=True)
class Settings:
    """What is evaluated: the recogniser, the retrievers, how deep runs go, and the bootstrap's seed."""

    recogniser: str = DEFAULT_RECOGNISER
    retrievers: tuple[str, ...] = DEFAULT_RETRIEVERS
    depth: int = DEPTH
    seed: int = 2602


def evaluate(
    folder: Path,
    settings: Settings,
    out: Path,
    *,
    start_engine: StartEngine,
    cache: Path | None,
    progress: Reporter,
) -> dict[str, Any]:
    """Score every system under text, clean and each SNR; write runs, transcripts, scores and results.json.

    Returns the results as written. Raises UserError before any work for a wrong set-up.
    """
    started = time.perf_counter()
    subsets = read_dataset(folder)
    read_build(folder)
    systems = load_systems(settings.retrievers)
    _check(settings.recogniser)
    with ExitStack() as stack:
        work = stack.enter_context(claimed_output(out))
        store = stack.enter_context(open_store(cache or _store_folder(folder, work)))
        engine = start_engine()
        stack.callback(engine.close)
        runner = Runner(store, engine, progress)
        heard = transcribe_dataset(subsets, settings.recogniser, store, runner.run)
        searched = time.perf_counter()
        runs = [
            _run_subset(subset, heard[subset.key], systems, settings, store, progress) for subset in subsets
        ]
        finished = time.perf_counter()
        timing = {
            "wall_seconds": finished - started,
            "workers": engine.workers,
            "model_seconds": runner.seconds("transcribe") + finished - searched,
        }
        results = make_results(folder, subsets, runs, systems, settings, timing)
        write_output(out, work, results, runs)
    return results


def _store_folder(folder: Path, work: Path) -> Path:
    """The data set's own store, which may hold its transcripts already, or one beside the results."""
    built = folder / WORK
    return built if (built / "index.sqlite").is_file() else work


def _check(spec: str) -> None:
    check_itself = getattr(recogniser(spec), "check", None)
    if check_itself is not None:
        check_itself()


def _run_subset(
    subset: Subset,
    heard: dict[str, list[Heard]],
    systems: Sequence[System],
    settings: Settings,
    store: Store,
    progress: Reporter,
) -> SubsetRuns:
    queries = [query for query in subset.collection.queries if query.id in subset.collection.qrels]
    asked: dict[str, dict[str, str | None]] = {TEXT: {query.id: query.text for query in queries}}
    for condition, transcripts in heard.items():
        asked[condition] = {one.recording.query_id: one.search_text for one in transcripts}
    corpus = StoredCorpus(subset.collection, store, progress)
    known = {document.id for document in corpus}
    runs: dict[str, dict[str, Run]] = {}
    for system in systems:
        progress.total(f"{subset.key} {system.name}", len(asked))
        system.retriever.index(corpus, subset.language)
        runs[system.name] = _search_conditions(system, asked, settings.depth, known)
        progress.advance(f"{subset.key} {system.name}", len(asked))
    qrels = subset.collection.qrels
    scores = {name: score_runs(qrels, conditions, corpus=known) for name, conditions in runs.items()}
    return SubsetRuns(subset, heard, runs, scores)


def _search_conditions(
    system: System, asked: dict[str, dict[str, str | None]], depth: int, known: set[str]
) -> dict[str, Run]:
    """Search all conditions' queries in one call, so that each text is searched once."""
    pairs = [(condition, query, text) for condition, texts in asked.items() for query, text in texts.items()]
    found = search(system, [text for _, _, text in pairs], depth)
    runs: dict[str, Run] = {condition: {} for condition in asked}
    for (condition, query, _), ranking in zip(pairs, found, strict=True):
        if ranking is None:
            continue
        if not known.issuperset(ranking):
            stranger = next(document for document in ranking if document not in known)
            raise UserError(
                f"{system.name} returned document {stranger!r} for query {query!r}: not in the corpus."
            )
        runs[condition][query] = ranking
    return runs
