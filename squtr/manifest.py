"""The manifest: one row a recording, with every setting and every realised value."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.json as pa_json
import pyarrow.parquet as pq

from squtr.collection import read_jsonl
from squtr.counted import counted
from squtr.errors import UserError, at
from squtr.line_file import LineFile
from squtr.store import temporary_name

SCHEMA_VERSION = 2
FIELDS: dict[str, pa.DataType] = {
    "query_id": pa.string(),
    "language": pa.string(),
    "subset": pa.string(),
    "condition": pa.string(),
    "file": pa.string(),
    "text": pa.string(),
    "channel": pa.string(),
    "source_text": pa.string(),
    "edits": pa.string(),
    "spoken_text": pa.string(),
    "reading_spans": pa.list_(pa.list_(pa.int32())),
    "speaker": pa.string(),
    "speaker_settings": pa.string(),
    "take": pa.int32(),
    "takes": pa.int32(),
    "take_error_rates": pa.list_(pa.float64()),
    "take_flags": pa.list_(pa.string()),
    "failed_takes": pa.list_(pa.string()),
    "take_gain": pa.float64(),
    "trimmed_seconds": pa.float64(),
    "seconds": pa.float64(),
    "samples": pa.int64(),
    "sample_rate": pa.int32(),
    "transcript": pa.string(),
    "error_rate": pa.float64(),
    "error_rate_raw": pa.float64(),
    "error_rate_fluent": pa.float64(),
    "judges": pa.list_(
        pa.struct([("judge", pa.string()), ("score", pa.float64()), ("reasons", pa.list_(pa.string()))])
    ),
    "noise_id": pa.string(),
    "noise_category": pa.string(),
    "noise_synthetic": pa.bool_(),
    "crop_start_seconds": pa.float64(),
    "loops": pa.int32(),
    "redraws": pa.int32(),
    "noise_level_dbfs": pa.float64(),
    "noise_gain": pa.float64(),
    "common_gain": pa.float64(),
    "requested_snr_db": pa.float64(),
    "realised_snr_db": pa.float64(),
    "active_snr_db": pa.float64(),
    "peak": pa.float64(),
    "level_dbfs": pa.float64(),
    "pcm_sha256": pa.string(),
    "acoustics": pa.string(),
}
SCHEMA = pa.schema(list(FIELDS.items()))
_NUMBERS = [name for name, kind in FIELDS.items() if pa.types.is_integer(kind) or pa.types.is_floating(kind)]
_ROW_GROUP = 4096
TABLE = "manifest.parquet"
_MEND = "Run squtr verify, or build again."


class ManifestWriter:
    """Writes manifest.jsonl row by row, and manifest.parquet from it; both appear when it closes."""

    def __init__(self, folder: Path) -> None:
        self.lines = LineFile(folder / "manifest.jsonl")
        self._table = folder / "manifest.parquet"
        self._temporary_table = temporary_name(self._table)

    def add(self, row: dict[str, Any]) -> None:
        """Add one row; fields it lacks are null, unknown ones are a programming error."""
        if unknown := set(row) - set(FIELDS):
            raise KeyError(f"not manifest fields: {sorted(unknown)}")
        self.lines.add({name: row.get(name) for name in FIELDS})

    def close(self) -> None:
        """Finish both files and rename them into place."""
        self.lines.finish()
        _write_parquet(self.lines.temporary, self._temporary_table)
        self.lines.close()
        self._temporary_table.replace(self._table)

    def discard(self) -> None:
        """Drop the temporary files."""
        self.lines.discard()
        self._temporary_table.unlink(missing_ok=True)


def _write_parquet(lines: Path, path: Path) -> None:
    with lines.open("rb") as file, pq.ParquetWriter(path, SCHEMA, compression="zstd") as table:
        while group := list(itertools.islice(file, _ROW_GROUP)):
            table.write_table(_as_table(b"".join(group)))


def _as_table(lines: bytes) -> pa.Table:
    """Return JSON lines as one chunk. Raises ArrowInvalid for a field or a type that the schema has not.

    Arrow's own pool would keep ten times the memory that this takes.
    """
    return pa_json.read_json(
        pa.BufferReader(lines),
        read_options=pa_json.ReadOptions(use_threads=False, block_size=len(lines)),
        parse_options=pa_json.ParseOptions(explicit_schema=SCHEMA, unexpected_field_behavior="error"),
        memory_pool=pa.system_memory_pool(),
    )


def read_manifest(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of manifest.jsonl. Raises UserError when it is missing."""
    path = folder / "manifest.jsonl"
    if not path.is_file():
        raise UserError(f"{folder}: no manifest.jsonl, so this is not a data set built by squtr.")
    return (row for _, row in read_jsonl(path))


def read_facts(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of manifest.jsonl, checked: files are texts, numbers numbers.

    Raises UserError with file and line.
    """
    path = folder / "manifest.jsonl"
    for line, row in read_jsonl(path):
        if not isinstance(row.get("file"), str):
            raise UserError(f"{at(path, line)}: file is {row.get('file')!r}; a path must stand there.")
        for name in _NUMBERS:
            value = row.get(name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
                raise UserError(f"{at(path, line)}: {name} is {value!r}; a number must stand there.")
        yield row


def check_tables(folder: Path) -> None:
    """Raise UserError where manifest.jsonl has no row, or manifest.parquet cannot be read or has other ones.

    Rows are counted, not compared: squtr verify does that.
    """
    lines = folder / "manifest.jsonl"
    with lines.open("rb") as file:
        rows = sum(not line.isspace() for line in file)
    if not rows:
        raise UserError(f"{lines}: no row in it. {_MEND}")
    there = table_rows(folder)
    if there is not None and there != rows:
        raise UserError(f"{folder / TABLE}: {counted(there, 'row')} where {lines.name} has {rows:,}. {_MEND}")


def table_rows(folder: Path) -> int | None:
    """Return how many rows manifest.parquet has, None where there is none.

    Raises UserError for a broken one.
    """
    path = folder / TABLE
    if not path.is_file():
        return None
    try:
        return int(pq.read_metadata(path).num_rows)
    except (OSError, pa.ArrowException) as error:
        raise UserError(f"{path}: cannot be read ({error}). {_MEND}") from None


def read_build(folder: Path) -> dict[str, Any]:
    """Return build.json, empty where there is none. Raises UserError when it is no JSON object."""
    path = folder / "build.json"
    if not path.is_file():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise UserError(f"{path}: no JSON ({error}). Restore it, or remove it to go without.") from None
    if not isinstance(found, dict):
        raise UserError(f"{path}: no settings in it. Restore it, or remove it to go without.")
    return found
