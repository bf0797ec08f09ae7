"""The manifest: one row a recording, with every setting and every realised value."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from squtr.collection import read_jsonl
from squtr.digest import canonical_json
from squtr.errors import UserError, at
from squtr.store import temporary_name

SCHEMA_VERSION = 1
FIELDS: dict[str, pa.DataType] = {
    "query_id": pa.string(),
    "language": pa.string(),
    "subset": pa.string(),
    "condition": pa.string(),
    "file": pa.string(),
    "text": pa.string(),
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


class ManifestWriter:
    """Writes manifest.jsonl and manifest.parquet row by row; the files appear when it closes."""

    def __init__(self, folder: Path) -> None:
        self._paths = (folder / "manifest.jsonl", folder / "manifest.parquet")
        self._temporary = tuple(temporary_name(path) for path in self._paths)
        self._lines = self._temporary[0].open("w", encoding="utf-8", newline="\n")
        self._table = pq.ParquetWriter(self._temporary[1], SCHEMA, compression="zstd")
        self._rows: list[dict[str, Any]] = []

    def add(self, row: dict[str, Any]) -> None:
        """Add one row; fields it lacks are null, unknown ones are a programming error."""
        if unknown := set(row) - set(FIELDS):
            raise KeyError(f"not manifest fields: {sorted(unknown)}")
        whole = {name: row.get(name) for name in FIELDS}
        self._lines.write(canonical_json_ordered(whole) + "\n")
        self._rows.append(whole)
        if len(self._rows) == _ROW_GROUP:
            self._flush()

    def close(self) -> None:
        """Finish both files and rename them into place."""
        self._flush()
        self._table.close()
        self._lines.close()
        for temporary, path in zip(self._temporary, self._paths, strict=True):
            temporary.replace(path)

    def discard(self) -> None:
        """Drop the temporary files."""
        self._lines.close()
        self._table.close()
        for temporary in self._temporary:
            temporary.unlink(missing_ok=True)

    def _flush(self) -> None:
        if self._rows:
            self._table.write_table(pa.Table.from_pylist(self._rows, schema=SCHEMA))
            self._rows = []


def canonical_json_ordered(row: dict[str, Any]) -> str:
    """Return strict one-line JSON in the row's own key order."""
    parts = (f"{canonical_json(name)}:{canonical_json(value)}" for name, value in row.items())
    return "{" + ",".join(parts) + "}"


def read_manifest(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of manifest.jsonl. Raises UserError when it is missing."""
    path = folder / "manifest.jsonl"
    if not path.is_file():
        raise UserError(f"{folder}: no manifest.jsonl, so this is not a data set built by squtr.")
    return (row for _, row in read_jsonl(path))


def read_facts(folder: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of manifest.jsonl whose numbers are numbers. Raises UserError with file and line."""
    path = folder / "manifest.jsonl"
    for line, row in read_jsonl(path):
        for name in _NUMBERS:
            value = row.get(name)
            if value is not None and (isinstance(value, bool) or not isinstance(value, (int, float))):
                raise UserError(f"{at(path, line)}: {name} is {value!r}; a number must stand there.")
        yield row


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
