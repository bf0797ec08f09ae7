"""Parquet shards of a bounded size, the same bytes every time, that `datasets` reads with its own types."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from squtr.digest import digest_file

SHARD_BYTES = 480_000_000
AUDIO = pa.struct([("bytes", pa.binary()), ("path", pa.string())])
_GROUP_BYTES = 32 << 20
_GROUP_ROWS = 1000
_NAMES = {"double": "float64", "float": "float32"}

Rows = Iterable[tuple[dict[str, Any], int]]


@dataclass(frozen=True, slots=True)
class Shard:
    """One written file: name relative to the repository, size in bytes, SHA-256."""

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True)
class Written:
    """A table as it was written: shards in order, rows, and bytes of content before compression."""

    shards: tuple[Shard, ...]
    rows: int
    content_bytes: int

    def plain(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return asdict(self)

    @classmethod
    def of(cls, plain: dict[str, Any]) -> Written:
        """Read what `plain` gave."""
        return cls(tuple(Shard(**one) for one in plain["shards"]), plain["rows"], plain["content_bytes"])

    @property
    def bytes(self) -> int:
        return sum(shard.bytes for shard in self.shards)


def features(schema: pa.Schema) -> dict[str, dict[str, str]]:
    """Return a schema in the words of `datasets`: text and numbers are values, AUDIO is audio."""
    return {
        field.name: {"_type": "Audio"}
        if field.type == AUDIO
        else {"dtype": _NAMES.get(str(field.type), str(field.type)), "_type": "Value"}
        for field in schema
    }


def write_table(root: Path, stem: str, schema: pa.Schema, rows: Rows, limit: int = SHARD_BYTES) -> Written:
    """Write rows as `stem-00000-of-00003.parquet` below `root`; each row comes with its size in bytes.

    Memory is bounded by one row group of 32 MiB; a shard grows past `limit` by its footer, or a single larger
    row.
    Nothing bears a final name before the whole table is written.
    """
    info = {"info": {"features": features(schema)}}
    typed = schema.with_metadata({"huggingface": json.dumps(info)})
    writer = _Writer(root / stem, typed, limit)
    try:
        for row, size in rows:
            writer.add(row, size)
        paths = writer.close()
    except BaseException:
        writer.discard()
        raise
    shards = [
        Shard(path.relative_to(root).as_posix(), path.stat().st_size, digest_file(path)) for path in paths
    ]
    return Written(tuple(shards), writer.rows, writer.content_bytes)


class _Writer:
    """Collects rows to row groups and row groups to shards."""

    def __init__(self, stem: Path, schema: pa.Schema, limit: int) -> None:
        stem.parent.mkdir(parents=True, exist_ok=True)
        self._stem, self._schema, self._limit = stem, schema, limit
        self._pending: list[dict[str, Any]] = []
        self._pending_bytes = 0
        self._parts: list[Path] = []
        self._sink: Any = None
        self._table: Any = None
        self.rows = self.content_bytes = 0

    def add(self, row: dict[str, Any], size: int) -> None:
        if self._pending and self._pending_bytes + size > min(_GROUP_BYTES, self._limit):
            self._flush()
        self._pending.append(row)
        self._pending_bytes += size
        self.rows += 1
        self.content_bytes += size
        if len(self._pending) == _GROUP_ROWS:
            self._flush()

    def close(self) -> list[Path]:
        """Finish the last shard and give all their names; an empty table has one shard without rows."""
        self._flush()
        if not self._parts:
            self._open()
        self._finish()
        paths = []
        for number, part in enumerate(self._parts):
            name = f"{self._stem.name}-{number:05d}-of-{len(self._parts):05d}.parquet"
            paths.append(part.replace(part.with_name(name)))
        return paths

    def discard(self) -> None:
        """Drop what was not finished."""
        with suppress(OSError, pa.ArrowException):
            self._finish()
        for part in self._parts:
            part.unlink(missing_ok=True)

    def _flush(self) -> None:
        if not self._pending:
            return
        if self._sink is None or self._sink.tell() + self._pending_bytes > self._limit:
            self._finish()
            self._open()
        self._table.write_table(pa.Table.from_pylist(self._pending, schema=self._schema))
        self._pending, self._pending_bytes = [], 0

    def _open(self) -> None:
        part = self._stem.with_name(f"{self._stem.name}-{len(self._parts):05d}.part")
        self._parts.append(part)
        self._sink = pa.OSFile(str(part), "wb")
        self._table = pq.ParquetWriter(
            self._sink, self._schema, compression="zstd", use_dictionary=False, write_statistics=False
        )

    def _finish(self) -> None:
        if self._sink is None:
            return
        self._table.close()
        self._sink.close()
        self._sink = self._table = None
