"""Qrels: judgements by query, merged where they agree and refused where they do not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path

from squtr.collection.findings import Findings
from squtr.collection.jsonl import write_jsonl
from squtr.collection.qrels_rows import QrelsRow, qrels_rows
from squtr.errors import UserError, at

Qrels = dict[str, dict[str, int]]


def read_qrels(path: Path, findings: Findings | None = None) -> Qrels:
    """Read one qrels file as {query id: {document id: grade}}, negative grades kept.

    Accepts three columns with any header or none, or TREC's four (with ids as `escape_id` writes them), split
    by tabs or blanks; JSONL and Parquet with query-id, corpus-id and score. Raises UserError with `file:line`
    on a grade that is no integer, on lines of different width, and on a pair judged twice with different
    grades.
    """
    return read_qrels_files([path], findings or Findings())


def read_qrels_files(paths: Sequence[Path], findings: Findings) -> Qrels:
    """Read qrels from shards of one split. Raises UserError as `read_qrels` does."""
    qrels: Qrels = {}
    for row in _all_rows(paths, findings):
        grades = qrels.setdefault(row.query, {})
        judged = len(grades)
        known = grades.setdefault(row.document, row.grade)
        if known != row.grade:
            raise _conflict(paths, row, known)
        if len(grades) == judged:
            findings.add("repeated-judgement", (row.path, row.line))
        elif row.grade < 0:
            findings.add("negative-grade", (row.path, row.line))
    return qrels


def first_row(paths: Sequence[Path], matches: Callable[[QrelsRow], bool]) -> QrelsRow:
    """Return the first row that matches; reads the files again. Raises StopIteration if none does."""
    return next(filter(matches, _all_rows(paths, Findings())))


def write_qrels_jsonl(path: Path, qrels: Mapping[str, Mapping[str, int]]) -> int:
    """Write judgements as {"query-id", "corpus-id", "score"} rows, atomically; return how many."""
    return write_jsonl(
        path,
        (
            {"query-id": query, "corpus-id": document, "score": grade}
            for query, grades in qrels.items()
            for document, grade in grades.items()
        ),
    )


def _all_rows(paths: Sequence[Path], findings: Findings) -> Iterator[QrelsRow]:
    for path in paths:
        yield from qrels_rows(path, findings)


def _conflict(paths: Sequence[Path], row: QrelsRow, known: int) -> UserError:
    pair = (row.query, row.document)
    first = first_row(paths, lambda other: (other.query, other.document) == pair)
    return UserError(
        f"{at(row.path, row.line)}: query {row.query!r}, document {row.document!r} has grade {row.grade} here"
        f" and {known} at {at(first.path, first.line)}. Keep one of the two."
    )
