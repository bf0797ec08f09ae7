"""The site: pages, scripts, values and tables in one folder that opens without a server."""

from __future__ import annotations

import functools
import itertools
import json
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

from jinja2 import Environment, FileSystemLoader, StrictUndefined
from markdown_it import MarkdownIt
from markupsafe import Markup

from squtr import __version__
from squtr.content import content
from squtr.eval.report.sheet import stylesheet
from squtr.eval.report.words import condition_label, language_name, number, percent, visible
from squtr.leaderboard.board import Board
from squtr.leaderboard.cells import cell, share
from squtr.leaderboard.entry import MAIN, MEASURES
from squtr.leaderboard.facts import FAMILIES, size_words
from squtr.leaderboard.page_files import SITE_FILE, WHAT
from squtr.leaderboard.printed import Printed, printed
from squtr.leaderboard.site_tables import (
    as_csv,
    as_json,
    noise_rows,
    printed_rows,
    recognition_rows,
    robustness_rows,
    score_rows,
)
from squtr.leaderboard.site_values import board_value, judged_queries, query_values, script
from squtr.leaderboard.system_page import SystemPage, system_page
from squtr.leaderboard.workers import Each

_TEMPLATES = ("leaderboard", "site")
_COPIED = ("common.js", "chart.js", "board.js", "compare.js", "system.js")
_PAGES = ("index.html", "compare.html", "rules.html")
_RULES = ("leaderboard", "README.md")
_SCROLLED = '<div class="scroll" role="region" aria-label="Table {}" tabindex="0"><table>'


def write_site(board: Board, fresh: Path, each: Each, advance: Callable[[int], None]) -> None:
    """Write the whole site into an empty folder; the same bytes each time.

    `each` is a `map`, over processes where that pays; they write the systems' files.
    """
    written = each(write_system, _system_pages(board), itertools.repeat(fresh))
    for name, text in _shared_files(board, printed()):
        _write(fresh / name, text)
    _write_tables(written, fresh / "tables", advance)
    holds = sorted([*(path.name for path in fresh.iterdir()), SITE_FILE])
    facts = {**_site_facts(board), "holds": holds}
    _write(fresh / SITE_FILE, json.dumps(facts, ensure_ascii=False, indent=1) + "\n")


def _write(path: Path, text: str) -> None:
    data = text.encode("utf-8", "replace")
    try:
        path.write_bytes(data)
    except FileNotFoundError:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)


def _system_pages(board: Board) -> Iterator[SystemPage]:
    names = {entry.id: entry.system.name for entry in board.entries}
    return (system_page(board, entry, names) for entry in board.entries)


def _write_tables(written: Iterable[tuple[str, str]], tables: Path, advance: Callable[[int], None]) -> None:
    """Write the board's own tables, which hold the rows of all systems."""
    with (
        (tables / "board.csv").open("w", encoding="utf-8") as sheet,
        (tables / "board.json").open("w", encoding="utf-8") as values,
    ):
        for place, (rows, plain) in enumerate(written):
            head, _, body = rows.partition("\n")
            sheet.write(body if place else f"{head}\n{body}")
            values.write(("," if place else "[") + plain.removeprefix("[").removesuffix("\n]\n"))
            advance(1)
        values.write("\n]\n")


def write_system(page: SystemPage, fresh: Path) -> tuple[str, str]:
    """Write everything of one system; return its scores as CSV and JSON."""
    system = page.entry.id
    _write(fresh / "systems" / f"{system}.html", _render("system.html.j2", root="../", page=page))
    for key, value in query_values(page.entry):
        _write(fresh / "data" / "scores" / key / f"{system}.js", script("scores", system, key, value))
    made = {
        "scores": score_rows(page),
        "robustness": robustness_rows(page),
        "noise": noise_rows(page),
        "recognition": recognition_rows(page),
    }
    texts = {name: (as_csv(listed), as_json(listed)) for name, rows in made.items() if (listed := list(rows))}
    for name, (sheet, plain) in texts.items():
        _write(fresh / "tables" / name / f"{system}.csv", sheet)
        _write(fresh / "tables" / name / f"{system}.json", plain)
    return texts["scores"]


def _shared_files(board: Board, published: Printed) -> Iterator[tuple[str, str]]:
    yield "style.css", stylesheet(content(*_TEMPLATES, "style.css"))
    for name in _COPIED:
        yield name, content(*_TEMPLATES, name).read_text(encoding="utf-8")
    yield "data/board.js", script("board", board_value(board, published))
    for place, data in enumerate(board.data):
        for key in data.subsets:
            yield f"data/queries/{place}/{key}.js", script("queries", place, key, judged_queries(data, key))
    rows = list(printed_rows(published))
    yield "tables/printed.csv", as_csv(rows)
    yield "tables/printed.json", as_json(rows)
    for name in _PAGES:
        facts = {"board": board, "printed": published, "systems": len(board.entries), "rules": _rules()}
        yield name, _render(f"{name}.j2", root="", **facts)


def _site_facts(board: Board) -> dict[str, Any]:
    return {
        "what": WHAT,
        "squtr": __version__,
        "datasets": {data.name: data.digest for data in board.data},
        "systems": [entry.id for entry in board.entries],
        "left_out": [{**verdict.plain(), "path": Path(verdict.path).name} for verdict in board.left_out],
    }


def _rules() -> Markup:
    """Return the rules of the board as HTML: its README, whose own HTML would be shown as text."""
    text = content(*_RULES).read_text(encoding="utf-8")
    page = MarkdownIt("commonmark", {"html": False}).enable("table").render(text)
    page = re.sub(r'<a href="(?!https?://|#)[^"]*">(.*?)</a>', r"\1", page, flags=re.DOTALL)
    numbers = itertools.count(1)
    page = re.sub("<table>", lambda _: _SCROLLED.format(next(numbers)), page)
    return Markup(page.replace("</table>", "</table></div>"))  # noqa: S704


def _render(template: str, **facts: Any) -> str:
    return _environment().get_template(template).render(**facts)


@functools.lru_cache(maxsize=1)
def _environment() -> Environment:
    environment = Environment(
        loader=FileSystemLoader(content(*_TEMPLATES), encoding="utf-8"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "condition": condition_label,
        "family": FAMILIES.__getitem__,
        "language": language_name,
        "number": number,
        "percent": percent,
        "size": size_words,
        "visible": visible,
        "url": functools.partial(quote, safe=""),
    }
    environment.globals |= {
        "version": __version__,
        "measures": MEASURES,
        "main": MAIN,
        "cell": cell,
        "share": share,
    }
    return environment
