"""The Parquet tables of `squtr publish` back in SQuTR's layout, their audio in one archive."""

from __future__ import annotations

import json
import re
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from squtr.collection import write_jsonl
from squtr.data_build.layout import audio_folder, queries_file
from squtr.errors import UserError
from squtr.imported import IMPORT_FILE, AudioSource
from squtr.progress import Reporter
from squtr.store import write_atomic

TABLE = re.compile(
    r"data/(?P<key>[A-Za-z0-9][\w.-]*/[A-Za-z0-9][\w.-]*)/(?P<table>[A-Za-z0-9%@][\w.%@+=~-]*)-\d{5}-of-(?P<count>\d{5})"
    r"\.parquet",
    re.ASCII,
)
AUDIO_FILE = "audio.zip"
_TEXTS = {
    "corpus": ("corpus.jsonl", ("_id", "title", "text")),
    "queries": ("queries.jsonl", ("_id", "text")),
    "qrels": ("qrels/test.jsonl", ("query-id", "corpus-id", "score")),
}
_SPOKEN = ("_id", "text", "audio", "snr_db", "noise_id", "channel", "source_text")
_ROWS_AT_ONCE = 64


def write_from_parquet(
    name: str, root: Path, tables: Sequence[str], place: Path, final: Path, progress: Reporter
) -> None:
    """Write the tables below `root` to `place`, which will be the folder `final`.

    Audio goes, byte for byte, into one archive there, stored and not packed, and is read from it. Raises
    UserError for shards, tables or columns that are missing.
    """
    found: dict[str, dict[str, list[str]]] = {}
    for table in sorted(tables):
        match = TABLE.fullmatch(table)
        if match:
            found.setdefault(match["key"], {}).setdefault(match["table"], []).append(table)
    for key, by_table in found.items():
        _check_whole(name, key, by_table)
    with zipfile.ZipFile(place / AUDIO_FILE, "w", zipfile.ZIP_STORED) as archive:
        for key, by_table in found.items():
            (place / key / "qrels").mkdir(parents=True)
            for table, (file, columns) in _TEXTS.items():
                write_jsonl(place / key / file, _rows(root, by_table[table], columns, progress))
            for table in sorted(set(by_table) - set(_TEXTS)):
                rows = _rows(root, by_table[table], _SPOKEN, progress)
                write_jsonl(place / key / queries_file(table), _stored(archive, key, table, rows))
    if (root / "manifest.parquet").is_file():
        with pq.ParquetFile(root / "manifest.parquet") as facts:
            write_jsonl(
                place / "manifest.jsonl", (row for part in facts.iter_batches() for row in part.to_pylist())
            )
    size = (place / AUDIO_FILE).stat().st_size
    audio = AudioSource(str(final / AUDIO_FILE), AUDIO_FILE, True, "", size).plain()
    verdict: dict[str, Any] = {
        "official": False,
        "sha256": None,
        "differences": [],
        "subsets": {},
        "of": name,
    }
    write_atomic(place / IMPORT_FILE, json.dumps({"schema": 1, "audio": audio, **verdict}, indent=1) + "\n")


def _check_whole(name: str, key: str, by_table: Mapping[str, Sequence[str]]) -> None:
    if lacking := sorted(set(_TEXTS) - set(by_table)):
        raise UserError(f"{name}: {key} has no table {' and no '.join(lacking)}.")
    if set(by_table) == set(_TEXTS):
        raise UserError(f"{name}: {key} has no recordings under any condition.")
    for table, shards in by_table.items():
        match = TABLE.fullmatch(shards[0])
        if match and len(shards) != int(match["count"]):
            raise UserError(f"{name}: {key} has {len(shards)} of {int(match['count'])} files of {table}.")


def _rows(
    root: Path, shards: Sequence[str], columns: Sequence[str], progress: Reporter
) -> Iterator[dict[str, Any]]:
    label = shards[0].rpartition("-of-")[0].rpartition("-")[0]
    for shard in shards:
        try:
            with pq.ParquetFile(root / shard) as file:
                if lacking := [one for one in columns if one not in file.schema_arrow.names]:
                    raise UserError(f"{root / shard}: has no column {' and no '.join(lacking)}.")
                progress.total(label, file.metadata.num_rows)
                for part in file.iter_batches(batch_size=_ROWS_AT_ONCE, columns=list(columns)):
                    yield from part.to_pylist()
                    progress.advance(label, len(part))
        except pa.ArrowException as error:
            raise UserError(f"{root / shard}: no Parquet ({error}). Fetch it again.") from None


def _stored(
    archive: zipfile.ZipFile, key: str, condition: str, rows: Iterator[dict[str, Any]]
) -> Iterator[dict[str, Any]]:
    """Put each row's audio into the archive; yield the row as the layout has it."""
    seen: set[str] = set()
    for row in rows:
        audio = row["audio"] or {}
        file, data = audio.get("path"), audio.get("bytes")
        if not isinstance(file, str) or Path(file).name != file or file in seen or not data:
            raise UserError(
                f"{key} {condition}: the recording of query {row['_id']!r} has no bytes or no name."
            )
        seen.add(file)
        archive.writestr(zipfile.ZipInfo(f"{key}/{audio_folder(condition)}/{file}"), data)
        told = {name: row[name] for name in _SPOKEN[3:] if row[name] is not None}
        yield {"_id": row["_id"], "text": row["text"], "audio": file, **told}
