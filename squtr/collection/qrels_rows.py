"""Rows of a qrels file: TSV or blanks, three columns or TREC's four, JSONL or Parquet."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

from squtr.collection.findings import Findings
from squtr.collection.lines import read_lines
from squtr.collection.rows import read_rows
from squtr.collection.values import to_grade, to_id
from squtr.errors import UserError, at
from squtr.trec_ids import unescape_id

_QUERY_NAMES = ("queryid", "qid", "query", "topicid", "topic")
_DOCUMENT_NAMES = ("corpusid", "docid", "doc", "document", "documentid", "did", "docno", "passageid", "pid")
_GRADE_NAMES = ("score", "relevance", "rel", "grade", "label", "judgement", "judgment", "qrel")
_NO_HEADER_WORDS = {"nan", "inf", "infinity", "true", "false", "null", "none"}
_TREC_WIDTH = 4
_BY_POSITION = {3: (0, 1, 2), _TREC_WIDTH: (0, 2, 3)}


class QrelsRow(NamedTuple):
    """One judgement and where it stands."""

    path: Path
    line: int
    query: str
    document: str
    grade: int


def qrels_rows(path: Path, findings: Findings) -> Iterator[QrelsRow]:
    """Yield the judgements of a qrels file. Raises UserError with `file:line`."""
    if path.suffix == ".parquet" or path.name.endswith((".jsonl", ".jsonl.gz")):
        return _from_fields(path, findings)
    return _from_columns(path, findings)


def _from_fields(path: Path, findings: Findings) -> Iterator[QrelsRow]:
    for line, row in read_rows(path, findings):
        names = tuple(row)
        roles = _roles(names)
        if roles is None:
            raise UserError(
                f"{at(path, line)}: fields {', '.join(names)}; a judgement has query-id, corpus-id and score."
            )
        query, document, grade = (row[names[index]] for index in roles)
        yield _row(path, line, query, document, grade, findings)


def _from_columns(path: Path, findings: Findings) -> Iterator[QrelsRow]:
    lines = [(line, text.rstrip(" \t")) for line, text in read_lines(path, findings)]
    if not lines:
        return
    split = _by_tabs if {text.count("\t") for _, text in lines} <= {2, 3} else _by_blanks
    number, text = lines[0]
    width = len(split(text))
    if width not in _BY_POSITION:
        raise UserError(_columns_message(path, number, width))
    columns, headed = _header(split(text), path, number, findings)
    for line, text in lines[headed:]:
        fields = split(text)
        if len(fields) != width:
            raise UserError(_columns_message(path, line, len(fields), f" where line {number} has {width}"))
        query, document, grade = (fields[index] for index in columns)
        if width == _TREC_WIDTH:
            query, document = unescape_id(query), unescape_id(document)
        yield _row(path, line, query, document, grade.strip(" "), findings)


def _header(
    fields: Sequence[str], path: Path, line: int, findings: Findings
) -> tuple[tuple[int, int, int], int]:
    """Return the columns of query, document and grade, and how many header lines there are (0 or 1)."""
    by_position = _BY_POSITION[len(fields)]
    roles = _roles(tuple(fields))
    if roles is not None:
        return roles, 1
    if _is_word(fields[-1]):
        findings.add("header-unknown", (path, line))
        return by_position, 1
    if len(fields) == 3:
        findings.add("header-missing", (path, line))
    return by_position, 0


def _is_word(field: str) -> bool:
    """Tell whether a field can only be a column's name: no digit, and no word that stands for a number."""
    if any(character.isnumeric() for character in field):
        return False
    return field[:1].isalpha() and field.lower() not in _NO_HEADER_WORDS


@lru_cache(maxsize=64)
def _roles(names: tuple[str, ...]) -> tuple[int, int, int] | None:
    plain = [name.strip().lower().replace("-", "").replace("_", "") for name in names]
    found = [
        next((plain.index(known) for known in role if known in plain), None)
        for role in (_QUERY_NAMES, _DOCUMENT_NAMES, _GRADE_NAMES)
    ]
    query, document, grade = found
    if query is None or document is None or grade is None:
        return None
    return query, document, grade


def _by_tabs(text: str) -> list[str]:
    return text.split("\t")


def _by_blanks(text: str) -> list[str]:
    return [field for field in text.replace("\t", " ").split(" ") if field]


def _row(path: Path, line: int, query: Any, document: Any, grade: Any, findings: Findings) -> QrelsRow:
    return QrelsRow(
        path,
        line,
        to_id(query, path, line, "query", findings),
        to_id(document, path, line, "document", findings),
        to_grade(grade, path, line),
    )


def _columns_message(path: Path, line: int, width: int, beside: str = "") -> str:
    return (
        f"{at(path, line)}: {width} column{'s' if width != 1 else ''}{beside}. A qrels file has three columns"
        " (query, document, grade) or TREC's four, the same in every line."
    )
