"""Verify the files of a data set beside its audio: none missing, none changed, none that does not belong."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from squtr.collection import read_jsonl
from squtr.data_build.layout import queries_file
from squtr.digest import digest_file
from squtr.errors import UserError
from squtr.recipe import Recipe

Fault = tuple[str, str]


def check_files(folder: Path, recipe: Recipe, audio: set[str]) -> Iterator[Fault]:
    """Yield files that differ from their digest in build.json, and files in subsets that nothing names."""
    digests = json.loads((folder / "build.json").read_text(encoding="utf-8"))["files"]
    for name in recipe.data_files:
        path = folder / name
        if not path.is_file():
            yield name, "missing"
        elif digest_file(path) != digests.get(name):
            yield name, "its SHA-256 is not the one in build.json"
    known = {*recipe.data_files, *audio}
    for subset in recipe.subsets:
        for path in sorted((folder / subset).rglob("*")):
            name = path.relative_to(folder).as_posix()
            if name not in known and not path.is_dir():
                yield name, "does not belong to the data set"


def check_queries(folder: Path, recipe: Recipe, rows: list[dict[str, Any]]) -> Iterator[Fault]:
    """Yield files of queries and judgements that do not say what the manifest says."""
    for subset in recipe.subsets:
        members = [row for row in rows if f"{row['language']}/{row['subset']}" == subset]
        texts = {row["query_id"]: row["text"] for row in members}
        yield from _compare(folder / subset, "queries.jsonl", ("_id", "text"), list(texts.items()), folder)
        judged = [row.get("query-id") for row in _rows(folder / subset / "qrels/test.jsonl")]
        if set(judged) != set(texts):
            yield f"{subset}/qrels/test.jsonl", "judges other queries than the manifest holds"
        for condition in recipe.mix.condition_names:
            expected = [
                (
                    row["query_id"],
                    row["text"],
                    Path(str(row["file"])).name,
                    row["requested_snr_db"],
                    row["noise_id"],
                )
                for row in members
                if row["condition"] == condition
            ]
            fields = ("_id", "text", "audio", "snr_db", "noise_id")
            yield from _compare(folder / subset, queries_file(condition), fields, expected, folder)


def _compare(
    place: Path, name: str, fields: tuple[str, ...], expected: list[tuple[Any, ...]], folder: Path
) -> Iterator[Fault]:
    found = [tuple(row.get(field) for field in fields) for row in _rows(place / name)]
    if found != expected:
        where = (place / name).relative_to(folder).as_posix()
        yield where, f"holds {len(found)} rows that are not the manifest's {len(expected)} in order"


def _rows(path: Path) -> list[dict[str, Any]]:
    """Return a file's rows as far as they can be read; its digest tells whether that is all."""
    rows: list[dict[str, Any]] = []
    try:
        rows.extend(row for _, row in read_jsonl(path))
    except UserError:
        return rows
    return rows
