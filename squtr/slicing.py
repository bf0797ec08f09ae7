"""Slice: a small data set or collection for cheap runs, marked: its scores are not those of the whole.

It keeps some queries, every judged document of theirs, and as many other documents (distractors) as wanted.
With fewer distractors than the whole corpus has, scores are higher: a slice compares runs on that slice only.
"""

from __future__ import annotations

import heapq
import json
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from squtr.collection import Collection, read_collection, read_jsonl, write_jsonl, write_qrels_jsonl
from squtr.collection.layout import SLICE_FILE
from squtr.dataset import audio_tables
from squtr.draw import draw_order
from squtr.errors import UserError
from squtr.manifest import ManifestWriter, check_tables, read_build, read_facts
from squtr.progress import Reporter
from squtr.publish.fresh import fresh_folder, put_audio
from squtr.publish.noise import noise_terms, write_terms
from squtr.publish.source import Part, Source, open_source, recordings

WARNING = "Scores on a slice stand beside scores on the same slice, never beside those on the whole."


@dataclass(frozen=True, slots=True)
class Cut:
    """How large a slice is to be: queries and distractors a subset, and the seed of both draws."""

    queries: int
    distractors: int
    seed: int


@dataclass(frozen=True, slots=True)
class SubsetSlice:
    """What was kept of one subset, of how many; `whole` is the fingerprint of the collection it is of."""

    queries: int
    queries_whole: int
    documents: int
    documents_whole: int
    judged_documents: int
    distractors: int
    whole: str


def cut_slice(folder: Path, out: Path, cut: Cut, progress: Reporter) -> dict[str, Any]:
    """Write a slice of a data set, or of a bare collection, to `out`; return what slice.json says.

    The same folder, sizes and seed give the same slice; a larger one holds a smaller one of the same seed.
    Raises UserError for a folder that is neither, and if `out` is not empty.
    """
    if slice_of(folder) is not None:
        raise UserError(f"{folder}: is a slice already. Cut the whole again, larger or smaller.")
    if any(folder.glob("*/*/queries_with_audio_*.jsonl")):
        return _of_dataset(open_source(folder), out, cut, progress)
    collection = read_collection(folder, "en")
    with fresh_folder(out) as place:
        kept = _chosen(collection, {query.id for query in collection.queries}, cut)
        subsets = {"": asdict(_write_collection(collection, kept, place, cut, progress))}
        return _marked(place, folder.resolve().name, cut, subsets, None)


def slice_of(folder: Path) -> dict[str, Any] | None:
    """Return what a slice says of itself, None for a whole data set or collection."""
    path = folder / SLICE_FILE
    if not path.is_file():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise UserError(f"{path}: no JSON ({error}). Cut the slice again.") from None
    if not isinstance(found, dict):
        raise UserError(f"{path}: no settings in it. Cut the slice again.")
    return found


def _of_dataset(source: Source, out: Path, cut: Cut, progress: Reporter) -> dict[str, Any]:
    subsets: dict[str, Any] = {}
    files: set[str] = set()
    if out.resolve().is_relative_to(source.folder.resolve()):
        raise UserError(f"{out}: lies in the data set itself. Choose another --out.")
    if source.has_facts:
        check_tables(source.folder)
    with fresh_folder(out) as place:
        for part in source.parts:
            collection = part.collection()
            kept = _chosen(collection, _heard_everywhere(part), cut)
            inner = place / part.language / part.name
            inner.mkdir(parents=True)
            subsets[part.key] = asdict(_write_collection(collection, kept, inner, cut, progress))
            files |= _write_audio(source, part, set(kept), place, progress)
        if source.has_facts:
            _write_manifest(source.folder, place, files)
        write_terms(place, noise_terms(source.folder))
        return _marked(place, source.name, cut, subsets, read_build(source.folder).get("identity"))


def _heard_everywhere(part: Part) -> set[str]:
    """Return the queries that have audio under every condition, so that a slice compares like with like."""
    tables = [{str(row["_id"]) for _, row in read_jsonl(path)} for path in audio_tables(part.folder)]
    return set.intersection(*tables)


def _chosen(collection: Collection, offered: set[str], cut: Cut) -> dict[str, set[str]]:
    """Return {query id: its judged documents} of the queries kept, in the collection's order."""
    judged = [
        query.id for query in collection.queries if query.id in collection.qrels and query.id in offered
    ]
    able = [query for query in judged if max(collection.qrels[query].values()) > 0]
    if not able:
        raise UserError(f"{collection.name}: no query has audio and a positive judgement.")
    chosen = set(sorted(able, key=lambda query: draw_order(cut.seed, "slice query", query))[: cut.queries])
    return {query: set(collection.qrels[query]) for query in able if query in chosen}


def _write_collection(
    collection: Collection, kept: dict[str, set[str]], place: Path, cut: Cut, progress: Reporter
) -> SubsetSlice:
    judged = set().union(*kept.values())
    others = (document.id for document in collection.documents() if document.id not in judged)
    distractors = _first(others, cut)
    wanted = judged | distractors
    label = f"slice {collection.language}/{collection.name}"
    progress.total(label, collection.document_count)
    rows = (
        {"_id": one.id, "title": one.title, "text": one.text}
        for one in collection.documents()
        if one.id in wanted
    )
    written = write_jsonl(place / "corpus.jsonl", rows)
    progress.advance(label, collection.document_count)
    queries = [query for query in collection.queries if query.id in kept]
    write_jsonl(place / "queries.jsonl", ({"_id": query.id, "text": query.text} for query in queries))
    (place / "qrels").mkdir()
    write_qrels_jsonl(place / "qrels" / "test.jsonl", {query: collection.qrels[query] for query in kept})
    return SubsetSlice(
        len(queries),
        len(collection.queries),
        written,
        collection.document_count,
        written - len(distractors),
        len(distractors),
        collection.fingerprint,
    )


def _first(documents: Iterable[str], cut: Cut) -> set[str]:
    """Return the first `distractors` documents in a stable random order, whatever the size of the corpus."""
    return set(
        heapq.nsmallest(cut.distractors, documents, key=lambda one: draw_order(cut.seed, "slice", one))
    )


def _write_audio(source: Source, part: Part, kept: set[str], place: Path, progress: Reporter) -> set[str]:
    """Put the audio of the kept queries and its tables in place; return the files."""
    known = {query.id for query in part.collection().queries}
    files: set[str] = set()
    for condition in part.conditions:
        label = f"{part.key} {condition.name}"
        progress.total(label, len(kept))
        for recording in recordings(source, part, condition, known):
            if recording.query_id in kept:
                put_audio(recording, place / recording.file)
                files.add(recording.file)
                progress.advance(label, 1)
        rows = (row for _, row in read_jsonl(condition.table) if str(row["_id"]) in kept)
        write_jsonl(place / part.language / part.name / condition.table.name, rows)
    return files


def _write_manifest(folder: Path, place: Path, files: set[str]) -> None:
    writer = ManifestWriter(place)
    try:
        for row in read_facts(folder):
            if row["file"] in files:
                writer.add(row)
        writer.close()
    finally:
        writer.discard()


def _marked(place: Path, name: str, cut: Cut, subsets: dict[str, Any], identity: Any) -> dict[str, Any]:
    facts = {"of": name, "identity": identity, **asdict(cut), "subsets": subsets, "warning": WARNING}
    text = json.dumps(facts, ensure_ascii=False, indent=1, allow_nan=False)
    (place / SLICE_FILE).write_text(f"{text}\n", encoding="utf-8")
    return facts
