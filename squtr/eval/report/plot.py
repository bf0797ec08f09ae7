"""What the figures are drawn with: lines with markers, intervals, bars, the axis of conditions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.ticker import FuncFormatter

from squtr.eval.report.styles import GRID, Style, style
from squtr.eval.report.words import condition_label, snr_of

Intervals = Sequence[Mapping[str, Any] | None]
_TURNED_LABELS = 7
_SPREAD = 0.62
_WIDEST_STEP = 0.11


def interval_lines(
    axes: Axes, series: Sequence[Intervals], conditions: Sequence[str], parted: bool = True
) -> None:
    """Draw one line with intervals a series, side by side within each condition; see `conditions_axis`."""
    step = min(_WIDEST_STEP, _SPREAD / len(series))
    for index, row in enumerate(series):
        shift = (index - (len(series) - 1) / 2) * step
        _interval_line(axes, style(index), shift, row)
    conditions_axis(axes, conditions, parted)


def line(
    axes: Axes, look: Style, places: Sequence[float], values: Sequence[float | None], size: float = 5.0
) -> None:
    """Draw a line with markers of `size`, broken where a value is None."""
    dashes: Any = (0, look.dash) if look.dash else "-"
    axes.plot(
        places, _gaps(values), color=look.colour, linestyle=dashes, linewidth=1.4, **_marker(look, size)
    )


def points(axes: Axes, look: Style, values: Sequence[float | None]) -> None:
    """Draw markers at 1, 2, 3, ... without a line."""
    ranks = range(1, len(values) + 1)
    marker = _marker(look, _point_size(values))
    axes.plot(ranks, _gaps(values), linestyle="none", color=look.colour, zorder=2, **marker)


def rings(axes: Axes, look: Style, values: Sequence[float | None]) -> None:
    """Draw markers of a hollow look at 1, 2, 3, ...; a point of `points` at the same place shows inside."""
    ranks = range(1, len(values) + 1)
    marker = _marker(look, _point_size(values) + 2.5)
    axes.plot(ranks, _gaps(values), linestyle="none", color=look.colour, zorder=3, **marker)


def _point_size(values: Sequence[float | None]) -> float:
    return 5.0 if len(values) <= 40 else 3.0


def conditions_axis(axes: Axes, conditions: Sequence[str], parted: bool = True) -> None:
    """Name the conditions on the x axis; where `parted`, dotted lines part text and clean from the SNRs."""
    turned = 45 if len(conditions) > _TURNED_LABELS else 0
    axes.set_xticks(range(len(conditions)), [condition_label(name) for name in conditions], rotation=turned)
    axes.set_xlim(-0.5, len(conditions) - 0.5)
    for border in range(1, len(conditions)):
        if parted and snr_of(conditions[border - 1]) is None:
            axes.axvline(border - 0.5, color=GRID, linewidth=0.8, linestyle=(0, (2, 2)), zorder=0)


def per_cent(axis: Axis) -> None:
    """Write an axis of shares as per cent."""
    axis.set_major_formatter(FuncFormatter(lambda value, _: f"{round(100 * value, 3):g} %".replace("-", "−")))


def _interval_line(axes: Axes, look: Style, shift: float, row: Intervals) -> None:
    known = [
        (place + shift, interval)
        for place, interval in enumerate(row)
        if interval is not None and interval["mean"] is not None
    ]
    if not known:
        return
    errors = [
        [max(0.0, interval["mean"] - interval["low"]) for _, interval in known],
        [max(0.0, interval["high"] - interval["mean"]) for _, interval in known],
    ]
    places, means = [place for place, _ in known], [interval["mean"] for _, interval in known]
    axes.errorbar(places, means, yerr=errors, fmt="none", ecolor=look.colour, elinewidth=0.9)
    line(axes, look, places, means)


def _marker(look: Style, size: float) -> dict[str, Any]:
    face = {"markerfacecolor": "none"} if look.hollow else {}
    return {"marker": look.marker, "markersize": size, "markeredgewidth": 1.1, **face}


def _gaps(values: Sequence[float | None]) -> list[float]:
    return [math.nan if value is None else value for value in values]
