"""A data set as it is given away: subsets, conditions and recordings, streamed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from squtr.archive import is_file, read_file
from squtr.collection import Collection, read_collection
from squtr.data_build.layout import condition_name, file_form, table_condition, without_channel
from squtr.dataset import Recording, audio_tables, read_recordings, subset_folders
from squtr.digest import digest_bytes
from squtr.errors import ItemFailure, UserError
from squtr.imported import audio_root
from squtr.manifest import read_build
from squtr.publish.wav import audio_seconds

FACTS = (
    "edits",
    "spoken_text",
    "speaker",
    "seconds",
    "sample_rate",
    "noise_category",
    "noise_synthetic",
    "realised_snr_db",
    "active_snr_db",
    "common_gain",
    "transcript",
    "error_rate",
    "error_rate_fluent",
    "pcm_sha256",
    "acoustics",
)
_WAV_HEADER_BYTES = 44
_TABLES = {"corpus", "queries", "qrels"}
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True, slots=True)
class Condition:
    """One condition of a subset, the query file that lists its audio, and the channel its rows name."""

    name: str
    snr_db: float | None
    table: Path
    channel: str | None = None

    @property
    def file_form(self) -> str:
        """Its name as it stands in names of files and configurations."""
        return file_form(self.name)


@dataclass(frozen=True)
class Part:
    """One subset: its collection's files and its conditions in order."""

    language: str
    name: str
    folder: Path
    conditions: tuple[Condition, ...]

    @property
    def key(self) -> str:
        return f"{self.language}/{self.name}"

    def collection(self) -> Collection:
        """Read and validate the subset's collection; documents are streamed from it."""
        return read_collection(self.folder, self.language, self.name)


@dataclass(frozen=True)
class Source:
    """A data set folder; `build` is its build.json, empty when squtr did not build it."""

    folder: Path
    root: Path
    parts: tuple[Part, ...]
    build: dict[str, Any]

    @property
    def name(self) -> str:
        recipe = self.build.get("recipe")
        told = recipe.get("name") if isinstance(recipe, dict) else None
        return str(told or self.folder.resolve().name)

    @property
    def has_facts(self) -> bool:
        """True when a manifest tells what was realised for each recording."""
        return (self.folder / "manifest.parquet").is_file()


def open_source(folder: Path) -> Source:
    """Find the subsets and conditions of a data set, built or imported.

    Raises UserError when there is none, or a name in it could not be a file's or a configuration's.
    """
    root = audio_root(folder)
    return Source(folder, root, tuple(map(_part, subset_folders(folder))), read_build(folder))


def recordings(source: Source, part: Part, condition: Condition, known: set[str]) -> Iterator[Recording]:
    """Yield the recordings of a condition in file order, each with its manifest row's `FACTS`, if any.

    Raises UserError when manifest and query file do not list the same recordings in the same order.
    """
    listed = read_recordings(condition.table, known, source.root, {})
    if not source.has_facts:
        yield from listed
        return
    facts = _facts(source.folder / "manifest.parquet", part, condition)
    for recording in listed:
        row = next(facts, {})
        if row.pop("file", None) != recording.file:
            raise _unlike(source.folder, recording.file)
        yield replace(recording, facts=row)
    if next(facts, None) is not None:
        raise _unlike(source.folder, condition.table.name)


def audio_bytes(recording: Recording) -> bytes:
    """Return a recording's file, whole. Raises UserError when it is missing or not as the manifest says."""
    try:
        data = read_file(recording.path) if is_file(recording.path) else b""
    except ItemFailure as failure:
        raise UserError(f"{recording.path}: {failure}. Fetch it again.") from failure
    if not data:
        raise UserError(
            f"{recording.path}: missing or empty. Nothing with gaps is given away: mend it first."
        )
    wanted = recording.facts.get("pcm_sha256")
    if wanted is None:
        try:
            audio_seconds(data)
        except ItemFailure as failure:
            raise UserError(f"{recording.path}: {failure}. Nothing broken is given away.") from failure
    elif digest_bytes(data[_WAV_HEADER_BYTES:]) != wanted:
        raise UserError(f"{recording.path}: its samples are not the manifest's. Run squtr verify.")
    _check_rate(recording, data)
    return data


def _check_rate(recording: Recording, data: bytes) -> None:
    told, stands = recording.facts.get("sample_rate"), int.from_bytes(data[24:28], "little")
    if told is not None and stands != told:
        raise UserError(f"{recording.path}: states {stands} Hz, the manifest says {told}. Run squtr verify.")


def _part(place: Path) -> Part:
    for name in (place.parent.name, place.name):
        if not _PLAIN_NAME.fullmatch(name):
            raise UserError(f"{place}: {name!r} may hold only letters, digits, '.', '_' and '-'. Rename it.")
    found = [_condition(path) for path in audio_tables(place)]
    found.sort(key=_order)
    names = [one.name for one in found]
    if len(set(names)) != len(names):
        raise UserError(f"{place}: two query files are of one condition. Leave one.")
    if taken := _TABLES.intersection(names):
        raise UserError(f"{place}: condition {taken.pop()!r} bears the name of a table. Rename it.")
    return Part(place.parent.name, place.name, place, tuple(found))


def _condition(table: Path) -> Condition:
    try:
        first = json.loads(next(line for line in table.open(encoding="utf-8") if line.strip()))
        snr = first.get("snr_db")
        snr_db = None if snr is None else float(snr)
    except (StopIteration, ValueError, TypeError, AttributeError):
        raise UserError(f"{table}:1: no row of audio. Repair the file.") from None
    told = first.get("channel")
    channel = told if isinstance(told, str) else None
    return Condition(table_condition(table.name, snr_db, channel), snr_db, table, channel)


def _order(one: Condition) -> tuple[str, bool, float, str]:
    """Clean first, then by falling SNR, then conditions with a name of their own; channels last."""
    named = without_channel(one.name) != condition_name(one.snr_db)
    falling = float("-inf") if one.snr_db is None else -one.snr_db
    return one.channel or "", named, falling, one.name


def _facts(manifest: Path, part: Part, condition: Condition) -> Iterator[dict[str, Any]]:
    wanted = {"language": part.language, "subset": part.name, "condition": condition.name}
    with _opened(manifest) as file:
        told = [name for name in FACTS if name in file.schema_arrow.names]
        for batch in file.iter_batches(columns=[*wanted, "file", *told]):
            rows = pa.Table.from_batches([batch])
            for column, value in wanted.items():
                rows = rows.filter(pc.equal(rows.column(column), value))
            yield from rows.select(["file", *told]).to_pylist()


def _opened(manifest: Path) -> pq.ParquetFile:
    try:
        return pq.ParquetFile(manifest)
    except (OSError, pa.ArrowException) as error:
        raise UserError(f"{manifest}: cannot be read ({error}). Run squtr verify, or build again.") from None


def _unlike(folder: Path, place: str) -> UserError:
    return UserError(
        f"{folder}: manifest and query files differ at {place}. Run squtr verify, or build again."
    )
