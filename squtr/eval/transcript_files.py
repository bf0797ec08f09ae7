"""Transcripts made anywhere: ids and texts from JSONL, CSV, TSV, Kaldi's `text` and NIST's `trn`."""

from __future__ import annotations

import csv
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from squtr.collection import Findings, read_jsonl
from squtr.collection.lines import read_lines
from squtr.errors import UserError, at

ID_NAMES = ("_id", "id", "query_id", "query-id", "utt_id", "utterance_id", "utt", "key", "audio_id")
REFERENCE_NAMES = ("text", "reference", "ref", "sentence", "transcription", "transcript")
HYPOTHESIS_NAMES = ("asr_text", "hypothesis", "hyp", "transcript", "transcription", "prediction", "text")
_TRN = re.compile(r"(?P<text>.*?)\s*\((?P<id>[^()\s]+)\)\s*")
_SURROGATE = re.compile(r"[\ud800-\udfff]")

Row = tuple[int, str, str | None]


def read_transcripts(path: Path, names: tuple[str, ...]) -> dict[str, str | None]:
    """Return {id: text} in file order; None where a row has the status `failed`; null is no word.

    The form follows the name: .jsonl, .csv, .tsv, .trn, and `id text` lines for all others. `names` are the
    fields sought for the text, in order. Raises UserError with `file:line` for a repeated id, a row without
    id or text, and an empty file.
    """
    found: dict[str, str | None] = {}
    lines: dict[str, int] = {}
    for line, identifier, text in _reader(path)(path, names):
        if identifier in found:
            raise UserError(
                f"{at(path, line)}: id {identifier!r} stands already on line {lines[identifier]}. Keep one."
            )
        found[identifier], lines[identifier] = text, line
    if not found:
        raise UserError(f"{path}: no transcript in it.")
    return found


def _reader(path: Path) -> Callable[[Path, tuple[str, ...]], Iterator[Row]]:
    name = path.name.removesuffix(".gz")
    if name.endswith((".jsonl", ".ndjson", ".json")):
        return _from_jsonl
    if name.endswith((".csv", ".tsv")):
        return _from_table
    return _from_trn if name.endswith(".trn") else _from_pairs


def _from_jsonl(path: Path, names: tuple[str, ...]) -> Iterator[Row]:
    for line, row in read_jsonl(path):
        yield _row(path, line, row, names)


def _from_table(path: Path, names: tuple[str, ...]) -> Iterator[Row]:
    """Read a table with a header; without one, two columns are id and text."""
    rows = list(_table_rows(path))
    if not rows:
        return
    header = [name.strip() for name in rows[0][1]]
    if set(header) & set(ID_NAMES):
        for line, fields in rows[1:]:
            if len(fields) != len(header):
                raise UserError(
                    f"{at(path, line)}: {len(fields)} columns where the header has {len(header)}."
                )
            yield _row(path, line, dict(zip(header, fields, strict=True)), names)
        return
    for line, fields in rows:
        if len(fields) != 2:
            raise UserError(
                f"{at(path, line)}: {len(fields)} columns and no header. Write a header with _id and text, or"
                " two columns: id, text."
            )
        yield line, fields[0], fields[1]


def _table_rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield (line number, cells). In a CSV quotes enclose a cell; in a TSV they are part of it."""
    numbers: list[int] = [0]

    def counted() -> Iterator[str]:
        for line, text in read_lines(path, Findings()):
            numbers.append(line)
            yield f"{text}\n"

    tabs = path.name.removesuffix(".gz").endswith(".tsv")
    style: dict[str, Any] = (
        {"delimiter": "\t", "quoting": csv.QUOTE_NONE} if tabs else {"delimiter": ",", "strict": True}
    )
    reader = csv.reader(counted(), **style)
    try:
        for row in reader:
            yield numbers[reader.line_num], row
    except csv.Error as error:
        raise UserError(f"{at(path, numbers[-1])}: not a table ({error}).") from None


def _from_trn(path: Path, names: tuple[str, ...]) -> Iterator[Row]:
    for line, text in read_lines(path, Findings()):
        match = _TRN.fullmatch(text)
        if match is None:
            raise UserError(f"{at(path, line)}: a .trn line is its text and, in brackets, its id.")
        yield line, match["id"], match["text"]


def _from_pairs(path: Path, names: tuple[str, ...]) -> Iterator[Row]:
    for line, text in read_lines(path, Findings()):
        separator = "\t" if "\t" in text else None
        identifier, *rest = text.lstrip(" ").split(separator, 1)
        yield line, identifier, rest[0] if rest else ""


def _row(path: Path, line: int, row: dict[str, Any], names: tuple[str, ...]) -> Row:
    identifier = next((row[name] for name in ID_NAMES if name in row), None)
    if type(identifier) is int:
        identifier = str(identifier)
    if not isinstance(identifier, str) or not identifier:
        raise UserError(f"{at(path, line)}: no id. Give each row one of {', '.join(ID_NAMES)}.")
    if row.get("status") == "failed":
        return line, identifier, None
    name = next((name for name in names if name in row), None)
    if name is None:
        raise UserError(f"{at(path, line)}: no text. Give each row one of {', '.join(names)}.")
    text = row[name]
    if text is not None and not isinstance(text, str):
        raise UserError(f"{at(path, line)}: {name} is {text!r}, not a text.")
    if text and (broken := _SURROGATE.search(text)):
        raise UserError(
            f"{at(path, line)}: {name} holds a lone surrogate (\\u{ord(broken[0]):x}), which has no UTF-8"
            " form. Write the text anew."
        )
    return line, identifier, text or ""
