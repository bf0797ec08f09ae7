"""Each table of the site as CSV and JSON, with every digit."""

from __future__ import annotations

import csv
import functools
import io
import itertools
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from squtr.eval.report.words import visible
from squtr.leaderboard.entry import MAIN
from squtr.leaderboard.printed import Printed
from squtr.leaderboard.system_page import SystemPage

Row = dict[str, Any]
_ENCODER = json.JSONEncoder(ensure_ascii=False, allow_nan=False)
_FORMULA = tuple("=+-@＝＋－＠")


def score_rows(page: SystemPage) -> Iterator[Row]:
    """Yield a row a part, condition and measure of one system; rank and group are of the main measure.

    `part` is a subset, or a language for the mean of its subsets.
    """
    system = page.entry.system
    for part in page.parts:
        for condition, measures in part.scores.items():
            place, cell = part.places[condition], part.cells.get(condition, {})
            for measure, interval in measures.items():
                ranked = measure == MAIN
                yield {
                    "dataset": page.entry.dataset,
                    "part": part.key,
                    "condition": condition,
                    "system": page.entry.id,
                    "name": system.name,
                    "family": system.family,
                    "measure": measure,
                    **interval,
                    "queries": cell.get("queries"),
                    "no_response": cell.get("no_response"),
                    "rank": place.rank if ranked else None,
                    "best_rank": place.best if ranked else None,
                    "worst_rank": place.worst if ranked else None,
                    "group": place.group if ranked else None,
                }


def robustness_rows(page: SystemPage) -> Iterator[Row]:
    """Yield losses, slope and area of one system with their intervals."""
    for part, found in page.entry.facts["robustness"].items():
        for reference in ("text", "clean"):
            for condition, interval in found[f"loss_against_{reference}"].items():
                yield {"part": part, "what": f"loss_against_{reference}", "condition": condition, **interval}
        for what in ("slope_per_db", "area"):
            yield {"part": part, "what": what, "condition": None, **found[what]}


def recognition_rows(page: SystemPage) -> Iterator[Row]:
    """Yield error rates of one system's transcripts with their counts; none without a recogniser."""
    for part, conditions in page.entry.facts["recognition"].items():
        for condition, found in conditions.items():
            yield {"part": part, "condition": condition, **found}


def noise_rows(page: SystemPage) -> Iterator[Row]:
    """Yield the main measure of one system by noise category."""
    for part, categories in page.entry.facts["noise"].items():
        for category, conditions in categories.items():
            for condition, found in conditions.items():
                yield {"part": part, "category": category, "condition": condition, **found}


def printed_rows(printed: Printed) -> Iterator[Row]:
    """Yield the published figures, as they were printed."""
    for language in printed.languages:
        for row in language.rows:
            for condition, value in row.scores.items():
                yield {
                    "source": printed.source,
                    "language": language.code,
                    "system": row.system,
                    "family": row.family,
                    "recogniser": language.recogniser,
                    "condition": condition,
                    "measure": printed.measure,
                    "printed": value,
                    "doubts": " ".join(printed.doubts[number] for number in row.doubts),
                }


def as_csv(rows: Iterable[Mapping[str, Any]]) -> str:
    """Return rows as CSV; what a spreadsheet would take for a formula gets an apostrophe before it.

    What acts unseen in a text is named, as on the pages; so a row is a line.
    """
    file, listed = io.StringIO(), list(rows)
    columns = list(dict.fromkeys(itertools.chain.from_iterable(listed)))
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_harmless(row.get(name)) for name in columns] for row in listed)
    return file.getvalue()


def as_json(rows: Sequence[Mapping[str, Any]] | Iterable[Mapping[str, Any]]) -> str:
    """Return rows as a JSON list, one a line."""
    return "[\n" + ",\n".join(map(_ENCODER.encode, rows)) + "\n]\n"


def _harmless(value: Any) -> Any:
    return _harmless_text(value) if isinstance(value, str) else value


@functools.lru_cache(maxsize=1024)
def _harmless_text(text: str) -> str:
    text = visible(text)
    return f"'{text}" if text.startswith(_FORMULA) else text
