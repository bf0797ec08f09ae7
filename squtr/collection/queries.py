"""Queries: read whole, each with a text that can be spoken."""

from __future__ import annotations

import math
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from squtr.collection.findings import Findings
from squtr.collection.oddities import is_invisible, note_fullwidth_digits, note_oddities
from squtr.collection.rows import first_present, read_rows
from squtr.collection.values import to_id
from squtr.errors import UserError, at
from squtr.records import Query

_ID_NAMES = ("_id", "id", "qid", "query_id", "query-id", "docid")


def read_queries(path: Path, findings: Findings | None = None) -> tuple[Query, ...]:
    """Read a JSONL or Parquet file of queries, in file order.

    Raises UserError with `file:line` on a broken line, a missing, empty or blank text, an id that is
    no string or integer, and an id given twice.
    """
    return read_query_files([path], findings or Findings())


def read_query_files(paths: Iterable[Path], findings: Findings) -> tuple[Query, ...]:
    """Read queries from shards of one file. Raises UserError as `read_queries` does."""
    seen: dict[str, tuple[Path, int]] = {}
    texts: dict[str, str] = {}
    queries: list[Query] = []
    for path in paths:
        for line, row in read_rows(path, findings):
            query = _query(row, path, line, findings)
            if query.id in seen:
                raise UserError(
                    f"{at(path, line)}: query id {query.id!r} stands already at {at(*seen[query.id])}."
                    " Ids must differ."
                )
            seen[query.id] = (path, line)
            first = texts.setdefault(query.text, query.id)
            if first != query.id:
                findings.add("duplicate-text", f"{query.id} as {first}", "query")
            queries.append(query)
    return tuple(queries)


def _query(row: dict[str, Any], path: Path, line: int, findings: Findings) -> Query:
    id_name = first_present(row, _ID_NAMES)
    if id_name is None:
        raise UserError(f"{at(path, line)}: no query id; looked for {', '.join(_ID_NAMES)}.")
    text = row.get("text")
    if text is not None and not isinstance(text, str):
        raise UserError(f"{at(path, line)}: the query's text is {type(text).__name__}, not a string.")
    if text is None or is_invisible(text):
        state = "missing" if "text" not in row else "null" if text is None else "empty"
        raise UserError(
            f"{at(path, line)}: the text of query {row[id_name]!r} is {state}. Give it one or remove it."
        )
    note_oddities(text, path, line, "query", findings)
    note_fullwidth_digits(text, path, line, "query", findings)
    extra = {name: value for name, value in row.items() if name not in (id_name, "text")}
    for name, value in extra.items():
        if isinstance(value, float) and not math.isfinite(value):
            extra[name] = None
            findings.add("not-a-number", (path, line))
    return Query(to_id(row[id_name], path, line, "query", findings), text, extra)
