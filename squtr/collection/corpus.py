"""The corpus: streamed, never held."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from squtr.collection.findings import Findings
from squtr.collection.oddities import note_oddities
from squtr.collection.repeats import Repeats
from squtr.collection.rows import first_present, read_rows
from squtr.collection.values import to_id
from squtr.errors import UserError, at
from squtr.records import Document

_ID_NAMES = ("_id", "id", "docid", "doc_id", "doc-id", "corpus-id")
_COLUMNS = (*_ID_NAMES, "title", "text")


@dataclass(frozen=True, slots=True)
class CorpusFacts:
    """What one pass over a corpus tells: documents in it, and the wanted ids it lacks."""

    document_count: int
    missing: frozenset[str]


def read_documents(path: Path, findings: Findings | None = None) -> Iterator[Document]:
    """Stream the documents of a JSONL or Parquet file, in file order; ids are not compared.

    A null or missing title or text reads as "". Raises UserError with `file:line` on a broken line,
    on a title or text of another type, and on an id that is no string or integer.
    """
    return (document for _, _, document in numbered_documents([path], findings or Findings()))


def numbered_documents(paths: Sequence[Path], findings: Findings) -> Iterator[tuple[Path, int, Document]]:
    """Stream (file, line, document) over the shards of a corpus."""
    for path in paths:
        for line, row in read_rows(path, findings, _COLUMNS):
            yield path, line, _document(row, path, line, findings)


def scan_corpus(
    paths: Sequence[Path], wanted: set[str], absorb: Callable[[str, str, str], None], findings: Findings
) -> CorpusFacts:
    """Validate a corpus in one pass. `absorb` gets each document's (id, title, text).

    Memory: 20 bytes a document, 40 for a moment at the end. Raises UserError on a duplicate id
    (naming both lines), on an empty corpus, and if no document has a text.
    """
    ids, texts, places = Repeats(), Repeats(), _Places()
    missing, with_text = set(wanted), 0
    for path, line, document in numbered_documents(paths, findings):
        places.add(path, line)
        missing.discard(document.id)
        ids.add(document.id)
        absorb(document.id, document.title, document.text)
        with_text += bool(document.text)
        if document.title or document.text:
            texts.add(f"{len(document.title)} {document.title}{document.text}")
            note_oddities(f"{document.title}\n{document.text}", path, line, "document", findings)
            continue
        texts.add(f"- {document.id}")
        findings.add("empty-document", (path, line))
    _refuse_nothing(len(places), with_text, paths)
    _refuse_duplicate_ids(paths, ids.pairs(), places)
    for position, first in texts.pairs():
        example = f"{findings.place(*places[position])} as {findings.place(*places[first])}"
        findings.add("duplicate-text", example, "document")
    return CorpusFacts(len(places), frozenset(missing))


def _document(row: dict[str, Any], path: Path, line: int, findings: Findings) -> Document:
    id_name = first_present(row, _ID_NAMES)
    if id_name is None:
        raise UserError(f"{at(path, line)}: no document id; looked for {', '.join(_ID_NAMES)}.")
    if row.get("text") is None:
        findings.add("missing-text", (path, line))
    return Document(
        to_id(row[id_name], path, line, "document", findings),
        _text(row.get("title"), "title", path, line),
        _text(row.get("text"), "text", path, line),
    )


def _text(value: object, name: str, path: Path, line: int) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    raise UserError(f"{at(path, line)}: the document's {name} is {type(value).__name__}, not a string.")


def _refuse_nothing(count: int, with_text: int, paths: Sequence[Path]) -> None:
    if count == 0:
        raise UserError(f"{at(paths[0])}: the corpus holds no document.")
    if with_text == 0:
        raise UserError(f"{at(paths[0])}: no document has a text. It is read from the field `text`.")


class _Places:
    """File and line of each position, in four bytes a position."""

    def __init__(self) -> None:
        self._lines = array("I")
        self._paths: list[Path] = []
        self._starts: list[int] = []

    def __len__(self) -> int:
        return len(self._lines)

    def add(self, path: Path, line: int) -> None:
        if not self._paths or self._paths[-1] is not path:
            self._paths.append(path)
            self._starts.append(len(self._lines))
        self._lines.append(line)

    def __getitem__(self, position: int) -> tuple[Path, int]:
        return self._paths[bisect_right(self._starts, position) - 1], self._lines[position]


def _refuse_duplicate_ids(paths: Sequence[Path], pairs: list[tuple[int, int]], places: _Places) -> None:
    if not pairs:
        return
    positions = {position for pair in pairs for position in pair}
    stream = enumerate(numbered_documents(paths, Findings()))
    found = {position: document.id for position, (_, _, document) in stream if position in positions}
    for position, first in pairs:
        if found[position] == found[first]:
            raise UserError(
                f"{at(*places[position])}: document id {found[first]!r} stands already at"
                f" {at(*places[first])}. Ids must differ."
            )
