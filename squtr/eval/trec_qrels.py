"""Judgements in trec_eval's four columns, beside the runs that they score."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from squtr.store import write_atomic
from squtr.trec_ids import escape_id


def write_trec_qrels(path: Path, qrels: Mapping[str, Mapping[str, int]]) -> None:
    """Write `query 0 document grade` lines, sorted, with ids as they stand in the runs.

    Grades stay as they are: negative ones too, which trec_eval treats as 0.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (
        f"{escape_id(query)} 0 {escape_id(document)} {qrels[query][document]}\n"
        for query in sorted(qrels)
        for document in sorted(qrels[query])
    )
    write_atomic(path, "".join(lines))
