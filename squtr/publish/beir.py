"""BEIR: the text collection as BEIR's loaders read it, with the audio of each query beside it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from squtr.collection import Collection, write_jsonl
from squtr.errors import UserError
from squtr.progress import Reporter
from squtr.publish.fresh import put_audio
from squtr.publish.source import Part, Source, recordings

_HEADER = "query-id\tcorpus-id\tscore\n"


def write_beir(source: Source, out: Path, progress: Reporter) -> None:
    """Write {language}/{subset}/ with corpus.jsonl, queries.jsonl, qrels/test.tsv and audio/{condition}/.

    A query's `metadata.audio` gives its file by condition, relative to the subset's folder. Raises UserError
    for an id that a TSV file cannot carry.
    """
    for part in source.parts:
        place = out / part.language / part.name
        collection = part.collection()
        (place / "qrels").mkdir(parents=True)
        write_corpus(place / "corpus.jsonl", collection)
        write_qrels_tsv(place / "qrels" / "test.tsv", collection)
        audio = _write_audio(source, part, collection, place, progress)
        rows = (
            {"_id": query.id, "text": query.text, "metadata": {"audio": audio.get(query.id, {})}}
            for query in collection.queries
        )
        write_jsonl(place / "queries.jsonl", rows)


def write_corpus(path: Path, collection: Collection) -> None:
    """Write the documents as JSONL."""
    rows = ({"_id": one.id, "title": one.title, "text": one.text} for one in collection.documents())
    write_jsonl(path, rows)


def write_qrels_tsv(path: Path, collection: Collection) -> None:
    """Write the judgements as TSV with BEIR's header."""
    with path.open("w", encoding="utf-8", newline="\n") as file:
        file.write(_HEADER)
        for query, grades in collection.qrels.items():
            _refuse_in_tsv([query, *grades], collection)
            file.writelines(f"{query}\t{document}\t{grade}\n" for document, grade in grades.items())


def _write_audio(
    source: Source, part: Part, collection: Collection, place: Path, progress: Reporter
) -> dict[str, dict[str, str]]:
    """Return each query's files by condition."""
    known = {query.id for query in collection.queries}
    found: dict[str, dict[str, str]] = {}
    for condition in part.conditions:
        label = f"{part.key} {condition.name}"
        progress.total(label, len(known))
        for recording in recordings(source, part, condition, known):
            name = f"audio/{condition.file_form}/{recording.path.name}"
            put_audio(recording, place / name)
            found.setdefault(recording.query_id, {})[condition.name] = name
            progress.advance(label, 1)
    return found


def _refuse_in_tsv(names: Iterable[str], collection: Collection) -> None:
    for name in names:
        if "\t" in name or '"' in name:
            raise UserError(
                f"{collection.language}/{collection.name}: id {name!r} holds a tab or a quotation mark, which"
                " BEIR's TSV cannot carry. Rename it."
            )
