"""Verify the files of a data set beside its audio: none missing, none changed, none that does not belong."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from pathlib import Path, PurePosixPath
from typing import Any

from squtr.collection import read_jsonl
from squtr.counted import counted
from squtr.data_build.folder import WORK
from squtr.data_build.layout import queries_file
from squtr.digest import digest_file
from squtr.errors import UserError
from squtr.recipe import Recipe

Fault = tuple[str, str]


def check_files(folder: Path, names: Iterable[str], digests: Any) -> Iterator[Fault]:
    """Yield files that are missing, no files, or differ from their digest in build.json."""
    told = digests if isinstance(digests, dict) else {}
    for name in names:
        path = folder / name
        oddity = no_plain_file(path)
        if oddity:
            yield name, oddity
        elif digest_file(path) != told.get(name):
            yield name, f"its SHA-256 is not the one in build.json{_cut(path)}"


def check_strays(folder: Path, known: set[str]) -> Iterator[Fault]:
    """Yield files, links and whole folders that nothing names; the work folder is passed over."""
    places = {str(place) for name in known for place in PurePosixPath(name).parents}
    for path in sorted(folder.iterdir()):
        if path.name != WORK:
            yield from _strays(path, path.name, known, places)


def no_plain_file(path: Path) -> str | None:
    """Return what stands in a file's place, None where it is a file."""
    if path.is_symlink():
        return f"is a link to {path.readlink()}{'' if path.exists() else ', where nothing is'}"
    if path.is_file():
        return None
    if path.is_dir():
        return "is a folder"
    return "is no plain file" if path.exists() else "missing"


def _cut(path: Path) -> str:
    with path.open("rb") as file:
        if not (size := file.seek(0, os.SEEK_END)):
            return ": it is empty (0 bytes)"
        file.seek(size - 1)
        cut = path.suffix == ".jsonl" and file.read() != b"\n"
    return ": it is cut short, its last line has no end" if cut else ""


def _strays(path: Path, name: str, known: set[str], places: set[str]) -> Iterator[Fault]:
    if name in known:
        return
    if path.is_symlink():
        yield (
            name,
            str(no_plain_file(path)) if name in places else "a link that does not belong to the data set",
        )
    elif not path.is_dir():
        yield name, "does not belong to the data set"
    elif name in places:
        for inner in sorted(path.iterdir()):
            yield from _strays(inner, f"{name}/{inner.name}", known, places)
    elif files := sum(len(names) for _, _, names in os.walk(path)):
        yield name, f"a folder of {counted(files, 'file')} that does not belong to the data set"


def check_queries(folder: Path, recipe: Recipe, rows: list[dict[str, Any]]) -> Iterator[Fault]:
    """Yield files of queries and judgements that do not say what the manifest says."""
    strangers = {f"{row['language']}/{row['subset']}" for row in rows} - set(recipe.subsets)
    for subset in sorted(strangers):
        yield "manifest.jsonl", f"has rows of {subset}, which is none of the recipe's collections"
    for subset in recipe.subsets:
        members = [row for row in rows if f"{row['language']}/{row['subset']}" == subset]
        texts = {row["query_id"]: row["source_text"] if row["channel"] else row["text"] for row in members}
        yield from _compare(folder / subset, "queries.jsonl", ("_id", "text"), list(texts.items()), folder)
        judged = {str(row.get("query-id")) for row in _rows(folder / subset / "qrels/test.jsonl")}
        if judged != set(texts):
            yield f"{subset}/qrels/test.jsonl", "judges other queries than the manifest holds"
        for condition in recipe.condition_names:
            expected = [
                (
                    row["query_id"],
                    row["text"],
                    Path(str(row["file"])).name,
                    row["requested_snr_db"],
                    row["noise_id"],
                    row["channel"],
                    row["source_text"],
                )
                for row in members
                if row["condition"] == condition
            ]
            fields = ("_id", "text", "audio", "snr_db", "noise_id", "channel", "source_text")
            yield from _compare(folder / subset, queries_file(condition), fields, expected, folder)


def _compare(
    place: Path, name: str, fields: tuple[str, ...], expected: list[tuple[Any, ...]], folder: Path
) -> Iterator[Fault]:
    found = [tuple(row.get(field) for field in fields) for row in _rows(place / name)]
    if found != expected:
        where = (place / name).relative_to(folder).as_posix()
        yield where, f"has {counted(len(found), 'row')}, not the manifest's {len(expected)} in order"


def _rows(path: Path) -> list[dict[str, Any]]:
    """Return a file's rows as far as they can be read; its digest tells whether that is all."""
    rows: list[dict[str, Any]] = []
    try:
        rows.extend(row for _, row in read_jsonl(path))
    except UserError:
        return rows
    return rows
