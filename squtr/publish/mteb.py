"""MTEB: Parquet that its retrieval loader reads as it stands, one subset of a task for each condition."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from squtr.dataset import Recording
from squtr.languages import language_tag
from squtr.progress import Reporter
from squtr.publish.card import LICENSE, Config, front_matter, page
from squtr.publish.noise import noise_terms
from squtr.publish.shards import AUDIO, SHARD_BYTES, write_table
from squtr.publish.source import Source
from squtr.publish.tables import Table, audio_table, corpus_table, qrels_table
from squtr.store import write_atomic

_QUERIES = pa.schema([("id", pa.string()), ("audio", AUDIO)])


def write_mteb(source: Source, out: Path, progress: Reporter) -> None:
    """Write configurations {language}-{subset}-{condition}-corpus, -queries and -qrels.

    Queries hold audio and no text, so that no model sees what it should hear. The conditions of a subset
    share the files of its documents and judgements.
    """
    configs: list[Config] = []
    subsets: dict[str, str] = {}
    recordings = 0
    for part in source.parts:
        collection, stem = part.collection(), f"{part.language}-{part.name}"
        corpus = corpus_table(f"{stem}/corpus", collection, "id")
        qrels = qrels_table(f"{stem}/qrels", collection)
        shared = {"corpus": _config(corpus, out, progress), "qrels": _config(qrels, out, progress)}
        for condition in part.conditions:
            place = f"{stem}/queries-{condition.file_form}"
            table = audio_table(place, source, part, condition, collection, _row, _QUERIES)
            queries = _config(table, out, progress)
            recordings += queries.rows
            subset = f"{stem}-{condition.file_form}"
            subsets[subset] = language_tag(part.language)
            for kind, config in {**shared, "queries": queries}.items():
                configs.append(_named(config, f"{subset}-{kind}"))
    languages = sorted({part.language for part in source.parts})
    head = front_matter(source.name, languages, LICENSE, recordings, configs)
    text = page("mteb.md.j2", name=source.name, subsets=subsets, noise=noise_terms(source.folder))
    write_atomic(out / "README.md", head + text)


def _row(recording: Recording) -> dict[str, str]:
    return {"id": recording.query_id}


def _config(table: Table, out: Path, progress: Reporter) -> Config:
    progress.total(table.stem, table.count)
    written = write_table(out, table.stem, table.schema, table.rows(), SHARD_BYTES)
    progress.advance(table.stem, table.count)
    return Config.of(table.stem, written, table.schema)


def _named(config: Config, name: str) -> Config:
    return Config(name, config.files, config.rows, config.content_bytes, config.bytes, config.schema)
