"""Evaluate: a data set, any recognisers and retrievers give scores under every condition."""

from __future__ import annotations

import functools
import time
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from squtr import plugins
from squtr.data_build.folder import WORK, refuse_file_as_cache
from squtr.dataset import Subset, heard_everywhere, left_out, read_dataset
from squtr.engines import StartEngine
from squtr.errors import UserError
from squtr.eval.channel_study import channel_results, study_runs
from squtr.eval.channels import SEEDS, ChannelRuns, ChannelTexts, load_channels, seeds_from, send
from squtr.eval.contexts import Contexts, query_contexts
from squtr.eval.end_to_end import Conditions, EndToEnd, embed_dataset, load_end_to_end, search_embedded
from squtr.eval.given_runs import GivenRuns, find_runs, read_given
from squtr.eval.given_transcripts import hear
from squtr.eval.lost import refuse_lost
from squtr.eval.oracle import oracle
from squtr.eval.output import claimed_output, write_output
from squtr.eval.recognition import Meter
from squtr.eval.results import MAIN_MEASURE, SubsetRuns, make_results
from squtr.eval.runs import Run
from squtr.eval.scores import score_runs
from squtr.eval.systems import StoredCorpus, System, cascades, load_systems, search, truncations
from squtr.eval.transcripts import Heard
from squtr.imported import import_verdict
from squtr.languages import language_row
from squtr.manifest import read_build
from squtr.progress import Reporter
from squtr.records import Query
from squtr.resources import Resources, Share
from squtr.stage import Runner
from squtr.store import Store, open_store
from squtr.transcribe import recogniser

TEXT = "text"
DEFAULT_RECOGNISER = "whisper-base"
DEFAULT_RETRIEVERS = ("bm25", "dense", "hybrid")
DEPTH = 100


@dataclass(frozen=True)
class Settings:
    """What is evaluated: the recogniser, the retrievers, how deep runs go, and the bootstrap's seed.

    `sensitivity` asks for the scores under other grading policies as well; `end_to_end` names embedders. With
    `more_recognisers` each retriever is scored once a recogniser. `runs`: TREC runs made elsewhere, see
    squtr.eval.given_runs. `channels` change the written queries, each at `channel_seeds` seeds.
    """

    recogniser: str = DEFAULT_RECOGNISER
    retrievers: tuple[str, ...] = DEFAULT_RETRIEVERS
    depth: int = DEPTH
    seed: int = 2602
    sensitivity: bool = False
    end_to_end: tuple[str, ...] = ()
    more_recognisers: tuple[str, ...] = ()
    runs: tuple[str, ...] = ()
    channels: tuple[str, ...] = ()
    channel_seeds: int = SEEDS

    @property
    def recognisers(self) -> tuple[str, ...]:
        """All of them; tables without a recogniser's name are of the first."""
        return (self.recogniser, *self.more_recognisers)


def evaluate(
    folder: Path,
    settings: Settings,
    out: Path,
    *,
    start_engine: StartEngine,
    cache: Path | None,
    progress: Reporter,
    batch: int = 1,
) -> dict[str, Any]:
    """Score every system under text, clean and each SNR; write runs, transcripts, scores and results.json.

    `batch`: recordings a call of a recogniser, where it takes several; it changes no score. Returns the
    results as written. Raises UserError before any work for a wrong set-up.
    """
    started = time.perf_counter()
    refuse_file_as_cache(cache)
    if out.resolve().is_relative_to(folder.resolve()):
        raise UserError(f"{out}: lies in the data set itself. Choose another --out.")
    subsets = [heard_everywhere(subset) for subset in read_dataset(folder)]
    for subset in subsets:
        language_row(subset.language)
    read_build(folder)
    import_verdict(folder)
    systems = cascades(load_systems(settings.retrievers), settings.recognisers)
    spoken = load_end_to_end(settings.end_to_end, [system.name for system in systems])
    given = find_runs(settings.runs, subsets, [*(one.name for one in systems), *(one.name for one in spoken)])
    _check(settings.recognisers, {subset.language for subset in subsets})
    channels = load_channels(settings.channels, [subset.language for subset in subsets])
    seeds = seeds_from(settings.seed, settings.channel_seeds)
    with ExitStack() as stack:
        work = stack.enter_context(claimed_output(out))
        store = stack.enter_context(open_store(cache or _store_folder(folder, work)))
        engine = start_engine()
        stack.callback(engine.close)
        for line in left_out(folder, subsets):
            progress.note(line)
        sent = {
            subset.key: send(_judged(subset), subset.language, channels, seeds, progress, subset.key)
            for subset in subsets
            if channels
        }
        runner = Runner(store, engine, progress, Resources(transcribe=Share(batch=batch)))
        meters = {spec: Meter(runner) for spec in settings.recognisers}
        joined: dict[str, Any] = {}
        heard = {}
        for spec, meter in meters.items():
            heard[spec], joined[spec] = hear(subsets, spec, store, meter)
        contexts = {
            spec: query_contexts(subsets, found, systems, store, runner.run) for spec, found in heard.items()
        }
        embedded = embed_dataset(subsets, spoken, store, runner.run)
        refuse_lost(heard, embedded, others=bool(given))
        searched = time.perf_counter()
        runs = [
            _run_subset(
                subset,
                {spec: found[subset.key] for spec, found in heard.items()},
                {spec: found[subset.key] for spec, found in contexts.items()},
                systems,
                {one: embedded[one.name][subset.key] for one in spoken},
                given,
                settings,
                store,
                progress,
                sent.get(subset.key),
            )
            for subset in subsets
        ]
        finished = time.perf_counter()
        timing = {
            "wall_seconds": finished - started,
            "workers": engine.workers,
            "model_seconds": runner.seconds("transcribe", "embed_audio") + finished - searched,
            "recognition": {spec: meter.costs(subsets) for spec, meter in meters.items()},
        }
        results = make_results(folder, subsets, runs, [*systems, *spoken, *given], settings, timing)
        results["made_elsewhere"] = {
            "transcripts": {spec: found for spec, found in joined.items() if found},
            "runs": {one.name: {run.subset.key: run.given[one.name] for run in runs} for one in given},
        }
        results["channels"] = channel_results(
            channels, seeds, study_runs(runs, results["scores"], MAIN_MEASURE, settings.seed)
        )
        write_output(out, work, results, runs)
    return results


def _store_folder(folder: Path, work: Path) -> Path:
    """The data set's own store, which may hold its transcripts already, or one beside the results."""
    built = folder / WORK
    return built if (built / "index.sqlite").is_file() else work


def _check(specs: Sequence[str], languages: set[str]) -> None:
    if len(set(specs)) != len(specs):
        raise UserError(f"The same --asr stands twice: {', '.join(specs)}.")
    for spec in specs:
        plugins.check("recogniser", spec, recogniser(spec))
        check_language = getattr(recogniser(spec), "check_language", lambda language: None)
        for language in sorted(languages):
            check_language(language)


def _run_subset(
    subset: Subset,
    heard: dict[str, dict[str, list[Heard]]],
    contexts: Mapping[str, Contexts],
    systems: Sequence[System],
    spoken: Mapping[EndToEnd, Conditions],
    given: Sequence[GivenRuns],
    settings: Settings,
    store: Store,
    progress: Reporter,
    sent: ChannelTexts | None,
) -> SubsetRuns:
    queries = _judged(subset)
    asked = {spec: _asked(queries, found) for spec, found in heard.items()}
    corpus = StoredCorpus(subset.collection, store, progress)
    known = {document.id for document in corpus}
    runs: dict[str, dict[str, Run]] = {}
    behind: dict[str, dict[str, Run]] = {}
    for system in systems:
        mine = asked[system.recogniser]
        progress.total(f"{subset.key} {system.name}", len(mine))
        system.retriever.index(corpus, subset.language)
        told = contexts[system.recogniser]
        studied = sent is not None and system.recogniser == settings.recogniser
        more = sent.asked if sent and studied else {}
        found = search_conditions(system, {**mine, **more}, settings.depth, known, told)
        runs[system.name] = {name: found[name] for name in mine}
        if studied:
            behind[system.name] = {name: found[name] for name in more}
        progress.advance(f"{subset.key} {system.name}", len(mine))
    for one, vectors in spoken.items():
        label = f"{subset.key} {one.name}"
        progress.total(label, len(vectors) + hasattr(one.embedder, "embed_queries"))
        advance = functools.partial(progress.advance, label)
        runs[one.name] = search_embedded(one, vectors, queries, corpus, settings.depth, advance)
    odd: dict[str, Any] = {}
    for made in given:
        runs[made.name], odd[made.name] = read_given(made, subset, known, settings.depth)
    qrels = subset.collection.qrels
    scores = {name: score_runs(qrels, conditions, corpus=known) for name, conditions in runs.items()}
    oracles = {
        system.name: oracle(
            [
                score_runs(
                    qrels,
                    search_conditions(
                        member, asked[member.recogniser], settings.depth, known, contexts[member.recogniser]
                    ),
                )
                for member in system.members
            ]
        )
        for system in systems
        if system.chooses
    }
    embedded = {one.name: found for one, found in spoken.items()}
    first, *others = heard
    return SubsetRuns(
        subset,
        heard[first],
        runs,
        scores,
        embedded,
        oracles,
        truncations(systems, corpus),
        {spec: heard[spec] for spec in others},
        {
            **{system.name: system.recogniser for system in systems if system.recogniser != first},
            **{made.name: "" for made in given},
        },
        odd,
        None if sent is None else ChannelRuns.scored(sent, behind, qrels, known),
    )


def _judged(subset: Subset) -> list[Query]:
    return [query for query in subset.collection.queries if query.id in subset.collection.qrels]


def _asked(queries: Sequence[Query], heard: dict[str, list[Heard]]) -> dict[str, dict[str, str | None]]:
    """Return what is searched for, by condition and query: the text, and each transcript."""
    asked: dict[str, dict[str, str | None]] = {TEXT: {query.id: query.text for query in queries}}
    for condition, transcripts in heard.items():
        asked[condition] = {one.recording.query_id: one.search_text for one in transcripts}
    return asked


def search_conditions(
    system: System,
    asked: dict[str, dict[str, str | None]],
    depth: int,
    known: set[str],
    contexts: Contexts,
) -> dict[str, Run]:
    """Search all conditions' queries in one call, so that each text is searched once.

    Returns runs by condition. Raises UserError for a document that is not in the corpus.
    """
    pairs = [(condition, query, text) for condition, texts in asked.items() for query, text in texts.items()]
    told = [contexts.get((condition, query)) for condition, query, _ in pairs]
    found = search(system, [text for _, _, text in pairs], depth, told)
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
