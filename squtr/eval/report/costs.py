"""What recognition errors cost: loss by error rate, and by kind of error."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from squtr.eval.report.figures import Chart
from squtr.eval.report.plot import interval_lines
from squtr.eval.report.styles import INK, style
from squtr.eval.report.svg import HEIGHT, drawing, inline_svg
from squtr.eval.report.table import Cell, Table, missing
from squtr.eval.report.view import SubsetView
from squtr.eval.report.words import Label, count, label, listed, number

MOST_SERIES = 16


def costs(view: SubsetView) -> dict[str, Any]:
    """Return what the results say of one subset's errors."""
    found: dict[str, Any] = view.results["error_costs"][view.key]
    return found


def rate_table(view: SubsetView) -> Table:
    """Mean loss by error rate, with counts and intervals."""
    rows = tuple(
        (
            Label(rate_name(one)),
            (
                Cell(count(one["recordings"])),
                Cell(count(one["queries"])),
                *(_interval(one["loss"][system]) for system in view.cascades),
            ),
        )
        for one in costs(view)["rates"]
    )
    columns = (Label("recordings"), Label("queries"), *(label(system) for system in view.cascades))
    caption = (
        f"{view.measure} on the text minus on the transcript, by {view.rate_name}, all spoken conditions"
        " together: mean, 95\u202f% interval below."
    )
    return Table(caption, view.rate_name, columns, rows)


def rate_chart(view: SubsetView) -> Chart | None:
    """Mean loss by error rate; None where no group is large enough for an interval."""
    groups = costs(view)["rates"]
    shown = view.cascades[:MOST_SERIES]
    series = [[_whole(one["loss"][system]) for one in groups] for system in shown]
    if not any(one for row in series for one in row):
        return None
    names = [rate_name(one) for one in groups]
    caption = f"Loss of {view.measure} by {view.rate_name} of the recording, with 95\u202f% intervals."
    with drawing(HEIGHT + 9 * max(0, len(shown) - 6)) as figure:
        axes = figure.add_subplot()
        interval_lines(axes, series, list(map(_tick, groups)), parted=False)
        axes.axhline(0, color=INK, linewidth=0.8, zorder=1)
        axes.set_ylabel("loss")
        axes.set_xlabel(f"{view.rate_name}, per cent")
        alt = f"Line chart: {caption} For {listed(names)}. Its numbers are in the table below it."
        svg = inline_svg(figure, f"s{view.number}-costs", alt)
    cut = f" The first {MOST_SERIES} systems." if len(view.cascades) > MOST_SERIES else ""
    legend = tuple((style(index).swatch(), label(system)) for index, system in enumerate(shown))
    return Chart(svg, caption + cut, legend, rate_table(view))


def kind_table(view: SubsetView) -> Table | None:
    """What each kind of error adds to the loss, the dearest first; None without any error."""
    return _kinds(
        view,
        "cost",
        f"Loss of {view.measure} that a kind of error adds where it occurs, the other kinds held fixed:"
        " regression coefficient, 95\u202f% interval below.",
        lambda one: one,
    )


def alone_table(view: SubsetView) -> Table | None:
    """The mean loss of recordings with one kind of error only."""
    return _kinds(
        view,
        "alone",
        f"Mean loss of {view.measure} of the recordings with errors of this kind only.",
        lambda one: one["alone"],
    )


def correlation(view: SubsetView) -> str:
    """Say how error rate and loss go together, by system."""
    told = []
    for system, one in costs(view)["correlation"].items():
        if one["mean"] is None:
            told.append(f"{label(system).text}: undefined ({one['reason']})")
        else:
            span = f"{number(one['low'], 2)} to {number(one['high'], 2)}"
            told.append(f"{label(system).text} {number(one['mean'], 2)} ({span})")
    if not told:
        return f"{costs(view)['reason']}.".capitalize()
    return f"Spearman's rank correlation of {view.rate_name} and loss: {', '.join(told)}."


def rate_name(one: Mapping[str, Any]) -> str:
    """Return a group of error rates in words: `0`, `to 10 %`, `over 100 %`."""
    if one["above"] is None:
        return "0"
    if one["up_to"] is None:
        return f"over {100 * one['above']:g}\u202f%"
    return f"to {100 * one['up_to']:g}\u202f%"


def _tick(one: Mapping[str, Any]) -> str:
    if one["above"] is None:
        return "0"
    return f">{100 * one['above']:g}" if one["up_to"] is None else f"≤{100 * one['up_to']:g}"


def _kinds(view: SubsetView, field: str, caption: str, counted: Any) -> Table | None:
    heard = (one for one in costs(view)["kinds"] if counted(one)["recordings"])
    found = sorted(heard, key=lambda one: -_cost(one))
    if not found:
        return None
    rows = tuple(
        (
            Label(f"{one['edit']}: {one['word']}"),
            (
                Cell(count(counted(one)["recordings"])),
                Cell(count(counted(one)["queries"])),
                *(_interval(_values(one, field)[system]) for system in view.cascades),
            ),
        )
        for one in found
    )
    columns = (Label("recordings"), Label("queries"), *(label(system) for system in view.cascades))
    return Table(caption, "kind of error", columns, rows)


def _values(one: Mapping[str, Any], field: str) -> Mapping[str, Any]:
    found: Mapping[str, Any] = one["cost"] if field == "cost" else one["alone"]["loss"]
    return found


def _cost(one: Mapping[str, Any]) -> float:
    known: Sequence[float] = [cost["mean"] for cost in one["cost"].values() if cost["mean"] is not None]
    return sum(known) / len(known) if known else float("-inf")


def _whole(interval: Mapping[str, Any]) -> Mapping[str, Any] | None:
    return None if interval["low"] is None else interval


def _interval(interval: Mapping[str, Any]) -> Cell:
    if interval["mean"] is None:
        return missing(interval["reason"])
    if interval["low"] is None:
        return Cell(number(interval["mean"], 3), remark=interval["reason"])
    return Cell(
        number(interval["mean"], 3), under=f"{number(interval['low'], 3)} to {number(interval['high'], 3)}"
    )
