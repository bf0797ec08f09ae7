"""The tables of robustness: slope, area, and where two systems cross."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from squtr.eval.report.table import Cell, Table, missing, table
from squtr.eval.report.view import SubsetView
from squtr.eval.report.words import (
    Label,
    label,
    language_name,
    listed,
    number,
    percent,
    visible,
)

MOST_PAIRS = 45
_SLOPE, _AREA = "fall per 10\u202fdB", "area under the curve"


def robustness_table(view: SubsetView) -> Table | None:
    """Slopes and areas by system, or None where there are fewer than two SNRs."""
    found = view.results["robustness"]["subsets"][view.key]
    if len(found["snrs_db"]) < 2:
        return None
    rows = {
        label(system).text: [_scaled(one["slope_per_db"], 10, 3), _scaled(one["area"], 1, 3)]
        for system, one in found["systems"].items()
    }
    snrs = listed(f"{snr:g}" for snr in found["snrs_db"])
    caption = f"Over {snrs} dB of plain noise: means, 95\u202f% intervals below."
    return table(caption, "system", [_SLOPE, _AREA], rows)


def macro_robustness(results: dict[str, Any], language: str) -> Table:
    """Means of the subsets' slopes and areas in one language."""
    rows = {
        label(system).text: [_scaled(one["slope_per_db"], 10, 3), _scaled(one["area"], 1, 3)]
        for system, one in results["robustness"]["macro"][language].items()
    }
    caption = f"Mean over the subsets in {language_name(language)}."
    return table(caption, "system", [_SLOPE, _AREA], rows)


def crossing_table(view: SubsetView) -> Table | None:
    """The SNR below which the better system of each pair is the worse, or None where there is no pair."""
    found = view.results["robustness"]["subsets"][view.key]["crossings"]
    if not found:
        return None
    rows = tuple(
        (
            Label(f"{label(one['leader']).text} below {label(one['follower']).text}"),
            (_place(one), Cell(percent(one["share"], 0)), _all(one)),
        )
        for one in found[:MOST_PAIRS]
    )
    cut = f" The first {MOST_PAIRS} of {len(found)} pairs." if len(found) > MOST_PAIRS else ""
    caption = (
        "Where the system that leads at the highest SNR falls below the other, in dB, with a 95\u202f%"
        " interval of"
        f" the resamples in which it does and their share.{cut}"
    )
    columns = (Label("at, dB"), Label("resamples"), Label("all crossings, dB"))
    return Table(caption, "pair of systems", columns, rows)


def _scaled(interval: Mapping[str, Any], scale: float, digits: int) -> Cell:
    if interval["mean"] is None:
        return missing(interval["reason"])
    under = ""
    if interval.get("low") is not None:
        under = f"{number(scale * interval['low'], digits)} to {number(scale * interval['high'], digits)}"
    return Cell(number(scale * interval["mean"], digits), under=under)


def _place(one: Mapping[str, Any]) -> Cell:
    span = "" if one["low"] is None else f"{number(one['low'], 1)} to {number(one['high'], 1)}"
    if one["snr_db"] is None:
        return Cell("none", under=span, remark=visible(one["reason"]))
    return Cell(number(one["snr_db"], 1), under=span)


def _all(one: Mapping[str, Any]) -> Cell:
    return Cell(", ".join(number(snr, 1) for snr in one["snrs_db"]) or "none")
