"""The tables of recognition: error rates, what they are made of, and recordings that were lost."""

from __future__ import annotations

from typing import Any

from squtr.eval.report.table import Cell, Table, missing, percent_cell, table
from squtr.eval.report.view import SubsetView
from squtr.eval.report.words import amount, condition_label, count, label, number, percent


def recognition_table(view: SubsetView) -> Table:
    """Error rates and lost recordings by condition."""
    parts = [view.recognition[condition] for condition in view.spoken]
    rows = {
        f"{view.rate_name}, numbers normalised": [_rate(part["clean"]) for part in parts],
        f"{view.rate_name}, as written": [_rate(part["raw"]) for part in parts],
        **_fluent(view, parts),
        "empty transcripts": [_share(part["empty"], part) for part in parts],
        "failed recordings": [_share(part["failed"], part) for part in parts],
        **_confidence(parts),
    }
    for spec, other in view.results.get("other_recognisers", {}).items():
        found = [other["recognition"][view.key][condition] for condition in view.spoken]
        name = label(spec).text
        rows[f"{view.rate_name}, {name}"] = [_rate(part["clean"]) for part in found]
        rows[f"failed recordings, {name}"] = [_share(part["failed"], part) for part in found]
    recogniser = label(view.results["settings"]["recogniser"])
    most = max(part["recordings"] for part in parts)
    caption = f"{view.rate_name} of {recogniser.text}, pooled over {amount(most, 'recording')} a condition."
    return table(caption, "recognition", list(map(condition_label, view.spoken)), rows)


def _fluent(view: SubsetView, parts: list[dict[str, Any]]) -> dict[str, list[Cell]]:
    """The rate without fillers and repetitions behind channels; no row without a channel."""
    if not any("fluent" in part for part in parts):
        return {}
    cells = [_rate(part["fluent"]) if "fluent" in part else missing("no channel") for part in parts]
    return {f"{view.rate_name}, fillers and repetitions removed": cells}


def _confidence(parts: list[dict[str, Any]]) -> dict[str, list[Cell]]:
    """The mean confidence; no row for a recogniser that gives none."""
    means = [part["confidence"]["mean"] for part in parts]
    if not any(mean is not None for mean in means):
        return {}
    return {
        "mean confidence": [
            missing("no confidence") if mean is None else Cell(number(mean, 2)) for mean in means
        ]
    }


def error_count_table(view: SubsetView) -> Table:
    """What the error rates are made of."""
    parts = [view.recognition[condition]["clean"] for condition in view.spoken]
    unit = view.unit
    rows = {
        view.rate_name: [_rate(part) for part in parts],
        f"{view.rate_name}, as written": [_rate(view.recognition[name]["raw"]) for name in view.spoken],
        **{
            kind: [Cell(count(part[kind])) for part in parts]
            for kind in ("substitutions", "deletions", "insertions")
        },
        f"{unit}s in the texts": [Cell(count(part["reference_length"])) for part in parts],
        "recordings": [Cell(count(part["utterances"])) for part in parts],
        "texts without a " + unit: [Cell(count(part["empty_references"])) for part in parts],
        "median rate of a recording": [
            percent_cell(part["median_rate"], "no recording has a rate") for part in parts
        ],
        "recordings above 100\u202f%": [
            percent_cell(part["share_above_one"], "no recording has a rate") for part in parts
        ],
        "empty transcripts": [
            _share(view.recognition[name]["empty"], view.recognition[name]) for name in view.spoken
        ],
        "failed recordings": [
            _share(view.recognition[name]["failed"], view.recognition[name]) for name in view.spoken
        ],
    }
    caption = f"Errors in {unit}s, numbers normalised unless said otherwise."
    return table(caption, "recognition", list(map(condition_label, view.spoken)), rows)


def _rate(counts: dict[str, Any]) -> Cell:
    return percent_cell(counts["rate"], counts["reason"] or "undefined")


def _share(value: int, part: dict[str, Any]) -> Cell:
    return Cell(count(value), percent(value / part["recordings"]) if value else "")
