"""A build's rows sorted by query on disk, so that two builds are compared side by side in little memory."""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

from squtr.collection import read_jsonl
from squtr.data_build.layout import without_channel
from squtr.digest import canonical_json
from squtr.errors import UserError, at
from squtr.manifest import read_manifest

REJECTED = "rejected"
_RUN = 8192

QueryKey = tuple[str, str, str]
_Keyed = tuple[str, str, str, str, str]


@dataclass(frozen=True, slots=True)
class QueryRows:
    """One query's rows of a build by condition; a rejected query has the one row `REJECTED`.

    Behind each channel it is a query of its own, called `q1 behind disfluent@0.5`.
    """

    key: QueryKey
    rows: dict[str, dict[str, Any]]

    @property
    def rejected(self) -> dict[str, Any] | None:
        return self.rows.get(REJECTED)


def query_rows(folder: Path, scratch: Path) -> Iterator[QueryRows]:
    """Yield a build's queries sorted by (language, subset, query id), rejected ones among them.

    Rows are sorted in runs of 8192 that lie in `scratch`, an empty folder, and are merged from there. Raises
    UserError for rows that lack a key or have the same one.
    """
    runs = [_write_run(scratch / f"{number}.jsonl", rows) for number, rows in enumerate(_runs(folder))]
    merged = heapq.merge(*map(_read_run, runs))
    for key, group in groupby(merged, key=lambda row: row[:3]):
        rows: dict[str, dict[str, Any]] = {}
        for *_, condition, body in group:
            if condition in rows:
                raise UserError(f"{folder}: {' '.join(key)} has two rows for {condition}. Run squtr verify.")
            rows[condition] = json.loads(body)
        yield QueryRows((key[0], key[1], key[2]), rows)


def _runs(folder: Path) -> Iterator[list[_Keyed]]:
    run: list[_Keyed] = []
    for row in _keyed(folder):
        run.append(row)
        if len(run) == _RUN:
            yield sorted(run)
            run = []
    yield sorted(run)


def _keyed(folder: Path) -> Iterator[_Keyed]:
    for row in read_manifest(folder):
        yield _key(row, str(row.get("condition")), folder / "manifest.jsonl")
    rejected = folder / "rejected.jsonl"
    if rejected.is_file():
        for _, row in read_jsonl(rejected):
            yield _key(row, REJECTED, rejected)


def _key(row: dict[str, Any], condition: str, path: Path) -> _Keyed:
    names = [row.get(name) for name in ("language", "subset", "query_id")]
    if not all(isinstance(name, str) for name in names):
        raise UserError(f"{at(path)}: a row lacks language, subset or query_id. Build the data set again.")
    language, subset, query = (str(name) for name in names)
    if row.get("channel"):
        query = f"{query} behind {row['channel']}"
    return language, subset, query, without_channel(condition), canonical_json(row)


def _write_run(path: Path, rows: Iterable[_Keyed]) -> Path:
    with path.open("w", encoding="utf-8", errors="surrogatepass") as file:
        file.writelines(f"{canonical_json(row)}\n" for row in rows)
    return path


def _read_run(path: Path) -> Iterator[_Keyed]:
    with path.open(encoding="utf-8", errors="surrogatepass") as file:
        for line in file:
            language, subset, query, condition, body = json.loads(line)
            yield language, subset, query, condition, body
