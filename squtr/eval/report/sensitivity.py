"""The tables of sensitivity: how far the ranking of systems moves under other grading policies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from squtr.eval.report.table import Cell, Table, missing, percent_cell, score_cell, table
from squtr.eval.report.view import SubsetView
from squtr.eval.report.words import condition_label, label, language_name, number, ordered

CONTRACT = "contract"


@dataclass(frozen=True, slots=True)
class SensitivityPart:
    """One subset, or the means of one language's subsets: moves first, then the scores behind them."""

    name: str
    moves: Table
    scores: tuple[Table, ...]


def sensitivity_parts(results: dict[str, Any], views: Sequence[SubsetView]) -> list[SensitivityPart]:
    """Return a part for each subset, and for each language of several; none where it was not asked for."""
    found = results["sensitivity"]
    if found["subsets"] is None:
        return []
    parts = [_part(label(view.key).text, found["subsets"][view.key]) for view in views]
    for language, policies in found["macro"].items():
        if sum(view.language == language for view in views) > 1:
            parts.append(_part(f"{language_name(language)}: mean over subsets", policies))
    return parts


def policy_list(results: dict[str, Any]) -> list[tuple[str, str]]:
    """Return what each policy means; empty where sensitivity was not asked for."""
    return list(results["sensitivity"].get("policies", {}).items())


def normaliser_table(results: dict[str, Any], views: Sequence[SubsetView]) -> Table | None:
    """Error rates as written and with numbers normalised, by subset and condition."""
    rates = results["sensitivity"].get("error_rates")
    if not rates:
        return None
    conditions = ordered(name for view in views for name in view.spoken)
    rows = {
        f"{label(view.key).text}, {words}": [
            percent_cell(_rate(rates[view.key], name, form), "no error rate") for name in conditions
        ]
        for view in views
        for form, words in (("raw", "as written"), ("clean", "normalised"))
    }
    caption = "Error rates under the two normalisers. One recogniser has no ranking to move."
    return table(caption, "subset", [condition_label(name) for name in conditions], rows)


def _part(name: str, policies: Mapping[str, Any]) -> SensitivityPart:
    conditions = ordered(name for cells in policies[CONTRACT]["scores"].values() for name in cells)
    told = [condition_label(condition) for condition in conditions]
    others = {policy: one for policy, one in policies.items() if policy != CONTRACT}
    moves = table(
        "Kendall's tau between the ranking of the systems under the contract and under each policy: 1 for"
        " the same"
        " order, \u22121 for its reverse. Below: the largest move in ranks.",
        "policy",
        told,
        {policy: [_move(one, condition) for condition in conditions] for policy, one in others.items()},
    )
    shown = list(dict.fromkeys((conditions[0], conditions[-1])))
    return SensitivityPart(name, moves, tuple(_scores(policies, condition) for condition in shown))


def _scores(policies: Mapping[str, Any], condition: str) -> Table:
    systems = list(policies[CONTRACT]["scores"])
    rows = {
        policy: [
            score_cell(
                one["scores"][system].get(condition), "the runs are not that deep, or no query is left", 4
            )
            for system in systems
        ]
        for policy, one in policies.items()
    }
    names = [label(system).text for system in systems]
    return table(f"Mean scores, {condition_label(condition)}.", "policy", names, rows)


def _move(one: Mapping[str, Any], condition: str) -> Cell:
    tau, move, reason = (one[what].get(condition) for what in ("tau", "largest_move", "reason"))
    if tau is None:
        return missing(reason or "no such run")
    return Cell(number(tau, 2), under=f"{move:g}")


def _rate(rates: Mapping[str, Any], condition: str, form: str) -> float | None:
    found: float | None = rates[condition][form] if condition in rates else None
    return found
