"""Rows of JSONL and Parquet files behind one interface: a number and a dictionary."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from pyarrow import types

from squtr.collection.findings import Findings
from squtr.collection.jsonl import read_jsonl
from squtr.errors import UserError, at

_BATCH_ROWS = 4096


def read_rows(
    path: Path, findings: Findings, columns: Collection[str] | None = None
) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line or row number from 1, fields); `columns` spares a Parquet file the reading of others.

    Raises UserError with `file:line`.
    """
    if path.suffix == ".parquet":
        return _read_parquet(path, findings, columns)
    return read_jsonl(path, findings)


def _read_parquet(
    path: Path, findings: Findings, columns: Collection[str] | None
) -> Iterator[tuple[int, dict[str, Any]]]:
    row = 0
    try:
        with pq.ParquetFile(path) as file:
            names = _readable(file.schema_arrow, path, findings, columns)
            for batch in file.iter_batches(batch_size=_BATCH_ROWS, columns=names):
                for fields in batch.to_pylist():
                    row += 1
                    yield row, fields
    except (OSError, pa.ArrowException) as error:
        raise UserError(f"{at(path)}: not a readable Parquet file ({error}). Fetch it again.") from error


def _readable(
    schema: pa.Schema, path: Path, findings: Findings, columns: Collection[str] | None
) -> list[str]:
    wanted = [field for field in schema if columns is None or field.name in columns]
    if not wanted:
        sought = ", ".join(columns or ())
        raise UserError(f"{at(path)}: columns {', '.join(schema.names)}; looked for {sought}.")
    for field in wanted:
        if not _fits_json(field.type):
            findings.add("column-not-read", f"{path.name}: {field.name}")
    return [field.name for field in wanted if _fits_json(field.type)]


def _fits_json(kind: pa.DataType) -> bool:
    if types.is_dictionary(kind):
        return _fits_json(kind.value_type)
    if types.is_list(kind) or types.is_large_list(kind):
        return _fits_json(kind.value_type)
    if types.is_struct(kind):
        return all(_fits_json(field.type) for field in kind)
    text = str(kind) in ("string", "large_string", "string_view")
    return bool(
        text
        or types.is_integer(kind)
        or types.is_floating(kind)
        or types.is_boolean(kind)
        or types.is_null(kind)
    )


def first_present(row: dict[str, Any], names: tuple[str, ...]) -> str | None:
    """Return the first of `names` that the row has, whatever its value."""
    for name in names:
        if name in row:
            return name
    return None
