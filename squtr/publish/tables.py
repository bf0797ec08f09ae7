"""What a subset's tables hold: documents, queries, judgements, and the recordings of each condition."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from squtr.collection import Collection
from squtr.dataset import Recording
from squtr.errors import UserError
from squtr.manifest import FIELDS
from squtr.publish.shards import AUDIO, Rows
from squtr.publish.source import FACTS, Condition, Part, Source, audio_bytes, recordings

QRELS = pa.schema([("query-id", pa.string()), ("corpus-id", pa.string()), ("score", pa.int64())])
_ROW_BYTES = 16


@dataclass(frozen=True)
class Table:
    """One table to write: where (`stem`, relative), how many rows its progress counts, and the rows."""

    stem: str
    schema: pa.Schema
    count: int
    rows: Callable[[], Rows]


def corpus_table(stem: str, collection: Collection, id_name: str) -> Table:
    """Documents: id, title, text."""

    def rows() -> Iterator[tuple[dict[str, Any], int]]:
        for document in collection.documents():
            row = {id_name: document.id, "title": document.title, "text": document.text}
            yield row, _size(row, collection)

    return Table(stem, _texts(id_name, "title", "text"), collection.document_count, rows)


def queries_table(stem: str, collection: Collection, id_name: str) -> Table:
    """Queries as written: id, text."""

    def rows() -> Iterator[tuple[dict[str, Any], int]]:
        for query in collection.queries:
            row = {id_name: query.id, "text": query.text}
            yield row, _size(row, collection)

    return Table(stem, _texts(id_name, "text"), len(collection.queries), rows)


def qrels_table(stem: str, collection: Collection) -> Table:
    """Judgements: query-id, corpus-id, score."""

    def rows() -> Iterator[tuple[dict[str, Any], int]]:
        for query, grades in collection.qrels.items():
            for document, grade in grades.items():
                row = {"query-id": query, "corpus-id": document}
                yield row | {"score": grade}, _size(row, collection)

    return Table(stem, QRELS, sum(map(len, collection.qrels.values())), rows)


def audio_table(
    stem: str,
    source: Source,
    part: Part,
    condition: Condition,
    collection: Collection,
    row_of: Callable[[Recording], dict[str, Any]],
    schema: pa.Schema,
) -> Table:
    """Recordings of a condition: `row_of` gives all but the audio."""
    known = {query.id for query in collection.queries}

    def rows() -> Iterator[tuple[dict[str, Any], int]]:
        for recording in recordings(source, part, condition, known):
            data = audio_bytes(recording)
            audio = {"bytes": data, "path": recording.path.name}
            yield row_of(recording) | {"audio": audio}, len(data) + _ROW_BYTES

    return Table(stem, schema, len(known), rows)


def spoken_schema(has_facts: bool) -> pa.Schema:
    """Schema of published recordings: id, text, audio, condition, and what the manifest tells."""
    facts = [(name, FIELDS[name]) for name in FACTS if name in FIELDS] if has_facts else []
    return pa.schema(
        [
            ("_id", pa.string()),
            ("text", pa.string()),
            ("audio", AUDIO),
            ("language", pa.string()),
            ("subset", pa.string()),
            ("condition", pa.string()),
            ("snr_db", pa.float64()),
            ("noise_id", pa.string()),
            ("channel", pa.string()),
            ("source_text", pa.string()),
            *facts,
        ]
    )


def spoken_row(
    part: Part, condition: Condition, texts: dict[str, str]
) -> Callable[[Recording], dict[str, Any]]:
    """Return what turns a recording into a published row."""

    def row(recording: Recording) -> dict[str, Any]:
        return {
            "_id": recording.query_id,
            **spoken_texts(recording, texts),
            "language": part.language,
            "subset": part.name,
            "condition": condition.name,
            "snr_db": recording.snr_db,
            "noise_id": recording.noise_id,
            **recording.facts,
        }

    return row


def spoken_texts(recording: Recording, texts: dict[str, str]) -> dict[str, str | None]:
    """Return what was spoken, and behind a channel its name and the query's own text."""
    text = texts[recording.query_id]
    if recording.channel is None:
        return {"text": text, "channel": None, "source_text": None}
    return {"text": recording.text or text, "channel": recording.channel, "source_text": text}


def _size(row: dict[str, str], collection: Collection) -> int:
    """Return the bytes of a row's texts."""
    try:
        return _ROW_BYTES + sum(len(text.encode("utf-8")) for text in row.values())
    except UnicodeEncodeError:
        raise UserError(
            f"{collection.language}/{collection.name}: {next(iter(row.values()))!r} holds a broken character,"
            " which Parquet cannot carry. Repair it."
        ) from None


def _texts(*names: str) -> pa.Schema:
    return pa.schema([(name, pa.string()) for name in names])
