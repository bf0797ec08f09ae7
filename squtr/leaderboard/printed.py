"""The paper's own rows on the board: as they were printed, a class of their own, with every doubt."""

from __future__ import annotations

from dataclasses import dataclass

from squtr.eval.measures import parse_measure
from squtr.eval.references import Published, cells, read_published
from squtr.languages import language_row
from squtr.leaderboard.entry import MAIN

_TABLES = "paper"


@dataclass(frozen=True)
class PrintedRow:
    """One printed system: the main measure by condition, the loss from clean to the last, and its doubts."""

    system: str
    family: str
    scores: dict[str, float | None]
    loss: float | None
    doubts: tuple[int, ...]


@dataclass(frozen=True)
class PrintedLanguage:
    """The rows of one language, best first under the last condition."""

    code: str
    name: str
    over: tuple[str, ...]
    recogniser: str
    rows: tuple[PrintedRow, ...]


@dataclass(frozen=True)
class Printed:
    """Published tables; a row's doubts are numbers in `doubts`, from 0; `general` are about all rows."""

    what: str
    source: str
    measure: str
    conditions: tuple[str, ...]
    languages: tuple[PrintedLanguage, ...]
    doubts: tuple[str, ...]
    general: tuple[str, ...]


def printed() -> Printed:
    """Read the published tables that squtr brings along."""
    tables = read_published(_TABLES)
    place = [parse_measure(name).full_name for name in tables.measures].index(MAIN)
    about = [doubt for doubt in tables.doubts if doubt.systems]
    return Printed(
        tables.what,
        tables.source,
        MAIN,
        tables.conditions,
        tuple(_language(tables, code, place) for code in tables.languages),
        tuple(doubt.says.strip() for doubt in about),
        tuple(doubt.says.strip() for doubt in tables.doubts if not doubt.systems),
    )


def _language(tables: Published, code: str, place: int) -> PrintedLanguage:
    language = tables.languages[code]
    rows = []
    about = [doubt for doubt in tables.doubts if doubt.systems]
    for system, row in language.systems.items():
        values = [None if cell is None else cell[place] for cell in cells(row.printed)]
        scores = dict(zip(tables.conditions, values, strict=True))
        clean, last = scores.get("clean"), values[-1]
        loss = 1 - last / clean if clean and last is not None else None
        doubts = tuple(
            number
            for number, doubt in enumerate(about)
            if system in doubt.systems and code in (doubt.languages or (code,))
        )
        rows.append(PrintedRow(system, row.family, scores, loss, doubts))
    rows.sort(key=lambda row: -(row.scores[tables.conditions[-1]] or 0))
    name = language_row(code).name
    return PrintedLanguage(code, name, language.over, language.recogniser, tuple(rows))
