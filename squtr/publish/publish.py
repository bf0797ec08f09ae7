"""Publish: a data set as Parquet with its card and metadata, staged in a folder and uploaded."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from squtr.collection import Collection
from squtr.data_build.folder import WORK
from squtr.data_build.seal import sealed
from squtr.digest import digest_file
from squtr.imported import IMPORT_FILE
from squtr.local_paths import without_local_paths
from squtr.progress import Reporter
from squtr.publish.card import Config, front_matter, page
from squtr.publish.croissant import croissant
from squtr.publish.hub import Target
from squtr.publish.noise import NOISE_FILE, Terms, noise_terms
from squtr.publish.repository import Repository, identity_of
from squtr.publish.shards import SHARD_BYTES, Shard, Written
from squtr.publish.source import Part, Source, open_source
from squtr.publish.tables import (
    Table,
    audio_table,
    corpus_table,
    qrels_table,
    queries_table,
    spoken_row,
    spoken_schema,
)
from squtr.store import write_atomic


@dataclass(frozen=True)
class Staged:
    """A repository as it would be uploaded: its folder, its files with sizes, its configurations."""

    root: Path
    files: list[tuple[str, int]]
    configs: list[Config]


def stage(
    folder: Path,
    target: Target,
    staging: Path,
    license_id: str,
    progress: Reporter,
    limit: int = SHARD_BYTES,
) -> Staged:
    """Write the repository of a data set below `staging`; tables an earlier run finished are kept.

    Raises UserError when the data set is not whole: audio missing, not the manifest's, or not in its order,
    and when its build.json was edited.
    """
    source, terms = open_source(folder), noise_terms(folder)
    collections = {part.key: part.collection() for part in source.parts}
    tables = {
        name: table for part in source.parts for name, table in _tables(source, part, collections[part.key])
    }
    repository = Repository(staging, identity_of(limit, source_identity(source)))
    written = repository.write(list(tables.values()), limit, progress)
    configs = [Config.of(name, written[table.stem], table.schema) for name, table in tables.items()]
    extra = _copy_extra(source, repository.root)
    if "manifest.parquet" in extra:
        configs.append(_manifest_config(repository.root / "manifest.parquet"))
    _write_card(source, target, license_id, terms, collections, configs, repository.root)
    _write_croissant(source, target, license_id, configs, written.values(), repository.root)
    shards = {shard.name for table in written.values() for shard in table.shards}
    files = repository.finish({*shards, *extra, "README.md", "croissant.json"})
    return Staged(repository.root, files, configs)


def staging_folder(folder: Path) -> Path:
    """Return where a data set is staged unless another place is given."""
    return folder / WORK / "publish"


def source_identity(source: Source) -> dict[str, Any]:
    """Return the digests of everything that decides a data set's published tables."""
    if source.build:
        return {"files": source.build.get("files"), "build": digest_file(source.folder / "build.json")}
    tables = {path.name: digest_file(path) for path in source.folder.glob(IMPORT_FILE)}
    for part in source.parts:
        for path in sorted(part.folder.rglob("*.jsonl")):
            tables[path.relative_to(source.folder).as_posix()] = digest_file(path)
    audio = sorted(source.folder.glob("*/*/audio_*/*"))
    stats = [(path.relative_to(source.folder).as_posix(), path.stat()) for path in audio]
    return {"tables": tables, "audio": [(name, facts.st_size, facts.st_mtime_ns) for name, facts in stats]}


def _tables(source: Source, part: Part, collection: Collection) -> Iterable[tuple[str, Table]]:
    """Yield (configuration, table) of a subset."""
    config, stem = f"{part.language}-{part.name}", f"data/{part.key}"
    yield f"{config}-corpus", corpus_table(f"{stem}/corpus", collection, "_id")
    yield f"{config}-queries", queries_table(f"{stem}/queries", collection, "_id")
    yield f"{config}-qrels", qrels_table(f"{stem}/qrels", collection)
    texts = {query.id: query.text for query in collection.queries}
    schema = spoken_schema(source.has_facts)
    for condition in part.conditions:
        place = f"{stem}/{condition.file_form}"
        row = spoken_row(part, condition, texts)
        yield (
            f"{config}-{condition.file_form}",
            audio_table(place, source, part, condition, collection, row, schema),
        )


def _copy_extra(source: Source, root: Path) -> list[str]:
    """Copy what squtr wrote beside the subsets; for a data set it did not build, the noise's terms alone."""
    names = ["rejected.jsonl", "manifest.parquet"] if source.build else [NOISE_FILE]
    copied = [name for name in names if (source.folder / name).is_file()]
    for name in copied:
        shutil.copyfile(source.folder / name, root / name)
    if not source.build:
        return copied
    _write_json(root / "build.json", sealed(without_local_paths(source.build)))
    return [*copied, "build.json"]


def _manifest_config(path: Path) -> Config:
    facts = pq.read_metadata(path)
    size = path.stat().st_size
    return Config("manifest", (path.name,), facts.num_rows, size, size)


def _write_card(
    source: Source,
    target: Target,
    license_id: str,
    terms: Terms,
    collections: dict[str, Collection],
    configs: list[Config],
    root: Path,
) -> None:
    spoken = _spoken(source)
    recordings = sum(config.rows for config in configs if config.name in spoken)
    text = page(
        "published.md.j2",
        name=source.name,
        repo_id=target.repo_id,
        build=without_local_paths(source.build),
        noise=terms,
        queries=sum(len(one.queries) for one in collections.values()),
        recordings=recordings,
        conditions=list(dict.fromkeys(one.name for part in source.parts for one in part.conditions)),
        channels=list(
            dict.fromkeys(one.channel for part in source.parts for one in part.conditions if one.channel)
        ),
        example=spoken[0],
        subsets=[_subset_row(key, one) for key, one in collections.items()],
    )
    languages = sorted({part.language for part in source.parts})
    head = front_matter(source.name, languages, license_id, recordings, configs)
    write_atomic(root / "README.md", f"{head}{text}")


def _spoken(source: Source) -> list[str]:
    return [
        f"{part.language}-{part.name}-{condition.file_form}"
        for part in source.parts
        for condition in part.conditions
    ]


def _subset_row(key: str, collection: Collection) -> dict[str, Any]:
    judgements = sum(map(len, collection.qrels.values()))
    return {
        "key": key,
        "documents": collection.document_count,
        "queries": len(collection.queries),
        "judgements": judgements,
    }


def _write_croissant(
    source: Source,
    target: Target,
    license_id: str,
    configs: list[Config],
    written: Iterable[Written],
    root: Path,
) -> None:
    shards: list[Shard] = [shard for table in written for shard in table.shards]
    description = "Spoken queries for text retrieval under controlled noise, in SQuTR's protocol."
    _write_json(
        root / "croissant.json", croissant(source.name, target.url, description, license_id, configs, shards)
    )


def _write_json(path: Path, value: Any) -> None:
    write_atomic(path, json.dumps(value, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
