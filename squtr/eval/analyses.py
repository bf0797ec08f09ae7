"""What an evaluation says beyond its scores: differences, robustness, groups, errors and policies."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from squtr.eval.breakdowns import NUMBER_GROUPS, Judged, by_fact, by_numbers, by_query_length
from squtr.eval.comparisons import compare_subset
from squtr.eval.error_costs import collect, error_costs
from squtr.eval.error_kinds import read_words
from squtr.eval.measures import Measure
from squtr.eval.paired import PairedScores
from squtr.eval.resampling import FLIPS
from squtr.eval.robustness import macro, robustness, snr_of_conditions
from squtr.eval.sensitivity import (
    definitions,
    error_rate_change,
    last_ids,
    macro_sensitivity,
    sensitivity,
)
from squtr.eval.transcripts import Heard
from squtr.text import corpus_rate

if TYPE_CHECKING:
    from squtr.eval.evaluate import Settings
    from squtr.eval.results import SubsetRuns

Table = PairedScores[tuple[str, str]]
NOT_ASKED = "not asked for: squtr eval --sensitivity"
_FLIPS_A_PAIR = 200


def paired_table(one: SubsetRuns, measure: Measure, seed: int) -> Table:
    """Return a subset's scores of a measure, one column a (system, condition).

    Signs are flipped more often where there are many pairs, so that Holm's correction leaves room below 0.05.
    """
    pairs = max(math.comb(len(one.scores), 2), math.comb(1 + len(one.heard), 2))
    columns = {
        (system, condition): scores.values(measure)
        for system, conditions in one.scores.items()
        for condition, scores in conditions.items()
    }
    return PairedScores(columns, one.subset.key, seed, flips=max(FLIPS, _FLIPS_A_PAIR * pairs))


def analyses(
    runs: Sequence[SubsetRuns], tables: Mapping[str, Table], measure: Measure, settings: Settings
) -> dict[str, Any]:
    """Return the parts of results.json that are made of scores by query; `tables` are those of `measure`."""
    languages = {one.subset.key: one.subset.language for one in runs}
    judged = {one.subset.key: _judged(one, measure, settings.seed) for one in runs}
    robust = {
        one.subset.key: robustness(tables[one.subset.key], snr_of_conditions(_snrs(one))) for one in runs
    }
    return {
        "comparisons": {key: compare_subset(table, measure.full_name) for key, table in tables.items()},
        "robustness": {"subsets": robust, "macro": macro(robust, languages)},
        "by_noise_category": {key: by_fact(one, "noise_category") for key, one in judged.items()},
        "by_speaker": {key: by_fact(one, "speaker") for key, one in judged.items()},
        "by_query_length": {key: by_query_length(one) for key, one in judged.items()},
        "by_numbers": {key: by_numbers(one) for key, one in judged.items()},
        "number_groups": NUMBER_GROUPS,
        "error_costs": {
            one.subset.key: costs_of(one, None, one.heard, measure, settings.seed) for one in runs
        },
        "sensitivity": _sensitivity(runs, languages, settings),
    }


def _judged(one: SubsetRuns, measure: Measure, seed: int) -> Judged:
    return Judged(one.subset.key, one.subset.language, _texts(one), one.heard, one.scores, measure, seed)


def _snrs(one: SubsetRuns) -> dict[str, float | None]:
    return {name: found[0].recording.snr_db if found else None for name, found in one.heard.items()}


def _texts(one: SubsetRuns) -> dict[str, str]:
    return {query.id: query.text for query in one.subset.collection.queries}


def costs_of(
    one: SubsetRuns,
    recogniser: str | None,
    heard: Mapping[str, Sequence[Heard]],
    measure: Measure,
    seed: int,
) -> dict[str, Any]:
    """Return what a recogniser's errors cost the systems that search with it; None is the first."""
    texts, language = _texts(one), one.subset.language
    wrong = [each for found in heard.values() for each in found if each.clean.errors]
    transcripts = [text for each in wrong for text in (each.text, each.recording.text) if text]
    words = read_words(one.subset.collection.documents(), texts, transcripts, language)
    cascades = {
        name: found
        for name, found in one.scores.items()
        if name not in one.embedded and one.recogniser_of.get(name) == recogniser
    }
    return error_costs(collect(heard, cascades, texts, measure, words), words, one.subset.key, seed)


def _sensitivity(
    runs: Sequence[SubsetRuns], languages: Mapping[str, str], settings: Settings
) -> dict[str, Any]:
    if not settings.sensitivity:
        return {"subsets": None, "reason": NOT_ASKED}
    found = {}
    for one in runs:
        ids = (document.id for document in one.subset.collection.documents())
        found[one.subset.key] = sensitivity(
            one.subset.collection.qrels, one.runs, last_ids(ids, settings.depth)
        )
    return {
        "policies": definitions(),
        "subsets": found,
        "macro": macro_sensitivity(found, languages),
        "error_rates": {one.subset.key: _rates(one) for one in runs},
        "reason": None,
    }


def _rates(one: SubsetRuns) -> dict[str, Any]:
    found = {}
    for condition, transcripts in one.heard.items():
        known = [heard for heard in transcripts if heard.status != "failed"]
        raw, clean = (
            corpus_rate(counts)["rate"] for counts in ([h.raw for h in known], [h.clean for h in known])
        )
        found[condition] = error_rate_change(raw, clean)
    return found
