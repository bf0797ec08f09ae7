"""The tables of limits: what choosing between members could reach, and what models cut of their texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from squtr.eval.report.table import Cell, Table, missing, score_cell
from squtr.eval.report.view import SubsetView
from squtr.eval.report.words import DASH, Label, condition_label, count, label, percent, visible


def oracle_table(view: SubsetView) -> Table | None:
    """Each adaptive system beside its oracle, or None where no system chooses between others."""
    found = view.results["oracles"]["subsets"].get(view.key)
    if not found:
        return None
    rows: list[tuple[Label, tuple[Cell, ...]]] = []
    for system, by_condition in found.items():
        name = label(system).text
        reached = view.scores[system]
        rows += [
            (label(system), tuple(_reached(reached, one, view.measure) for one in view.conditions)),
            (
                Label(f"{name}: oracle"),
                tuple(_best(by_condition, one, view.measure) for one in view.conditions),
            ),
            (Label(f"{name}: first is best"), tuple(_share(by_condition, one) for one in view.conditions)),
        ]
    caption = (
        f"{view.measure} of adaptive systems and of their oracle, {view.results['oracles']['what']}. Below:"
        " the share of queries for which the first member is at least as good as the others."
    )
    return Table(
        caption, "system", tuple(Label(condition_label(one)) for one in view.conditions), tuple(rows)
    )


def truncation_table(view: SubsetView) -> Table | None:
    """Texts that models read and cut at their end, or None where no model tells."""
    found = view.results["truncation"].get(view.key)
    if not found:
        return None
    rows = []
    for system, counted in found.items():
        kind, read = next((item for item in counted.items() if item[0] != "cut"), ("texts", 0))
        cut = counted["cut"]
        share = percent(cut / read) if read else DASH
        rows.append((label(system), (Cell(visible(kind)), Cell(count(read)), Cell(count(cut)), Cell(share))))
    columns = tuple(map(Label, ("of", "read", "cut", "share")))
    caption = "Texts longer than a system's model reads: what follows the cut decides no score."
    return Table(caption, "system", columns, tuple(rows))


def _reached(reached: Mapping[str, Any], condition: str, measure: str) -> Cell:
    cell = reached.get(condition)
    return score_cell(None if cell is None else cell["measures"][measure]["mean"], "no such run")


def _best(by_condition: Mapping[str, Any], condition: str, measure: str) -> Cell:
    found = by_condition.get(condition)
    return score_cell(None if found is None else found["means"][measure], "no such run")


def _share(by_condition: Mapping[str, Any], condition: str) -> Cell:
    found = by_condition.get(condition)
    if found is None or found["first_is_best"] is None:
        return missing("no such run")
    return Cell(percent(found["first_is_best"], 0))
