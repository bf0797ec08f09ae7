"""The tables of scores, losses and recognition."""

from __future__ import annotations

from typing import Any

from squtr.eval.hearing import lost_conditions
from squtr.eval.report.table import (
    Cell,
    Table,
    interval_cell,
    missing,
    percent_interval_cell,
    score_cell,
)
from squtr.eval.report.view import SubsetView
from squtr.eval.report.words import (
    Label,
    amount,
    condition_label,
    count,
    label,
    language_name,
    score,
)

_FAILED = Cell("failed", remark="every recording failed; each counts as 0")
_INTERVAL = "mean, 95\u202f% bootstrap interval below"


def measure_table(view: SubsetView, measure: str, digits: int = 3) -> Table:
    """Systems by conditions for one measure; the highest mean of each column is marked."""
    best = {name: _highest(view, measure, name) if len(view.scores) > 1 else None for name in view.conditions}
    rows = []
    for system, conditions in view.scores.items():
        lost = lost_conditions(view.results, view.key, system)
        cells = tuple(
            _FAILED
            if condition in lost
            else _marked(_interval(conditions, condition, measure), best[condition], digits)
            for condition in view.conditions
        )
        rows.append((label(system), cells))
    ceiling = view.facts["ceiling"][measure]
    if ceiling < 1:
        rows.append((Label("best possible"), tuple(Cell(score(ceiling, digits)) for _ in view.conditions)))
    queries = amount(view.facts["judged_queries"], "judged query")
    caption = f"{measure}, {queries}: {_INTERVAL}."
    return Table(caption, "system", _columns(view.conditions), tuple(rows))


def macro_table(results: dict[str, Any], language: str, conditions: list[str]) -> Table:
    """Means of the subset means of one language."""
    systems = results["macro"][language]
    best = {
        condition: max((c[condition] for c in systems.values() if c[condition] is not None), default=None)
        for condition in conditions
    }
    rows = []
    for system, means in systems.items():
        cells = []
        for condition in conditions:
            value = means[condition]
            cell = score_cell(value, "no subset of this language has this condition")
            cells.append(
                Cell(cell.text, cell.under, cell.remark, value is not None and value == best[condition])
            )
        rows.append((label(system), tuple(cells)))
    caption = f"{results['main_measure']}, mean of the subset means in {language_name(language)}."
    return Table(caption, "system", _columns(conditions), tuple(rows))


def loss_table(view: SubsetView, reference: str) -> Table:
    """Relative loss of the main measure against text or clean speech, with paired intervals."""
    conditions = [condition for condition in view.conditions if condition not in ("text", reference)]
    rows = tuple(
        (
            label(system),
            tuple(
                percent_interval_cell(
                    cells.get(condition, {}).get(f"loss_against_{reference}"), f"no run on {reference}"
                )
                for condition in conditions
            ),
        )
        for system, cells in view.scores.items()
    )
    what = "text" if reference == "text" else "clean speech"
    caption = f"Loss of {view.measure} against {what}, gains negative: mean, paired 95\u202f% interval below."
    return Table(caption, "system", _columns(conditions), rows)


def no_response_table(view: SubsetView) -> Table | None:
    """Judged queries a system gave no document for, or None where every query got one."""
    cells = {
        system: [conditions.get(condition) for condition in view.conditions]
        for system, conditions in view.scores.items()
    }
    if not any(cell and cell["no_response"] for row in cells.values() for cell in row):
        return None
    rows = tuple(
        (label(system), tuple(Cell(count(c["no_response"])) if c else missing("no such run") for c in row))
        for system, row in cells.items()
    )
    caption = f"Queries of {count(view.facts['judged_queries'])} without a response; each scores 0."
    return Table(caption, "system", _columns(view.conditions), rows)


def positives_table(view: SubsetView) -> Table | None:
    """The main measure without the queries that have no positive judgement, or None where all have one."""
    if not no_positive(view):
        return None
    rows = tuple(
        (
            label(system),
            tuple(
                score_cell(
                    (found.get("mean_with_positives") or {}).get(view.measure), "no query has a positive"
                )
                if (found := conditions.get(condition))
                else missing("no such run")
                for condition in view.conditions
            ),
        )
        for system, conditions in view.scores.items()
    )
    caption = f"{view.measure} over the queries that have a positive judgement."
    return Table(caption, "system", _columns(view.conditions), rows)


def no_positive(view: SubsetView) -> int:
    """Return how many judged queries have no positive judgement."""
    return max(int(cell["no_positive"]) for row in view.scores.values() for cell in row.values())


def remarks(view: SubsetView) -> list[str]:
    """Say what the counts beside the scores amount to, as sentences."""
    cells = [cell for row in view.scores.values() for cell in row.values()]
    best = [f"{name} {score(value)}" for name, value in view.facts["ceiling"].items() if value < 1]
    said = []
    if no_response_table(view) is None:
        said.append("Every judged query got a response from every system.")
    if found := no_positive(view):
        said.append(f"{amount(found, 'judged query')} without a positive judgement, scored 0.")
    if best:
        said.append(f"The judgements allow no more than {', '.join(best)}.")
    for name, meaning in (
        ("unjudged_queries", "without a judgement: left out of every mean."),
        ("negative_grades", "below 0: they earn nothing."),
        ("judged_documents_missing", "judged but outside the corpus: kept in the ideal ranking."),
    ):
        noun = {"unjudged_queries": "query", "negative_grades": "grade"}.get(name, "document")
        if most := max(cell[name] or 0 for cell in cells):
            said.append(f"{amount(most, noun)} {meaning}")
    return said


def _interval(conditions: dict[str, Any], condition: str, measure: str) -> dict[str, Any] | None:
    cell = conditions.get(condition)
    found: dict[str, Any] | None = cell and cell["measures"][measure]
    return found


def _highest(view: SubsetView, measure: str, condition: str) -> float | None:
    found = [_interval(conditions, condition, measure) for conditions in view.scores.values()]
    return max((one["mean"] for one in found if one and one["mean"] is not None), default=None)


def _marked(interval: dict[str, Any] | None, best: float | None, digits: int) -> Cell:
    cell = interval_cell(interval, digits)
    is_best = best is not None and interval is not None and interval["mean"] == best
    return Cell(cell.text, cell.under, cell.remark, is_best)


def _columns(conditions: list[str]) -> tuple[Label, ...]:
    return tuple(Label(name) for name in _names(conditions))


def _names(conditions: list[str]) -> list[str]:
    return [condition_label(condition) for condition in conditions]
