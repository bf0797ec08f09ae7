"""Records with a text in one column: JSONL, CSV, TSV and plain lines, read with their places and written."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from squtr.collection.findings import Findings
from squtr.collection.jsonl import read_jsonl, write_jsonl
from squtr.collection.lines import read_lines
from squtr.errors import UserError, at, did_you_mean
from squtr.store import write_atomic

TEXT = "text"
QUERIES = "queries.jsonl"
_MARKS = {".csv": ",", ".tsv": "\t"}
_JSONL = (".jsonl", ".ndjson", ".json")
_NO_TEXT = (".parquet", ".arrow", ".xlsx", ".zip")
_PACKED = ".gz"
LONGEST = 50_000


@dataclass(frozen=True, slots=True)
class Row:
    """One record: its fields, the text among them, and its place, `file:line`, for messages."""

    place: str
    fields: dict[str, Any]
    text: str


def read_rows(path: Path, text_column: str = TEXT) -> list[Row]:
    """Read the records of a file, or of the queries.jsonl in a folder of BEIR's layout; all in order.

    The form follows the name: .jsonl, .csv and .tsv (with a header), and plain lines for all others, where
    a blank line is a record with an empty text; gzipped ones end in .gz besides. Raises UserError with
    `file:line` for a record without the column, with something else than a text in it or with a text too long
    to be compared, and for a file without a record.
    """
    file = path / QUERIES if path.is_dir() else path
    rows = [
        Row(at(file, line), fields, _text(at(file, line), fields, text_column))
        for line, fields in _records(file, text_column)
    ]
    if not rows:
        raise UserError(f"{file}: no record in it.")
    return rows


def write_rows(path: Path, rows: Sequence[Mapping[str, Any]], text_column: str = TEXT) -> int:
    """Write records whole or not at all, in the form that the name says; return how many.

    A CSV gets every column that any record has; lists and mappings are JSON in their cell. Plain lines hold
    the text alone. Raises UserError for a text with a line break in plain lines.
    """
    form = written_form(path)
    if form in _JSONL:
        return write_jsonl(path, rows)
    text = _table(rows, _MARKS[form]) if form in _MARKS else _lines(rows, text_column)
    try:
        write_atomic(path, text.encode("utf-8"))
    except UnicodeEncodeError:
        raise UserError(
            f"{path}: a text holds half of a surrogate pair. Write to a name with .jsonl, which can hold it."
        ) from None
    return len(rows)


def written_form(path: Path) -> str:
    """Return the form a file is written in. Raises UserError for one that cannot be written."""
    form = form_of(path)
    if path.suffix == _PACKED and form not in _JSONL:
        raise UserError(f"{path}: only JSONL is written packed. Write to a name without {_PACKED}.")
    return form


def form_of(path: Path) -> str:
    """Return the ending that says what form a file has. Raises UserError for one that is no text."""
    form = (Path(path.stem) if path.suffix == _PACKED else path).suffix
    if form in _NO_TEXT:
        raise UserError(f"{path}: {form} is not handled. Records are .jsonl, .csv, .tsv or plain lines.")
    return form


def field(row: Row, column: str) -> Any:
    """Return what stands in a column. Raises UserError with the place and the columns there are."""
    if column not in row.fields:
        raise UserError(f"{row.place}: no column {column!r}.{did_you_mean(column, row.fields)}")
    return row.fields[column]


def _text(place: str, fields: dict[str, Any], column: str) -> str:
    found = field(Row(place, fields, ""), column)
    if not isinstance(found, str):
        raise UserError(f"{place}: {column} is {json.dumps(found, ensure_ascii=False)}, not a text.")
    if len(found) > LONGEST:
        raise UserError(f"{place}: {column} has {len(found):,} characters; {LONGEST:,} are the most.")
    return found


def _records(file: Path, text_column: str) -> Iterator[tuple[int, dict[str, Any]]]:
    form = form_of(file)
    if form in _JSONL:
        return read_jsonl(file)
    if form in _MARKS:
        return _cells(file, _MARKS[form])
    return ((number, {text_column: line}) for number, line in enumerate(_all_lines(file), 1))


def _all_lines(file: Path) -> Iterator[str]:
    """Yield every line, the blank ones before the last that is not blank included."""
    before = 0
    for number, line in read_lines(file, Findings()):
        yield from [""] * (number - before - 1)
        yield line
        before = number


def _cells(file: Path, mark: str) -> Iterator[tuple[int, dict[str, Any]]]:
    reader = csv.reader((f"{line}\n" for line in _all_lines(file)), delimiter=mark, strict=True)
    header, line = None, 1
    try:
        for cells in reader:
            if header is None:
                header = _header(file, cells)
            elif cells:
                if len(cells) != len(header):
                    raise UserError(
                        f"{at(file, line)}: {len(cells)} columns where the header has {len(header)}."
                    )
                yield line, dict(zip(header, cells, strict=True))
            line = reader.line_num + 1
    except csv.Error as error:
        raise UserError(f"{at(file, line)}: not a table ({error}).") from None


def _header(file: Path, cells: list[str]) -> list[str]:
    names = [name.strip() for name in cells]
    for name in names:
        if not name or names.count(name) > 1:
            raise UserError(f"{at(file, 1)}: the column {name!r} in the header is blank or stands twice.")
    return names


def _table(rows: Sequence[Mapping[str, Any]], mark: str) -> str:
    columns = list(dict.fromkeys(name for row in rows for name in row))
    out = io.StringIO()
    writer = csv.writer(out, delimiter=mark, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows([_cell(row.get(name)) for name in columns] for row in rows)
    return out.getvalue()


def _cell(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def _lines(rows: Iterable[Mapping[str, Any]], text_column: str) -> str:
    texts = [str(row[text_column]) for row in rows]
    for number, text in enumerate(texts, 1):
        if "\n" in text or "\r" in text:
            raise UserError(f"Record {number} has a line break in its text. Write to a name with .jsonl.")
    return "".join(f"{text}\n" for text in texts)
