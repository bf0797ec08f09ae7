"""The page of the report, filled from results."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markupsafe import Markup

from squtr.content import content
from squtr.eval.report.audit import audit_parts
from squtr.eval.report.breakdown import length_table, noise_table, number_table, speaker_table
from squtr.eval.report.channel_audit import channel_audit_parts
from squtr.eval.report.channels import channel_parts
from squtr.eval.report.costs import alone_table, correlation, kind_table, rate_chart, rate_table
from squtr.eval.report.differences import condition_tables, holding, letters_table, system_tables
from squtr.eval.report.figures import error_chart, loss_chart, score_chart, speaker_chart
from squtr.eval.report.limits import oracle_table, truncation_table
from squtr.eval.report.players import QUERIES_A_SUBSET, Clip, Place, embedded_clips
from squtr.eval.report.provenance import fact_lists
from squtr.eval.report.recognition import recognition_table
from squtr.eval.report.robustness import crossing_table, macro_robustness, robustness_table
from squtr.eval.report.scores import (
    loss_table,
    macro_table,
    measure_table,
    no_response_table,
    positives_table,
    remarks,
)
from squtr.eval.report.sensitivity import normaliser_table, policy_list, sensitivity_parts
from squtr.eval.report.sheet import TEMPLATES, stylesheet
from squtr.eval.report.summary import summarise
from squtr.eval.report.view import SubsetView, views
from squtr.eval.report.words import amount, condition_label, label, language_name, ordered, slice_words
from squtr.eval.report.worst import query_cards
from squtr.eval.results import SubsetRuns
from squtr.store import write_atomic


def write_report(path: Path, results: dict[str, Any], runs: Sequence[SubsetRuns]) -> None:
    """Write report.html from the results; recordings are taken from `runs`. The same bytes every time."""
    clips = embedded_clips(results, runs)
    page = _environment().get_template("report.html.j2").render(_page(results, clips))
    write_atomic(path, page.encode("utf-8", "replace"))


def _environment() -> Environment:
    folder = content(*TEMPLATES)
    return Environment(
        loader=FileSystemLoader(folder, encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


def _page(results: dict[str, Any], clips: dict[Place, Clip]) -> dict[str, Any]:
    subsets = views(results)
    return {
        "css": Markup(stylesheet(content(*TEMPLATES, "report.css"))),  # noqa: S704
        "name": label(results["dataset"]["name"], 60),
        "summary": summarise(results, subsets),
        "slice": slice_words(results["dataset"].get("slice")),
        "subsets": [_subset(view) for view in subsets],
        "macros": _macros(results, subsets),
        "differences": [_differences(view) for view in subsets],
        "robustness": [_robustness(view) for view in subsets],
        "macro_robustness": [
            macro_robustness(results, language)
            for language in results["macro"]
            if sum(view.language == language for view in subsets) > 1
        ],
        "channels": channel_parts(results, subsets),
        "channel_seeds": amount(len((results.get("channels") or {"seeds": ()})["seeds"]), "seed"),
        "costs": [_costs(view) for view in subsets],
        "sensitivity": sensitivity_parts(results, subsets),
        "policies": policy_list(results),
        "normalisers": normaliser_table(results, subsets),
        "breakdowns": [_breakdown(view) for view in subsets],
        "worst": [_worst(view, clips) for view in subsets],
        "most_played": QUERIES_A_SUBSET,
        "audit": [*audit_parts(results.get("audit")), *channel_audit_parts(results, subsets)],
        "provenance": fact_lists(results, subsets),
    }


def _subset(view: SubsetView) -> dict[str, Any]:
    others = [measure for measure in view.results["measures"] if measure != view.measure]
    return {
        "view": view,
        "language": language_name(view.language),
        "main": measure_table(view, view.measure),
        "others": [measure_table(view, measure) for measure in others],
        "recognition": recognition_table(view),
        "no_response": no_response_table(view),
        "positives": positives_table(view),
        "losses": loss_table(view, "clean") if "clean" in view.conditions else None,
        "oracles": oracle_table(view),
        "truncation": truncation_table(view),
        "remarks": remarks(view),
        "charts": [
            chart for chart in (score_chart(view), error_chart(view), loss_chart(view)) if chart is not None
        ],
    }


def _macros(results: dict[str, Any], subsets: list[SubsetView]) -> list[Any]:
    tables = []
    for language in results["macro"]:
        members = [view for view in subsets if view.language == language]
        if len(members) > 1:
            conditions = ordered(name for view in members for name in view.conditions)
            tables.append(macro_table(results, language, conditions))
    return tables


def _breakdown(view: SubsetView) -> dict[str, Any]:
    return {
        "view": view,
        "hardest": condition_label(view.hardest),
        "noise": noise_table(view),
        "speakers": speaker_table(view),
        "lengths": length_table(view),
        "numbers": number_table(view),
        "chart": speaker_chart(view),
    }


def _differences(view: SubsetView) -> dict[str, Any]:
    return {
        "view": view,
        "says": holding(view),
        "letters": letters_table(view),
        "systems": system_tables(view),
        "conditions": condition_tables(view),
    }


def _robustness(view: SubsetView) -> dict[str, Any]:
    return {"view": view, "curves": robustness_table(view), "crossings": crossing_table(view)}


def _costs(view: SubsetView) -> dict[str, Any]:
    return {
        "view": view,
        "says": correlation(view),
        "chart": rate_chart(view),
        "rates": rate_table(view),
        "kinds": kind_table(view),
        "alone": alone_table(view),
    }


def _worst(view: SubsetView, clips: dict[Place, Clip]) -> dict[str, Any]:
    return {"view": view, "cards": query_cards(view, clips)}
