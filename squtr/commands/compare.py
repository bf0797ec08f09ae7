"""squtr compare."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from rich.box import SIMPLE
from rich.console import Console
from rich.table import Table

from squtr.errors import UserError
from squtr.eval.beside import Beside, Part, beside, cautions, singles
from squtr.eval.references import Published, read_published
from squtr.eval.results_file import read_results

RESULTS = "results.json"


@dataclass(frozen=True)
class Compared:
    """A result beside published tables."""

    published: Published
    cautions: list[str]
    parts: list[Part]
    singles: list[Beside]


def run_compare(evaluation: Path, spec: str) -> Compared:
    """Set an evaluation beside published tables.

    Raises UserError for what is no evaluation, and where nothing of the two compares.
    """
    published = read_published(spec)
    results = read_results(evaluation / RESULTS if evaluation.is_dir() else evaluation)
    parts, single = beside(results, published), singles(results, published)
    if not parts and not single:
        raise UserError(f"{evaluation}: {spec} prints nothing of its languages, subsets and systems.")
    return Compared(published, cautions(results), parts, single)


def show_compare(compared: Compared, as_json: bool) -> None:
    """Print a table a language, what has nothing to stand beside, and the reasons to be careful."""
    if as_json:
        told = {
            "source": compared.published.source,
            "cautions": compared.cautions,
            "parts": [dataclasses.asdict(part) for part in compared.parts],
            "singles": [dataclasses.asdict(one) for one in compared.singles],
        }
        print(json.dumps(told, ensure_ascii=False, allow_nan=False))
        return
    console = Console()
    for part in compared.parts:
        title = f"{part.language}: this result, what {compared.published.source} prints, the difference"
        console.print(_table(title, (*part.figures, *part.error_rates)))
        for name in part.without:
            print(f"{name}: nothing of its family is printed.")
    if compared.singles:
        console.print(_table(f"Single figures of {compared.published.source}", compared.singles))
    print("Why they may differ:")
    for caution in compared.cautions:
        print(f"- {caution}")
    for part in compared.parts:
        for caution in part.cautions:
            print(f"- {part.language}: {caution}")
    print("Doubts about what is printed:")
    for doubt in dict.fromkeys(doubt for part in compared.parts for doubt in part.doubts):
        print(f"- {doubt}")


def _table(title: str, figures: Sequence[Beside]) -> Table:
    table = Table(title=title, title_justify="left", box=SIMPLE, padding=0)
    conditions = list(dict.fromkeys(one.condition for one in figures))
    table.add_column("system", overflow="fold")
    for condition in conditions:
        table.add_column(condition, justify="right")
    rows: dict[tuple[str, str, str], dict[str, Beside]] = {}
    for one in figures:
        rows.setdefault((one.system, one.beside, one.measure), {})[one.condition] = one
    for (system, where, measure), found in rows.items():
        lines = [_lines(found.get(condition)) for condition in conditions]
        for name, cells in zip((f"{system} {measure}", where, ""), zip(*lines, strict=True), strict=True):
            table.add_row(name, *cells, end_section=not name)
    return table


def _lines(one: Beside | None) -> tuple[str, str, str]:
    if one is None:
        return "-", "-", "-"
    printed = f"{one.low:.3f}" if one.low == one.high else f"{one.low:.2f}-{one.high:.2f}"
    value, printed, difference = (
        text.replace("0.", ".") for text in (f"{one.value:.3f}", printed, f"{one.difference:+.3f}")
    )
    return value, printed, difference
