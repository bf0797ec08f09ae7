"""Tables as values: the template prints every one of them the same way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from squtr.eval.report.words import DASH, Label, percent, score


@dataclass(frozen=True, slots=True)
class Cell:
    """One cell: its text, a smaller second line, a remark on pointing, and a bar from 0 to 1 behind it."""

    text: str
    under: str = ""
    remark: str = ""
    best: bool = False
    bar: float | None = None
    words: bool = False


@dataclass(frozen=True, slots=True)
class Table:
    """A table with its caption; `corner` heads the column of row names."""

    caption: str
    corner: str
    columns: tuple[Label, ...]
    rows: tuple[tuple[Label, tuple[Cell, ...]], ...]


def table(caption: str, corner: str, columns: list[str], rows: dict[str, list[Cell]]) -> Table:
    """Make a table of plain names."""
    return Table(
        caption,
        corner,
        tuple(map(Label, columns)),
        tuple((Label(name), tuple(cells)) for name, cells in rows.items()),
    )


def missing(reason: str) -> Cell:
    """Stand for a value that does not exist and say why."""
    return Cell(DASH, remark=reason)


def words(text: str) -> Cell:
    """A cell of words, which runs from the left and may break."""
    return Cell(text, words=True)


def score_cell(value: float | None, reason: str, digits: int = 3) -> Cell:
    """A bare score, or a dash with its reason."""
    return missing(reason) if value is None else Cell(score(value, digits))


def percent_cell(value: float | None, reason: str, bar: bool = False) -> Cell:
    """A share as per cent; `bar` draws it as well."""
    if value is None:
        return missing(reason)
    return Cell(percent(value), bar=min(1.0, max(0.0, value)) if bar else None)


def interval_cell(interval: Mapping[str, Any] | None, digits: int = 3) -> Cell:
    """A mean over its interval, both as numbers."""
    if interval is None:
        return missing("no such run")
    if interval["mean"] is None:
        return missing(interval.get("reason") or "undefined")
    low, high = score(interval["low"], digits), score(interval["high"], digits)
    return Cell(score(interval["mean"], digits), under=f"{low}–{high}")


def percent_interval_cell(interval: Mapping[str, Any] | None, reason: str) -> Cell:
    """A mean over its interval, both as per cent; `reason` says why there is none at all."""
    if interval is None:
        return missing(reason)
    if interval["mean"] is None:
        return missing(interval.get("reason") or "undefined")
    low, high = percent(interval["low"]), percent(interval["high"])
    return Cell(percent(interval["mean"]), under=f"{low} to {high}")
