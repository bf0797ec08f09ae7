"""Scores and error rates of groups of queries: by noise category, speaker, length, and numbers in the query.

Every group tells its size. A group of fewer than FEW judged queries has means but no interval.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from squtr.digest import to_plain
from squtr.eval.paired import PairedScores
from squtr.eval.scores import Measure, Scores
from squtr.eval.transcripts import Heard
from squtr.text import corpus_rate, normaliser, units

FEW = 5
LENGTH_GROUPS = 4
NUMBER_GROUPS = {
    "digits": "the query is written with digits",
    "number words": "no digits, but its normalised form has a number: of two digits or more, or, in languages"
    " of words, another single digit than 1",
    "no number": "neither",
}
_DIGIT = re.compile(r"[0-9]")
_TWO_DIGITS = re.compile(r"[0-9]{2}")
_LONE_DIGIT = re.compile(r"(?<![\w.])[02-9](?![\w.])")


@dataclass(frozen=True)
class Judged:
    """What a subset's groups are made of: transcripts by condition, scores by system and condition."""

    key: str
    language: str
    texts: Mapping[str, str]
    heard: Mapping[str, Sequence[Heard]]
    scores: Mapping[str, Mapping[str, Scores]]
    measure: Measure
    seed: int = 0


def by_fact(one: Judged, fact: str) -> dict[str, Any]:
    """Return {group: {condition: facts}} by a field of the manifest; a recording without it is left out."""
    groups: dict[str, dict[str, list[str]]] = {}
    for condition, transcripts in one.heard.items():
        for heard in transcripts:
            value = heard.recording.facts.get(fact)
            if value is not None:
                members = groups.setdefault(str(value), {}).setdefault(condition, [])
                members.append(heard.recording.query_id)
    return _described(one, fact, dict(sorted(groups.items())))


def by_query_length(one: Judged) -> dict[str, Any]:
    """Return groups by the length of the normalised query in error units: up to four of about equal size.

    Borders are quartiles of the length; groups are named by the lengths in them, as `5-7`. Queries of one
    length are never parted, so there may be fewer groups.
    """
    clean = normaliser(one.language).clean
    lengths = {query: len(units(clean(text), one.language)) for query, text in one.texts.items()}
    return _by_query(one, "length", quantile_groups(lengths))


def by_numbers(one: Judged) -> dict[str, Any]:
    """Return groups by the numbers in a query, see NUMBER_GROUPS; an empty group is left out.

    Where a language's normaliser spells digits out, number words cannot be told and count as no number.
    """
    found: dict[str, list[str]] = {name: [] for name in NUMBER_GROUPS}
    for query, text in one.texts.items():
        found[number_kind(text, one.language)].append(query)
    return _by_query(one, "numbers", {name: members for name, members in found.items() if members})


def number_kind(text: str, language: str) -> str:
    """Return the name in NUMBER_GROUPS that a query's text goes under."""
    chosen = normaliser(language)
    if _DIGIT.search(chosen.raw(text)):
        return "digits"
    clean = chosen.clean(text)
    lone = chosen.unit == "word" and _LONE_DIGIT.search(clean)
    return "number words" if lone or _TWO_DIGITS.search(clean) else "no number"


def quantile_groups(values: Mapping[str, int], parts: int = LENGTH_GROUPS) -> dict[str, list[str]]:
    """Return names by the quantile their value falls into, named `low-high` by the values inside."""
    if not values:
        return {}
    borders = np.unique(
        np.quantile(list(values.values()), np.arange(1, parts) / parts, method="inverted_cdf")
    )
    members: dict[int, list[str]] = {}
    for name, value in values.items():
        members.setdefault(int(np.searchsorted(borders, value)), []).append(name)
    named = {}
    for _, names in sorted(members.items()):
        low, high = min(values[name] for name in names), max(values[name] for name in names)
        named[str(low) if low == high else f"{low}-{high}"] = names
    return named


def _by_query(one: Judged, what: str, groups: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    asked = {
        condition: {heard.recording.query_id for heard in found} for condition, found in one.heard.items()
    }
    conditions = list(dict.fromkeys(name for by in one.scores.values() for name in by))
    placed = {
        name: {
            condition: [query for query in members if query in asked.get(condition, one.texts)]
            for condition in conditions
        }
        for name, members in groups.items()
    }
    return _described(one, what, placed)


def _described(one: Judged, what: str, groups: Mapping[str, Mapping[str, Sequence[str]]]) -> dict[str, Any]:
    counts = {
        condition: {heard.recording.query_id: heard for heard in found}
        for condition, found in one.heard.items()
    }
    return {
        name: {
            condition: _group(one, f"{one.key}/{what}/{name}", condition, members, counts.get(condition))
            for condition, members in conditions.items()
            if members
        }
        for name, conditions in groups.items()
    }


def _group(
    one: Judged, item: str, condition: str, members: Sequence[str], heard: Mapping[str, Heard] | None
) -> dict[str, Any]:
    scores = {system: by[condition].per_query for system, by in one.scores.items() if condition in by}
    judged = sorted(query for query in members if query in next(iter(scores.values())))
    name = one.measure.full_name
    columns = {system: [found[query][name] for query in judged] for system, found in scores.items()}
    known = [heard[query] for query in members] if heard else []
    return {
        "queries": len(members),
        "judged": len(judged),
        "error_rate": corpus_rate(one.clean for one in known if one.status != "failed")["rate"],
        "scores": {system: _mean(values) for system, values in columns.items()},
        **_intervals(columns, item, one.seed),
    }


def _intervals(columns: Mapping[str, Sequence[float]], item: str, seed: int) -> dict[str, Any]:
    if len(next(iter(columns.values()))) < FEW:
        return {"intervals": None, "reason": f"fewer than {FEW} judged queries: no interval"}
    paired = PairedScores(columns, item, seed)
    return {"intervals": {system: to_plain(paired.interval(system)) for system in columns}, "reason": None}


def _mean(values: Iterable[float]) -> float | None:
    listed = list(values)
    return math.fsum(listed) / len(listed) if listed else None
