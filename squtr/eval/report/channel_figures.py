"""The figures of channels: survival against loss, the typo curve, and all conditions side by side."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from squtr.eval.channel_study import HEARD, shown_loss
from squtr.eval.report.figures import MOST_SERIES, Chart, Legend
from squtr.eval.report.plot import line, per_cent
from squtr.eval.report.styles import GRID, INK, Style, style
from squtr.eval.report.svg import drawing, inline_svg
from squtr.eval.report.table import Table, percent_cell, percent_interval_cell, words
from squtr.eval.report.view import SubsetView
from squtr.eval.report.words import Label, condition_label, label, listed, number, percent, snr_of

_KINDS = ("typed", "spoken", "other", HEARD)
_ROW, _FRAME = 19, 64
_NAME = 27
_FAMILY = re.compile(r"\b(typed|spoken):")
_SPREAD = 0.56


def survival_chart(view: SubsetView, study: Mapping[str, Any]) -> Chart | None:
    """Loss by the share of words kept, a marker a channel and system; None for fewer than three channels."""
    shown = _shown(study)
    found = study["survival_against_loss"]
    if all(found[system]["r"] is None for system in shown):
        return None
    told = listed(
        f"{label(system).text} {number(found[system]['r'], 2)} (n = {found[system]['n']})"
        for system in shown
        if found[system]["r"] is not None
    )
    caption = f"Loss by the share of the words kept, a marker a channel. Pearson's r: {told}."
    rows = study["channels"]
    with drawing() as figure:
        axes = figure.add_subplot()
        for system in shown:
            pairs = [_pair(one, system) for one in rows.values()]
            kept, losses = zip(*(pair for pair in pairs if pair[0] is not None), strict=True)
            line(axes, _dots(_look(view, system)), kept, losses)
        _loss_axis(axes)
        per_cent(axes.xaxis)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=6))
        axes.set_xlabel("words kept")
        svg = inline_svg(figure, f"h{view.number}-survival", f"Scatter plot: {caption}")
    numbers = Table(
        "Words kept and loss by channel.",
        "channel",
        (Label("words kept"), *map(label, shown)),
        tuple(
            (
                label(name),
                (
                    percent_cell(one["realised"]["token_survival"], "no words"),
                    *(percent_cell(_pair(one, system)[1], "undefined") for system in shown),
                ),
            )
            for name, one in rows.items()
        ),
    )
    return Chart(svg, caption + _cut(study), _legend(view, shown), numbers)


def curve_chart(view: SubsetView, study: Mapping[str, Any]) -> Chart | None:
    """Loss by rate of typos with its intervals, the knee dotted; None for fewer than two rates."""
    shown = _shown(study)
    curves = {system: study["typo_curve"][system] for system in shown}
    if len(curves[shown[0]]["points"]) < 2:
        return None
    caption = f"Loss by rate of typos, with 95\u202f% intervals. {_knees(curves)}"
    with drawing() as figure:
        axes = figure.add_subplot()
        for system, curve in curves.items():
            look, points = (
                _look(view, system),
                [one for one in curve["points"] if one["loss"]["low"] is not None],
            )
            rates = [one["asked"] for one in points]
            _bars(axes, look, rates, [one["loss"] for one in points], upright=True)
            line(axes, look, [0.0, *rates], [0.0, *(one["loss"]["mean"] for one in points)])
            if curve["knee"]:
                axes.axvline(curve["knee"]["asked"], color=look.colour, linewidth=1, linestyle=(0, (1.5, 2)))
        _loss_axis(axes)
        per_cent(axes.xaxis)
        axes.set_xlabel("letters with a slip, as asked")
        svg = inline_svg(figure, f"h{view.number}-typos", f"Line chart: {caption}")
    first = curves[shown[0]]["points"]
    rows = tuple(
        (
            label(one["channel"]),
            (
                percent_cell(one["realised"], "no letters", bar=False),
                *(percent_interval_cell(curve["points"][place]["loss"], "") for curve in curves.values()),
            ),
        )
        for place, one in enumerate(first)
    )
    numbers = Table("Loss by rate of typos.", "asked", (Label("realised"), *map(label, shown)), rows)
    return Chart(svg, caption + _cut(study), _legend(view, shown), numbers)


def beside_chart(view: SubsetView, study: Mapping[str, Any]) -> Chart:
    """Typed, spoken and heard conditions side by side: loss with its interval over queries."""
    shown = _shown(study)
    rows = _ordered(study["side_by_side"], shown)
    caption = (
        "Loss against the text behind channels and through noise, with 95\u202f% intervals over the queries;"
        " heard: what the recogniser made of clean and noisy speech."
    )
    step = _SPREAD / len(shown)
    with drawing(_FRAME + (_ROW + 4 * min(4, len(shown))) * len(rows)) as figure:
        axes = figure.add_subplot()
        for index, system in enumerate(shown):
            look, shift = _look(view, system), (index - (len(shown) - 1) / 2) * step
            known = [
                (place + shift, one["loss"][system])
                for place, one in enumerate(rows)
                if one["loss"].get(system) and one["loss"][system]["low"] is not None
            ]
            places, losses = [place for place, _ in known], [loss for _, loss in known]
            _bars(axes, look, places, losses, upright=False)
            line(axes, _dots(look), [loss["mean"] for loss in losses], places, 4.0)
        for place in range(1, len(rows)):
            if rows[place]["kind"] != rows[place - 1]["kind"]:
                axes.axhline(place - 0.5, color=GRID, linewidth=0.8, linestyle=(0, (2, 2)), zorder=0)
        axes.set_yticks(range(len(rows)), [_condition(one) for one in rows])
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.axvline(0, color=INK, linewidth=0.8, zorder=1)
        axes.grid(visible=False, axis="y")
        axes.grid(visible=True, axis="x")
        per_cent(axes.xaxis)
        axes.xaxis.set_major_locator(MaxNLocator(nbins=4))
        axes.set_xlabel("loss against text")
        names = listed(_condition(one) for one in rows)
        svg = inline_svg(figure, f"h{view.number}-beside", f"Dot plot: {caption} For {names}.")
    numbers = Table(
        "Loss against the text.",
        "condition",
        (Label("kind"), *map(label, shown)),
        tuple(
            (
                label(_condition(one)),
                (
                    words(one["kind"]),
                    *(percent_interval_cell(one["loss"].get(system), "no such run") for system in shown),
                ),
            )
            for one in rows
        ),
    )
    return Chart(svg, caption + _cut(study), _legend(view, shown), numbers)


def _ordered(beside: Mapping[str, Any], shown: Sequence[str]) -> list[dict[str, Any]]:
    """Return rows by kind; channels in the order of their mean loss, heard conditions as they get harder."""
    rows: dict[tuple[str, str], dict[str, Any]] = {}
    for system in shown:
        for one in beside[system]:
            row = rows.setdefault((one["kind"], one["condition"]), {**one, "loss": {}})
            row["loss"][system] = one["loss"]
    return sorted(rows.values(), key=lambda row: (_KINDS.index(row["kind"]), _hardness(row)))


def _hardness(row: Mapping[str, Any]) -> float:
    if row["kind"] == HEARD:
        snr_db = snr_of(row["condition"])
        return float("-inf") if row["condition"] == "clean" else float("inf") if snr_db is None else -snr_db
    known = [loss["mean"] for loss in row["loss"].values() if loss["mean"] is not None]
    return sum(known) / len(known) if known else float("inf")


def _bars(
    axes: Axes, look: Style, places: Sequence[float], losses: Sequence[Mapping[str, Any]], upright: bool
) -> None:
    means = [loss["mean"] for loss in losses]
    errors = [
        [max(0.0, loss["mean"] - loss["low"]) for loss in losses],
        [max(0.0, loss["high"] - loss["mean"]) for loss in losses],
    ]
    x, y = (places, means) if upright else (means, places)
    sideways, up = (None, errors) if upright else (errors, None)
    axes.errorbar(x, y, yerr=up, xerr=sideways, fmt="none", ecolor=look.colour, elinewidth=0.9)


def _loss_axis(axes: Axes) -> None:
    axes.axhline(0, color=INK, linewidth=0.8, zorder=1)
    per_cent(axes.yaxis)
    axes.set_ylabel("loss against text")


def _pair(one: Mapping[str, Any], system: str) -> tuple[float | None, float | None]:
    return one["realised"]["token_survival"], shown_loss(one["systems"][system])["mean"]


def _knees(curves: Mapping[str, Any]) -> str:
    told = listed(
        f"{label(system).text} at {percent(curve['knee']['asked'])} ({_turn(curve['knee'])})"
        for system, curve in curves.items()
        if curve["knee"]
    )
    return (
        f"Dotted: where the curve bends, {told}."
        if told
        else "No curve bends more than chance would have it."
    )


def _turn(knee: Mapping[str, float]) -> str:
    return "steeper from there" if knee["slope_after"] > knee["slope_before"] else "flatter from there"


def _shown(study: Mapping[str, Any]) -> list[str]:
    return list(study["text"])[:MOST_SERIES]


def _cut(study: Mapping[str, Any]) -> str:
    most = MOST_SERIES
    return f" The first {most} of {len(study['text'])} systems." if len(study["text"]) > most else ""


def _look(view: SubsetView, system: str) -> Style:
    return style(list(view.scores).index(system))


def _dots(look: Style) -> Style:
    return Style(look.colour, look.marker, (0, 40), look.hollow)


def _legend(view: SubsetView, shown: Sequence[str]) -> Legend:
    return tuple((_look(view, system).swatch(), label(system)) for system in shown)


def _condition(one: Mapping[str, Any]) -> str:
    if one["kind"] == HEARD:
        return condition_label(one["condition"])
    return label(_FAMILY.sub("", one["condition"]), _NAME).text
