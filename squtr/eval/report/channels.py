"""What channels cost: the table by operator, and what is said beside it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from squtr.eval.channel_study import mean_loss, shown_loss, stars
from squtr.eval.report.channel_figures import beside_chart, curve_chart, survival_chart
from squtr.eval.report.figures import Chart
from squtr.eval.report.table import Cell, Table, missing, percent_cell, words
from squtr.eval.report.view import SubsetView
from squtr.eval.report.words import Label, amount, count, label, number, percent, visible

_GONE = "no text with a word went through"


@dataclass(frozen=True, slots=True)
class ChannelPart:
    """One subset's channels: the table first, then what goes together."""

    view: SubsetView
    table: Table
    counts: Table
    charts: tuple[Chart, ...]
    remarks: tuple[str, ...]


def channel_parts(results: Mapping[str, Any], subsets: Sequence[SubsetView]) -> list[ChannelPart]:
    """Return a part for each subset; none where no channel was asked for."""
    found = (results.get("channels") or {"subsets": {}})["subsets"]
    return [_part(view, found[view.key]) for view in subsets if view.key in found]


def _part(view: SubsetView, study: Mapping[str, Any]) -> ChannelPart:
    charts = (survival_chart(view, study), curve_chart(view, study), beside_chart(view, study))
    return ChannelPart(
        view,
        _loss_table(study),
        _count_table(study),
        tuple(chart for chart in charts if chart is not None),
        tuple(_remarks(study)),
    )


def _loss_table(study: Mapping[str, Any]) -> Table:
    rows = tuple(
        (
            label(name),
            (
                words(one["kind"]),
                percent_cell(one["realised"]["token_survival"], _GONE, bar=True),
                percent_cell(one["realised"]["typo_rate"], _GONE),
                *(_loss(cell) for cell in one["systems"].values()),
            ),
        )
        for name, one in _dearest_first(study)
    )
    heads = (Label("kind"), Label("words kept"), Label("edits a letter"))
    caption = (
        f"Share of {study['measure']} on the text that is lost, the dearest channel first;"
        f" {amount(study['queries'], 'query')}. Below: the 95\u202f% interval over the seeds (Student), or,"
        " where ~ stands, over the queries. Stars: p of the paired t-test over the seeds below 0.05, 0.01,"
        f" 0.001, times its {amount(study['tests'], 'test')} (Bonferroni)."
    )
    return Table(caption, "channel", (*heads, *map(label, study["text"])), rows)


def _count_table(study: Mapping[str, Any]) -> Table:
    names = ("texts", "changed", "unchanged", "without_letters", "failed", "empty")
    rows = tuple(
        (
            label(name),
            (
                *(Cell(count(one["realised"][each])) for each in names),
                _number(one["realised"]["edits_per_word"]),
                *(_p(cell) for cell in one["systems"].values()),
            ),
        )
        for name, one in _dearest_first(study)
    )
    heads = (*(Label(name.replace("_", " ")) for name in names), Label("edits a word"))
    systems = (Label(f"p, {label(name).text}") for name in study["text"])
    caption = "Queries behind each channel, all seeds together, and p after Bonferroni's correction."
    return Table(caption, "channel", (*heads, *systems), rows)


def _dearest_first(study: Mapping[str, Any]) -> list[tuple[str, Mapping[str, Any]]]:
    return sorted(study["channels"].items(), key=lambda item: -mean_loss(item[1]))


def _loss(cell: Mapping[str, Any]) -> Cell:
    loss = shown_loss(cell)
    if loss["mean"] is None:
        return missing(loss["reason"])
    mark = stars(cell) or ("~" if cell["p"] is None else "")
    under = "" if loss["low"] is None else f"{percent(loss['low'])} to {percent(loss['high'])}"
    return Cell(f"{percent(loss['mean'])}{mark}", under=under, remark=cell["reason"] or "")


def _p(cell: Mapping[str, Any]) -> Cell:
    p = cell["p_bonferroni"]
    if p is None:
        return missing(cell["reason"])
    return Cell("< 0.0001" if p < 0.0001 else number(p, 4))


def _number(value: float | None) -> Cell:
    return missing(_GONE) if value is None else Cell(number(value, 3))


def _remarks(study: Mapping[str, Any]) -> Iterator[str]:
    for name, one in study["channels"].items():
        if found := one["realised"]["failed"]:
            yield f"{label(name).text}: {amount(found, 'text')} failed and kept what was written."
    for reason in study["skipped"].values():
        yield f"{visible(reason)} Left out here."
