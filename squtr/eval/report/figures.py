"""The figures: scores, losses and error rates by condition, error rates by speaker."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup
from matplotlib.axes import Axes
from matplotlib.ticker import MaxNLocator

from squtr.eval.report.breakdown import speaker_pairs, speaker_rates
from squtr.eval.report.plot import Intervals, conditions_axis, interval_lines, line, per_cent, points, rings
from squtr.eval.report.recognition import error_count_table
from squtr.eval.report.scores import loss_table, measure_table
from squtr.eval.report.styles import COLOURS, GRID, INK, Style, style
from squtr.eval.report.svg import HEIGHT, drawing, inline_svg
from squtr.eval.report.table import Table
from squtr.eval.report.view import SubsetView
from squtr.eval.report.words import Label, amount, condition_label, label, listed

MOST_SERIES = 16
_EMPTY, _FAILED = COLOURS[4], COLOURS[3]
_CLEAN, _RAW = style(0), Style(COLOURS[1], "s", (4, 2), True)
_HARD, _EASY = style(1), Style(COLOURS[0], "o", (), True)
_NO_LINE = (0, 40)

Legend = tuple[tuple[Markup, Label], ...]


@dataclass(frozen=True, slots=True)
class Chart:
    """A figure with its caption, its legend (swatch and name) and the table of its numbers."""

    svg: Markup
    caption: str
    legend: Legend
    numbers: Table


def score_chart(view: SubsetView) -> Chart | None:
    """The main measure by condition with its intervals; None without any score."""
    intervals = {
        system: [cells[name]["measures"][view.measure] if name in cells else None for name in view.conditions]
        for system, cells in view.scores.items()
    }
    shown = _first_systems(intervals)
    if not _any_known(shown):
        return None
    caption = f"{view.measure} by condition, with 95\u202f% intervals."
    with drawing(_height(shown)) as figure:
        axes = figure.add_subplot()
        interval_lines(axes, list(shown.values()), view.conditions)
        low, high = axes.get_ylim()
        axes.set_ylim(max(0.0, low), min(1.0, high) + 0.005)
        axes.set_ylabel(view.measure)
        alt = _description(caption, view.conditions)
        svg = inline_svg(figure, f"s{view.number}-score", alt)
    if low > 0:
        caption += " The axis does not begin at 0."
    caption += _left_out(intervals)
    return Chart(svg, caption, _systems_legend(shown), measure_table(view, view.measure, 4))


def loss_chart(view: SubsetView) -> Chart | None:
    """What is lost against text by condition, with paired intervals; None where no loss is defined."""
    intervals = {
        system: [cells.get(name, {}).get("loss_against_text") for name in view.spoken]
        for system, cells in view.scores.items()
    }
    shown = _first_systems(intervals)
    if not _any_known(shown):
        return None
    caption = "Share of the score on text that is lost by condition, with paired 95\u202f% intervals."
    with drawing(_height(shown)) as figure:
        axes = figure.add_subplot()
        interval_lines(axes, list(shown.values()), view.spoken)
        axes.axhline(0, color=INK, linewidth=0.8, zorder=1)
        per_cent(axes.yaxis)
        axes.set_ylabel("loss against text")
        svg = inline_svg(figure, f"s{view.number}-loss", _description(caption, view.spoken))
    return Chart(svg, caption + _left_out(intervals), _systems_legend(shown), loss_table(view, "text"))


def error_chart(view: SubsetView) -> Chart | None:
    """Error rates by condition and the share of recordings without a transcript; None without any rate."""
    parts = [view.recognition[name] for name in view.spoken]
    clean, raw = ([part[form]["rate"] for part in parts] for form in ("clean", "raw"))
    if all(rate is None for rate in clean):
        return None
    empty, failed = ([_share(part[kind], part) for part in parts] for kind in ("empty", "failed"))
    lost = _lost_legend(empty, failed)
    tail = "; bars: recordings without a transcript." if lost else ". No transcript is empty or failed."
    caption = f"{view.rate_name} by condition{tail}"
    with drawing() as figure:
        axes = figure.add_subplot()
        _bars(axes, empty, failed)
        places = list(range(len(parts)))
        line(axes, _RAW, places, raw, 7.0)
        line(axes, _CLEAN, places, clean)
        conditions_axis(axes, view.spoken)
        per_cent(axes.yaxis)
        axes.set_ylim(bottom=0)
        axes.set_ylabel("share" if lost else view.rate_name)
        svg = inline_svg(figure, f"s{view.number}-errors", _description(caption, view.spoken))
    lines = (
        (_CLEAN.swatch(), Label(f"{view.rate_name}, numbers normalised")),
        (_RAW.swatch(), Label(f"{view.rate_name}, as written")),
    )
    return Chart(svg, caption, (*lines, *lost), error_count_table(view))


def speaker_chart(view: SubsetView) -> Chart | None:
    """Every speaker's error rate in clean speech and at the lowest SNR; None for fewer than two."""
    pairs = speaker_pairs(view)
    if len(pairs) < 2:
        return None
    before, after = [pair[0] for pair in pairs], [pair[1] for pair in pairs]
    hardest = condition_label(view.hardest)
    caption = f"{view.rate_name} of {amount(len(pairs), 'speaker')}, ordered by their rate at {hardest}."
    with drawing() as figure:
        axes = figure.add_subplot()
        for rank, (easy, hard) in enumerate(pairs, start=1):
            if easy is not None:
                axes.plot([rank, rank], [easy, hard], color=GRID, linewidth=1.2, zorder=1)
        points(axes, _HARD, after)
        rings(axes, _EASY, before)
        axes.set_xlabel("speakers, from the best to the worst")
        axes.xaxis.set_major_locator(MaxNLocator(nbins=8, integer=True, min_n_ticks=1))
        per_cent(axes.yaxis)
        axes.set_ylabel(view.rate_name)
        svg = inline_svg(figure, f"s{view.number}-speakers", f"Dot plot: {caption}")
    legend = [(_dot(_HARD), Label(hardest))]
    if any(rate is not None for rate in before):
        legend.append((_dot(_EASY), Label(condition_label(view.spoken[0]))))
    return Chart(svg, caption, tuple(legend), speaker_rates(view))


def _first_systems(intervals: Mapping[str, Intervals]) -> dict[str, Intervals]:
    return dict(list(intervals.items())[:MOST_SERIES])


def _height(shown: Mapping[str, Intervals]) -> int:
    return HEIGHT + 9 * max(0, len(shown) - 6)


def _any_known(intervals: Mapping[str, Intervals]) -> bool:
    return any(one and one["mean"] is not None for row in intervals.values() for one in row)


def _left_out(intervals: Mapping[str, Intervals]) -> str:
    most = MOST_SERIES
    return f" The first {most} of {len(intervals)} systems." if len(intervals) > most else ""


def _systems_legend(shown: Mapping[str, Intervals]) -> Legend:
    return tuple((style(index).swatch(), label(system)) for index, system in enumerate(shown))


def _share(value: int, part: Mapping[str, Any]) -> float:
    return value / max(1, int(part["recordings"]))


def _bars(axes: Axes, empty: Sequence[float], failed: Sequence[float]) -> None:
    places = range(len(empty))
    axes.bar(places, empty, 0.34, color=_EMPTY, alpha=0.55)
    axes.bar(places, failed, 0.34, bottom=empty, color=_FAILED, alpha=0.55, hatch="///")


def _lost_legend(empty: Sequence[float], failed: Sequence[float]) -> Legend:
    swatch = Markup('<span class="bar-swatch {}" aria-hidden="true"></span>')
    found = []
    if any(empty):
        found.append((swatch.format("bar-empty"), Label("empty transcripts")))
    if any(failed):
        found.append((swatch.format("bar-failed"), Label("failed recordings")))
    return tuple(found)


def _dot(look: Style) -> Markup:
    return Style(look.colour, look.marker, _NO_LINE, look.hollow).swatch()


def _description(caption: str, conditions: Sequence[str]) -> str:
    names = listed(condition_label(name) for name in conditions)
    return f"Line chart: {caption} For {names}. Its numbers are in the table below it."
