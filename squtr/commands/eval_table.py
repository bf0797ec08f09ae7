"""The table that squtr eval prints: as many conditions side by side as fit, the others below."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from squtr.counted import counted
from squtr.eval.hearing import lost_conditions, recognition_by_spec

Row = tuple[str, list[str]]

FAILED = "failed"
_FRAME = 3  # what a column takes besides its text


def score_tables(results: dict[str, Any], subset: str, width: int) -> Iterator[Table]:
    """Yield the tables of a subset, each at most `width` wide; long names go on in the next line.

    Rows: every system's main measure with half its interval, "failed" where it got no recording, then every
    recogniser's error rate and speed.
    """
    facts = results["dataset"]["subsets"][subset]
    title = f"{subset}: {results['main_measure']}, {counted(facts['judged_queries'], 'query')}"
    conditions = results["conditions"]
    systems, recognition = _systems(results, subset), list(_recognition(results, subset))
    rows = [*systems, *recognition]
    widths = [max(map(len, cells)) for cells in zip(conditions, *(cells for _, cells in rows), strict=True)]
    longest = max(len(name) for name, _ in (("system", []), *rows))
    names = max(min(longest, width // 3), width - 1 - _FRAME - sum(each + _FRAME for each in widths))
    names = min(longest, names)
    for place, part in enumerate(_parts(widths, width - 1 - names - _FRAME)):
        table = Table(title=f"{title}{', continued' if place else ''}", title_justify="left")
        table.add_column("system", width=names, overflow="fold")
        for condition in conditions[part]:
            table.add_column(condition, justify="right", overflow="fold")
        for name, cells in systems:
            table.add_row(Text(name), *cells[part])
        table.add_section()
        for name, cells in recognition:
            table.add_row(Text(name), *cells[part])
        yield table


def _parts(widths: Sequence[int], room: int) -> Iterator[slice]:
    """Yield runs of columns that fit into `room`, of one column at least."""
    start = used = 0
    for place, width in enumerate(widths):
        if place > start and used + width + _FRAME > room:
            yield slice(start, place)
            start, used = place, 0
        used += width + _FRAME
    yield slice(start, len(widths))


def _systems(results: dict[str, Any], subset: str) -> list[Row]:
    rows = []
    for system, conditions in results["scores"][subset].items():
        lost = lost_conditions(results, subset, system)
        cells = [
            FAILED if name in lost else _score(results, conditions.get(name))
            for name in results["conditions"]
        ]
        rows.append((system, cells))
    return rows


def _recognition(results: dict[str, Any], subset: str) -> Iterator[Row]:
    for spec, found in recognition_by_spec(results).items():
        rates, times = found[subset], results["timing"]["recognition"][spec][subset]
        name = next(iter(rates.values()))["name"]
        yield f"{name}, {spec}", [_rate(rates.get(one)) for one in results["conditions"]]
        if any(time["computed"] for time in times.values()):
            yield "  x real time", [_factor(times.get(one)) for one in results["conditions"]]


def _factor(cost: dict[str, Any] | None) -> str:
    if cost is None or cost["real_time_factor"] is None:
        return "-"
    return f"{cost['real_time_factor']:.2g}"


def _score(results: dict[str, Any], cell: dict[str, Any] | None) -> str:
    if cell is None:
        return "-"
    interval = cell["measures"][results["main_measure"]]
    half = (interval["high"] - interval["low"]) / 2
    return f"{interval['mean']:.4f} ±{half:.2f}"


def _rate(recognition: dict[str, Any] | None) -> str:
    if recognition is None or recognition["clean"]["rate"] is None:
        return "-"
    return f"{recognition['clean']['rate']:.1%}"
