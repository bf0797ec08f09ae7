"""Results: scores, intervals, losses, recognition and breakdowns as one strict JSON value."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from squtr.audio_digest import audio_digest
from squtr.dataset import Subset
from squtr.digest import digest, to_plain
from squtr.environment import environment
from squtr.eval.analyses import Table, analyses, costs_of, paired_table
from squtr.eval.audit import audit_dataset
from squtr.eval.channels import ChannelRuns
from squtr.eval.end_to_end import Conditions, EndToEnd, failures
from squtr.eval.given_runs import GivenRuns
from squtr.eval.oracle import WHAT
from squtr.eval.recognition import recognition
from squtr.eval.runs import Run
from squtr.eval.scores import DEFAULT_MEASURES, Measure, Scores, ceiling
from squtr.eval.systems import System
from squtr.eval.transcripts import Heard
from squtr.imported import import_verdict
from squtr.slicing import slice_of
from squtr.text import normaliser
from squtr.transcribe import recogniser

if TYPE_CHECKING:
    from squtr.eval.evaluate import Settings

SCHEMA_VERSION = 1
MAIN_MEASURE = DEFAULT_MEASURES[0]
WORST_QUERIES = 8
POLICIES = {
    "gain": "linear: grade / log2(rank + 1)",
    "ties": "score descending, then document id descending",
    "missing_queries": "a judged query without a response scores 0",
    "no_positive": "a judged query without a positive judgement scores 0",
    "own_id": "a query may retrieve a document with its own id",
    "judged_outside_corpus": "kept in the ideal ranking",
    "negative_grades": "earn 0",
    "zero_scores": "BM25 documents with score 0 are no hits",
    "levels": "means removed, RMS over the whole utterance; active-speech level beside it",
    "error_rates": "pooled from counts; numbers normalised (clean) and as written (raw)",
    "search_text": "transcripts as heard; in Chinese converted to simplified characters",
}


@dataclass(frozen=True)
class SubsetRuns:
    """One subset's transcripts by condition, and runs and scores by system and condition.

    `embedded` holds the recordings' vectors by end-to-end system and condition; such a system may have no
    run on the text. `oracles` holds the ceilings of retrievers that choose between others, `truncation` how
    many texts a retriever's model cut. `heard` is of the first recogniser, `others` of each further one, and
    `recogniser_of` names the further one that a system searches with, "" for runs made elsewhere, of which
    `given` says how they fit. `channels` holds what was searched behind channels.
    """

    subset: Subset
    heard: dict[str, list[Heard]]
    runs: dict[str, dict[str, Run]]
    scores: dict[str, dict[str, Scores]]
    embedded: Mapping[str, Conditions] = field(default_factory=dict)
    oracles: Mapping[str, Any] = field(default_factory=dict)
    truncation: Mapping[str, dict[str, int]] = field(default_factory=dict)
    others: Mapping[str, dict[str, list[Heard]]] = field(default_factory=dict)
    recogniser_of: Mapping[str, str] = field(default_factory=dict)
    given: Mapping[str, Any] = field(default_factory=dict)
    channels: ChannelRuns | None = None


def make_results(
    folder: Path,
    subsets: Sequence[Subset],
    runs: Sequence[SubsetRuns],
    systems: Sequence[System | EndToEnd | GivenRuns],
    settings: Settings,
    timing: dict[str, Any],
) -> dict[str, Any]:
    """Return everything that is reported, as plain JSON values."""
    conditions = list(dict.fromkeys(name for one in runs for by in one.scores.values() for name in by))
    tables = {
        one.subset.key: {measure: paired_table(one, measure, settings.seed) for measure in DEFAULT_MEASURES}
        for one in runs
    }
    return {
        "schema": SCHEMA_VERSION,
        "environment": environment(),
        "dataset": {
            "name": folder.resolve().name,
            "imported": import_verdict(folder),
            "slice": slice_of(folder),
            "subsets": {subset.key: _describe(subset) for subset in subsets},
        },
        "settings": {
            "recogniser": settings.recogniser,
            "recogniser_fingerprint": recogniser(settings.recogniser).fingerprint,
            "retrievers": {system.name: system.fingerprint for system in systems},
            "end_to_end": list(settings.end_to_end),
            "depth": settings.depth,
            "seed": settings.seed,
            "normalisers": {subset.language: normaliser(subset.language).version for subset in subsets},
        },
        "policies": POLICIES,
        "measures": {measure.full_name: measure.definition for measure in DEFAULT_MEASURES},
        "main_measure": MAIN_MEASURE.full_name,
        "conditions": conditions,
        "recognition": {one.subset.key: recognition(one.subset.language, one.heard) for one in runs},
        "other_recognisers": {spec: _other(spec, runs, settings) for spec in settings.more_recognisers},
        "end_to_end": {
            one.subset.key: {name: failures(found) for name, found in one.embedded.items()} for one in runs
        },
        "scores": {one.subset.key: _scores(one, tables[one.subset.key]) for one in runs},
        "oracles": {"what": WHAT, "subsets": {one.subset.key: one.oracles for one in runs if one.oracles}},
        "truncation": {one.subset.key: one.truncation for one in runs if one.truncation},
        "macro": _macro(runs, systems, conditions),
        **analyses(runs, {key: table[MAIN_MEASURE] for key, table in tables.items()}, MAIN_MEASURE, settings),
        "worst_queries": {one.subset.key: _worst(one) for one in runs},
        "audit": audit_dataset(folder, subsets, settings.seed),
        "timing": timing,
    }


def _other(spec: str, runs: Sequence[SubsetRuns], settings: Settings) -> dict[str, Any]:
    """Return of a further recogniser what results hold of the first."""
    return {
        "fingerprint": recogniser(spec).fingerprint,
        "recognition": {one.subset.key: recognition(one.subset.language, one.others[spec]) for one in runs},
        "error_costs": {
            one.subset.key: costs_of(one, spec, one.others[spec], MAIN_MEASURE, settings.seed) for one in runs
        },
    }


def _describe(subset: Subset) -> dict[str, Any]:
    collection = subset.collection
    best = ceiling(collection.qrels).mean
    return {
        "language": subset.language,
        "documents": collection.document_count,
        "queries": len(collection.queries),
        "judged_queries": len(collection.qrels),
        "unpaired_queries": len({one.query_id for one in subset.unpaired}),
        "fingerprint": collection.fingerprint,
        "qrels": digest(collection.qrels),
        "audio": audio_digest(subset),
        "recordings": {name: len(recordings) for name, recordings in subset.conditions.items()},
        "ceiling": best,
        "findings": to_plain(collection.findings),
    }


def _scores(one: SubsetRuns, tables: dict[Measure, Table]) -> dict[str, Any]:
    return {
        system: {condition: _cell(one.scores, tables, system, condition) for condition in conditions}
        for system, conditions in one.scores.items()
    }


def _cell(
    found: dict[str, dict[str, Scores]], tables: dict[Measure, Table], system: str, condition: str
) -> dict[str, Any]:
    scores, main = found[system][condition], tables[MAIN_MEASURE]
    losses = {
        f"loss_against_{reference}": to_plain(main.loss((system, reference), (system, condition)))
        for reference in ("text", "clean")
        if reference in found[system] and reference != condition
    }
    return {
        "measures": {
            measure.full_name: to_plain(tables[measure].interval((system, condition)))
            for measure in DEFAULT_MEASURES
        },
        "mean_with_positives": scores.mean_with_positives,
        "queries": scores.queries,
        "no_response": scores.no_response,
        "no_positive": scores.no_positive,
        "unjudged_queries": scores.unjudged_queries,
        "negative_grades": scores.negative_grades,
        "judged_documents_missing": scores.judged_documents_missing,
        **losses,
    }


def _macro(
    runs: Sequence[SubsetRuns], systems: Sequence[System | EndToEnd | GivenRuns], conditions: list[str]
) -> dict[str, Any]:
    """Means of subset means within a language; never pooled over languages."""
    languages = list(dict.fromkeys(one.subset.language for one in runs))
    return {
        language: {
            system.name: {
                condition: _mean(
                    one.scores[system.name][condition].mean[MAIN_MEASURE.full_name]
                    for one in runs
                    if one.subset.language == language and condition in one.scores[system.name]
                )
                for condition in conditions
            }
            for system in systems
        }
        for language in languages
    }


def _worst(one: SubsetRuns) -> list[dict[str, Any]]:
    """The queries whose score falls most from text to any spoken condition, over systems with a text run."""
    name = MAIN_MEASURE.full_name
    spoken = list(one.heard)
    losses: list[tuple[float, str]] = []
    compared = [conditions for conditions in one.scores.values() if "text" in conditions]
    for query in one.subset.collection.qrels:
        fall = sum(
            conditions["text"].per_query[query][name]
            - min(conditions[condition].per_query[query][name] for condition in spoken)
            for conditions in compared
        )
        losses.append((-fall / max(1, len(compared)), query))
    texts = {query.id: query.text for query in one.subset.collection.queries}
    worst = [(query, -fall) for fall, query in sorted(losses)[:WORST_QUERIES] if fall < 0]
    return [
        {
            "query_id": query,
            "text": texts[query],
            "mean_fall": fall,
            "scores": {
                system: {condition: scores.per_query[query][name] for condition, scores in conditions.items()}
                for system, conditions in one.scores.items()
            },
            "heard": {
                condition: _heard_row(heard)
                for condition, transcripts in one.heard.items()
                for heard in transcripts
                if heard.recording.query_id == query
            },
        }
        for query, fall in worst
    ]


def _heard_row(heard: Heard) -> dict[str, Any]:
    return {
        "status": heard.status,
        "spoken": heard.recording.text,
        "transcript": heard.text,
        "error_rate": heard.clean.rate,
        "audio": heard.recording.file,
        "noise_id": heard.recording.noise_id,
        "realised_snr_db": heard.recording.facts.get("realised_snr_db"),
        "reason": heard.reason,
    }


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return math.fsum(listed) / len(listed) if listed else None
