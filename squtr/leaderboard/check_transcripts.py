"""Checks of transcripts: one row a query, each with its status; and their error rate."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from pathlib import Path
from typing import Any

from squtr.languages import languages
from squtr.leaderboard.board_data import BoardSubset, text_digest
from squtr.leaderboard.lines import Unreadable, read_lines, shown
from squtr.leaderboard.verdict import MOST_TOLD, Check
from squtr.strict_json import STRICT
from squtr.text import ErrorCounts, corpus_rate, count_errors

STATUSES = ("ok", "empty", "failed")


def check_transcripts(
    path: Path, name: str, subset: BoardSubset, condition: str, answered: Collection[str], check: Check
) -> dict[str, Any] | None:
    """Read a file of transcripts and take down its faults.

    A judged query without a row is one, and a query that was not heard but is in `answered`, those with
    documents in the run. Returns the error rate, pooled over all queries, and how many have which status;
    None where anything is wrong or what was spoken is not known. A failure counts as all words left out: an
    evaluation leaves it out of its rate and counts it apart, which would reward failing here.
    """
    reader = _Reader(subset, condition)
    faults = 0
    try:
        for number, line in read_lines(path, len(subset.queries)):
            if fault := reader.fault(line):
                check.refuse(f"{name}:{number}", *fault)
                faults += 1
            if faults >= MOST_TOLD:
                return None
    except Unreadable as error:
        check.refuse(f"{name}:{error.line}" if error.line else name, error.what, error.how)
        return None
    for query in sorted(subset.judged - set(reader.seen))[:MOST_TOLD]:
        check.refuse(name, f"query {shown(query)} is missing", "Give it a row: ok, empty or failed.")
    for query in answered:
        if reader.seen.get(query) == "failed":
            what = f"query {shown(query)} failed, but the run has documents for it"
            check.refuse(name, what, "What was not heard cannot be searched: leave them out.")
    return None if check.faults else reader.rated()


class _Reader:
    """One file's state: the status of each query that was met, and the errors of what was heard."""

    def __init__(self, subset: BoardSubset, condition: str) -> None:
        self._subset = subset
        self._spoken = subset.spoken(condition)
        self._language = languages().get(subset.language)
        self._errors: list[ErrorCounts] = []
        self._is_rated = bool(self._spoken) and self._language is not None
        self.seen: dict[str, str] = {}

    def fault(self, line: bytes) -> tuple[str, str] | None:
        """Take in a line; return what is wrong with it and how to mend it."""
        try:
            row = STRICT.decode(line.decode("utf-8"))
        except (ValueError, RecursionError):
            row = None
        if not isinstance(row, dict):
            return "is no strict JSON object", "Write one a line, each key once."
        query = row.get("_id")
        if not isinstance(query, str) or query not in self._subset.queries:
            return f"query {shown(query)} is not in the data set", "Write the ids as queries.jsonl has them."
        if query in self.seen:
            return f"query {shown(query)} comes a second time", "Keep one row."
        self.seen[query] = str(row.get("status"))
        return _inner_fault(row) or self._count(query, row)

    def _count(self, query: str, row: dict[str, Any]) -> tuple[str, str] | None:
        if query not in self._spoken:
            self._is_rated = False
            return None
        text = row.get("text")
        if not isinstance(text, str) or text_digest(text) != self._spoken[query]:
            return f"query {shown(query)}: `text` is not what was spoken", "Pack it again, and edit nothing."
        if self._is_rated:
            heard = None if row["status"] == "failed" else row["asr_text"]
            self._errors.append(count_errors(text, heard, self._subset.language))
        return None

    def rated(self) -> dict[str, Any] | None:
        """Return the error rate and the statuses."""
        if not self._is_rated or self._language is None:
            return None
        statuses = Counter(self.seen.values())
        found = {"name": self._language.error_rate, **corpus_rate(self._errors)}
        return found | {status: statuses[status] for status in STATUSES}


def _inner_fault(row: dict[str, Any]) -> tuple[str, str] | None:
    status, text, audio = row.get("status"), row.get("asr_text"), row.get("audio", "")
    if status not in STATUSES:
        return f"status is {shown(status)}", "It must be ok, empty or failed: a failure is no empty text."
    if not isinstance(text, str) and not (text is None and status == "failed"):
        return f"asr_text is {shown(text)}", "Write what was heard."
    if isinstance(text, str) and status in ("ok", "empty") and bool(text.strip()) != (status == "ok"):
        return f"status is {shown(status)}, but asr_text is {shown(text)}", "What is blank is empty."
    if not isinstance(audio, str) or audio in (".", "..") or any(mark in audio for mark in "/\\\0"):
        return f"audio is {shown(audio)}", "A plain file name must stand there."
    return None
