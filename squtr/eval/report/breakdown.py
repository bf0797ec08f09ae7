"""Scores and error rates by noise category, speaker, length of the query and numbers in it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from squtr.eval.report.table import Cell, Table, interval_cell, missing, percent_cell
from squtr.eval.report.view import SubsetView
from squtr.eval.report.words import Label, condition_label, count, label, score

SPEAKERS_AT_EACH_END = 5
_NO_RATE = "no recording of this group has a rate"
_NO_SCORE = "no query of this group is judged"


def noise_table(view: SubsetView) -> Table | None:
    """Noise categories at the lowest SNR, the worst first, or None where nothing tells the noise."""
    groups = _at(view.results["by_noise_category"].get(view.key, {}), view.hardest)
    if not groups:
        return None
    caption = f"By noise category at {condition_label(view.hardest)}, worst {view.rate_name} first."
    rows = tuple((label(name), _cells(view, group)) for name, group in groups)
    return Table(caption, "category", _columns(view), rows)


def speaker_table(view: SubsetView) -> Table | None:
    """The worst and the best speakers at the lowest SNR, or None where nothing tells the speaker."""
    groups = _at(speakers(view), view.hardest)
    if not groups:
        return None
    ends, shown = SPEAKERS_AT_EACH_END, groups
    if len(groups) > 2 * ends:
        shown = [*groups[:ends], *groups[-ends:]]
        which = f"The {ends} worst and the {ends} best of {len(groups)} speakers"
    else:
        which = f"All {len(groups)} speakers" if len(groups) > 1 else "The one speaker"
    caption = f"{which} by {view.rate_name} at {condition_label(view.hardest)}, worst first."
    rows = tuple((label(name), _cells(view, group)) for name, group in shown)
    return Table(caption, "speaker", _columns(view), rows)


def length_table(view: SubsetView) -> Table | None:
    """Queries by their length in error units at the lowest SNR, the shortest first; None for one length."""
    groups = _present(view, "by_query_length")
    if len(groups) < 2:
        return None
    caption = f"By length of the query in {view.unit}s at {condition_label(view.hardest)}."
    rows = tuple((Label(name.replace("-", "\u2013")), _cells(view, group)) for name, group in groups)
    return Table(caption, f"{view.unit}s", _columns(view), rows)


def number_table(view: SubsetView) -> Table | None:
    """Queries with and without numbers at the lowest SNR, or None where all are of one kind."""
    groups = _present(view, "by_numbers")
    if len(groups) < 2:
        return None
    caption = f"By numbers in the query at {condition_label(view.hardest)}."
    return Table(caption, "numbers", _columns(view), tuple((Label(n), _cells(view, g)) for n, g in groups))


def speaker_rates(view: SubsetView) -> Table:
    """Every speaker's error rate under every condition, in the order of their names."""
    rows = tuple(
        (
            label(name),
            (
                Cell(count(max(group["queries"] for group in conditions.values()))),
                *(percent_cell(_rate(conditions, condition), _NO_RATE) for condition in view.spoken),
            ),
        )
        for name, conditions in speakers(view).items()
    )
    columns = (Label("n"), *(Label(condition_label(condition)) for condition in view.spoken))
    return Table(f"{view.rate_name} by speaker and condition.", "speaker", columns, rows)


def speakers(view: SubsetView) -> dict[str, dict[str, Any]]:
    """Return {speaker: {condition: group}}; empty without a manifest."""
    found: dict[str, dict[str, Any]] = view.results["by_speaker"].get(view.key, {})
    return found


def speaker_pairs(view: SubsetView) -> list[tuple[float | None, float]]:
    """Return each speaker's error rate in clean speech and at the lowest SNR, ordered by the latter."""
    first = view.spoken[0]
    pairs = [
        (None if first == view.hardest else _rate(conditions, first), worst)
        for conditions in speakers(view).values()
        if (worst := _rate(conditions, view.hardest)) is not None
    ]
    return sorted(pairs, key=lambda pair: (pair[1], pair[0] or 0.0))


def _at(table: dict[str, dict[str, Any]], condition: str) -> list[tuple[str, dict[str, Any]]]:
    groups = [(name, conditions[condition]) for name, conditions in table.items() if condition in conditions]
    return sorted(
        groups, key=lambda row: (row[1]["error_rate"] is None, -(row[1]["error_rate"] or 0), row[0])
    )


def _present(view: SubsetView, part: str) -> list[tuple[str, dict[str, Any]]]:
    groups = view.results[part][view.key].items()
    return [(name, conditions[view.hardest]) for name, conditions in groups if view.hardest in conditions]


def _rate(conditions: dict[str, Any], condition: str) -> float | None:
    rate: float | None = conditions[condition]["error_rate"] if condition in conditions else None
    return rate


def _columns(view: SubsetView) -> tuple[Label, ...]:
    return (Label("n"), Label(view.rate_name), *(label(system) for system in view.scores))


def _cells(view: SubsetView, group: dict[str, Any]) -> tuple[Cell, ...]:
    scores: Sequence[Cell] = [_score(group, system) for system in view.scores]
    return (
        Cell(count(group["queries"])),
        percent_cell(group["error_rate"], _NO_RATE, bar=True),
        *scores,
    )


def _score(group: dict[str, Any], system: str) -> Cell:
    if group["scores"].get(system) is None:
        return missing(_NO_SCORE)
    if group["intervals"] is None:
        return Cell(score(group["scores"][system]), remark=group["reason"])
    return interval_cell(group["intervals"][system])
