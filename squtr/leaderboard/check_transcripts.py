"""Checks of transcripts: one row a query, each with its status."""

from __future__ import annotations

from collections.abc import Collection
from pathlib import Path
from typing import Any

from squtr.leaderboard.board_data import BoardSubset
from squtr.leaderboard.lines import Unreadable, read_lines, shown
from squtr.leaderboard.verdict import MOST_TOLD, Check
from squtr.strict_json import STRICT

STATUSES = ("ok", "empty", "failed")


def check_transcripts(
    path: Path, name: str, subset: BoardSubset, answered: Collection[str], check: Check
) -> None:
    """Read a file of transcripts and take down its faults.

    A judged query without a row is one, and a query that was not heard but is in `answered`, those with
    documents in the run.
    """
    queries = subset.queries
    judged = {query for query, grades in subset.qrels.items() if grades}
    seen: dict[str, str] = {}
    faults = 0
    try:
        for number, line in read_lines(path, len(queries)):
            if fault := _fault(line, queries, seen):
                check.refuse(f"{name}:{number}", *fault)
                faults += 1
            if faults >= MOST_TOLD:
                return
    except Unreadable as error:
        check.refuse(name if error.line is None else f"{name}:{error.line}", error.what, error.how)
        return
    for query in sorted(judged - set(seen))[:MOST_TOLD]:
        check.refuse(name, f"query {shown(query)} is missing", "Give it a row: ok, empty or failed.")
    for query in answered:
        if seen.get(query) == "failed":
            what = f"query {shown(query)} failed, but the run has documents for it"
            check.refuse(name, what, "What was not heard cannot be searched: leave them out.")


def _fault(line: bytes, queries: frozenset[str], seen: dict[str, str]) -> tuple[str, str] | None:
    try:
        row = STRICT.decode(line.decode("utf-8"))
    except (ValueError, RecursionError):
        row = None
    if not isinstance(row, dict):
        return "is no strict JSON object", "Write one a line, each key once."
    query = row.get("_id")
    if not isinstance(query, str) or query not in queries:
        return f"query {shown(query)} is not in the data set", "Write the ids as queries.jsonl has them."
    if query in seen:
        return f"query {shown(query)} comes a second time", "Keep one row."
    seen[query] = str(row.get("status"))
    return _inner_fault(row)


def _inner_fault(row: dict[str, Any]) -> tuple[str, str] | None:
    status, text, audio = row.get("status"), row.get("asr_text"), row.get("audio", "")
    if status not in STATUSES:
        return f"status is {shown(status)}", "It must be ok, empty or failed: a failure is no empty text."
    if not isinstance(text, str) and not (text is None and status == "failed"):
        return f"asr_text is {shown(text)}", "Write what was heard."
    if not isinstance(audio, str) or audio in (".", "..") or any(mark in audio for mark in "/\\\0"):
        return f"audio is {shown(audio)}", "A plain file name must stand there."
    return None
