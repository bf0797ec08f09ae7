"""The values that the site's scripts read: small enough for a thousand systems, loaded without a server."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from squtr.eval.report.words import condition_label, language_name, ordered, visible
from squtr.languages import languages
from squtr.leaderboard.board import Board, Ranked, Scope
from squtr.leaderboard.board_data import BoardData
from squtr.leaderboard.entry import MEASURES, Entry
from squtr.leaderboard.facts import FAMILIES, seen_subsets, size_words
from squtr.leaderboard.printed import Printed
from squtr.leaderboard.standings import ALPHA

SCORE_STEPS = 10_000
# As many digits as are shown: to round once more would show others.
_MEAN, _BOUND, _SLOPE, _AREA = 4, 3, 5, 3


def script(call: str, *arguments: Any) -> str:
    """Return a script that hands plain values to the page; a file can load it where it could not fetch."""
    told = ", ".join(json.dumps(value, separators=(",", ":"), allow_nan=False) for value in arguments)
    return f"squtr.{call}({told});\n"


def board_value(board: Board, printed: Printed) -> dict[str, Any]:
    """Return everything the board and its curves show; numbers are rounded, the tables have all digits."""
    numbers = {data.name: number for number, data in enumerate(board.data)}
    data = {one.name: one for one in board.data}
    return {
        "measures": [measure.partition(" (")[0] for measure in MEASURES],
        "alpha": ALPHA,
        "data": [_data_value(one) for one in board.data],
        "families": {entry.system.family: FAMILIES[entry.system.family] for entry in board.entries},
        "systems": [
            {
                "id": entry.id,
                "name": entry.system.name,
                "data": numbers[entry.dataset],
                "family": entry.system.family,
                "parameters": entry.system.parameters,
                "size": size_words(entry.system.parameters),
                "licence": entry.system.licence,
                "training": list(entry.system.training_sets),
                "seen": seen_subsets(entry.system.training_sets, list(data[entry.dataset].subsets)),
                "parts": {
                    part: _part_value(board, data[entry.dataset], entry, part)
                    for part in (*entry.facts["macro"], *entry.facts["cells"])
                },
            }
            for entry in board.entries
        ],
        "printed": _printed_value(printed),
    }


def _data_value(data: BoardData) -> dict[str, Any]:
    by_language: dict[str, list[str]] = {}
    for key, subset in data.subsets.items():
        by_language.setdefault(subset.language, []).append(key)
    conditions = ordered(["text", *(name for subset in data.subsets.values() for name in subset.conditions)])
    return {
        "name": data.name,
        "slice": data.slice,
        "languages": [
            {"code": code, "name": language_name(code), "subsets": keys, "rate": error_rate_name(code)}
            for code, keys in by_language.items()
        ],
        "subsets": {key: visible(key.rpartition("/")[2]) for key in data.subsets},
        "conditions": [{"id": name, "label": condition_label(name)} for name in conditions],
    }


def _part_value(board: Board, data: BoardData, entry: Entry, part: str) -> dict[str, Any]:
    robustness = entry.facts["robustness"][part]
    return {
        "scores": {
            condition: [
                *(_interval(measures[name]) for name in MEASURES),
                _place(board.ranked[Scope(entry.dataset, part, condition)], entry.id),
            ]
            for condition, measures in measures_of(entry, part).items()
        },
        "heard": {name: _share(rate) for name, rate in error_rates(data, entry, part).items()},
        "text": {name: _share(one["mean"]) for name, one in robustness["loss_against_text"].items()},
        "clean": {name: _share(one["mean"]) for name, one in robustness["loss_against_clean"].items()},
        "slope": _short(robustness["slope_per_db"]["mean"], _SLOPE),
        "area": _short(robustness["area"]["mean"], _AREA),
    }


def measures_of(entry: Entry, part: str) -> dict[str, dict[str, Any]]:
    """Return {condition: {measure: interval}} of a language's mean or of a subset."""
    if part in entry.facts["macro"]:
        return dict(entry.facts["macro"][part])
    return {name: cell["measures"] for name, cell in entry.facts["cells"][part].items()}


def error_rates(data: BoardData, entry: Entry, part: str) -> dict[str, float]:
    """Return {condition: error rate} of a subset, or of a language the mean of its subsets' rates."""
    keys = [part] if part in data.subsets else [k for k, one in data.subsets.items() if one.language == part]
    known = [entry.facts["recognition"].get(key, {}) for key in keys]
    rates = {name: [found[name]["rate"] for found in known if name in found] for name in known[0]}
    return {
        name: sum(found) / len(found)
        for name, found in rates.items()
        if len(found) == len(keys) and None not in found
    }


def error_rate_name(language: str) -> str:
    """Return WER or CER, as a language is counted."""
    known = languages()
    return known[language].error_rate if language in known else ""


def _place(ranked: Ranked, system: str) -> list[int]:
    """Return rank, best and worst rank that are not excluded, and group."""
    at, found = ranked.places[system], ranked.standings
    return [found.ranks[at], found.best[at], found.worst[at], found.groups[at]]


def _interval(found: Mapping[str, float]) -> list[float | None]:
    return [_short(found["mean"], _MEAN), _short(found["low"], _BOUND), _short(found["high"], _BOUND)]


def _share(value: float | None) -> float | None:
    """Return a share of which one digit of its per cent is shown."""
    return None if value is None else round(round(100 * value, 1) / 100, 3)


def _short(value: float | None, digits: int) -> float | None:
    return None if value is None else round(value, digits)


def _printed_value(printed: Printed) -> dict[str, Any]:
    return {
        "source": printed.source,
        "languages": {
            language.code: [
                {"name": row.system, "scores": {k: v for k, v in row.scores.items() if v is not None}}
                for row in language.rows
            ]
            for language in printed.languages
        },
    }


def query_values(entry: Entry) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield (subset, the main measure of each query under each condition in steps of 1 / SCORE_STEPS)."""
    for key, table in entry.scores.items():
        steps = np.rint(table.astype(np.float64) * SCORE_STEPS).astype(int)
        yield key, {"conditions": list(entry.facts["cells"][key]), "steps": steps.tolist()}


def judged_queries(data: BoardData, key: str) -> list[str]:
    """Return the queries of a subset in the order of their scores."""
    return sorted(query for query, grades in data.subsets[key].qrels.items() if grades)


def told_apart(board: Board, entry: Entry, part: str, condition: str, most: int) -> tuple[Sequence[str], int]:
    """Return up to `most` systems that cannot be told apart from this one, nearest first, and how many."""
    found = board.ranked[Scope(entry.dataset, part, condition)]
    at, standings = found.places[entry.id], found.standings
    alike = np.flatnonzero(~standings.apart[at])
    alike = alike[alike != at]
    distances = np.abs(standings.means[alike] - standings.means[at])
    near = np.arange(len(alike))
    if len(alike) > most:
        near = np.flatnonzero(distances <= np.partition(distances, most)[most])
    nearest = alike[near[np.argsort(distances[near], kind="stable")[:most]]]
    return [found.ids[place] for place in nearest.tolist()], len(alike)
