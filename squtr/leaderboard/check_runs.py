"""Checks of runs, line by line: what is kept of a query is what its scores need."""

from __future__ import annotations

import itertools
import math
import operator
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from squtr.eval.measures import DEFAULT_MEASURES
from squtr.eval.runs import Ranking, cut
from squtr.leaderboard.board_data import BoardSubset
from squtr.leaderboard.lines import Unreadable, read_blocks, shown
from squtr.leaderboard.ranking import joined_digest, query_digest
from squtr.leaderboard.verdict import MOST_TOLD, Check
from squtr.trec_ids import MARK, unescape_id

KEPT = max(measure.cutoff for measure in DEFAULT_MEASURES)
_NUMBER = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
# What nearly every line is like: six columns with one blank between.
_PLAIN_LINE = re.compile(
    r"^(C) C (C) C (N) C$".replace("C", r"[^\x00-\x20]+").replace("N", _NUMBER.pattern), re.MULTILINE
)
_BYTE_ORDER_MARK = "\ufeff"
_MOST_FAULTS = MOST_TOLD - 1
_LEAVE_OUT = "Leave out what was not retrieved."


@dataclass
class ReadRun:
    """What is kept of a run: the best documents of each query, and the digest of each query's whole list."""

    top: dict[str, list[str]] = field(default_factory=dict)
    digests: list[bytes] = field(default_factory=list)
    whole: bool = False

    @property
    def ranking(self) -> str:
        """The digest of the order, as `ranking_digest` gives it."""
        return joined_digest(self.digests)


@dataclass(frozen=True)
class Rules:
    """What a run is held against."""

    subset: BoardSubset
    depth: int
    lexical: bool
    unanswered: frozenset[str]


def check_run(path: Path, name: str, rules: Rules, check: Check) -> ReadRun:
    """Read a run and take down its faults; reading ends at the first few, and never goes past its limits."""
    reader = _Reader(name, rules, check)
    most = len(rules.subset.queries) * rules.depth
    try:
        for number, block in read_blocks(path, most):
            reader.take(number, block)
            if reader.faults >= _MOST_FAULTS:
                check.refuse(name, "has more faults; it was not read further", "Mend those above first.")
                return reader.found
        reader.end_query()
    except Unreadable as error:
        where = f"{name}:{error.line}" if error.line else name
        check.refuse(where, error.what, error.how)
        return reader.found
    reader.end_file()
    reader.found.whole = reader.faults == 0
    return reader.found


class _Reader:
    """One file's state: the query that is being read, and those that were."""

    def __init__(self, name: str, rules: Rules, check: Check) -> None:
        self._name, self._rules, self._check = name, rules, check
        self._query: str | None = None
        self._column = ""
        self._ranking: dict[str, float] = {}
        self._first = 0
        self._refused: list[int] = []
        self._too_many = self._padded = False
        self.found, self.faults = ReadRun(), 0

    def take(self, first: int, block: bytes) -> None:
        """Take in some lines; the first has the number `first`."""
        rows = _plain_rows(block)
        if rows is None:
            self._take_lines(first, block)
            return
        columns, documents, written = zip(*rows, strict=True)
        start = 0
        for column, group in itertools.groupby(columns):
            end = start + sum(1 for _ in group)
            self._take_entries(first + start, column, documents[start:end], written[start:end])
            if self._is_enough():
                return
            start = end

    def _is_enough(self) -> bool:
        return self.faults >= _MOST_FAULTS

    def _take_entries(
        self, first: int, column: str, documents: Sequence[str], written: Sequence[str]
    ) -> None:
        """Take in neighbouring lines of one query: all at once where nothing is wrong, else one by one."""
        self._turn_to(column, first)
        found = dict(zip(documents, map(float, written), strict=True))
        if len(found) == len(documents) and self._fits(found):
            self._ranking.update(found)
            return
        for number, entry in enumerate(zip(documents, written, strict=True), start=first):
            self._take_entry(number, *entry)
            if self._is_enough():
                return

    def _fits(self, found: dict[str, float]) -> bool:
        lowest, highest = min(found.values()), max(found.values())
        return (
            (lowest > 0 or (lowest > -math.inf and not self._rules.lexical and 0 not in found.values()))
            and highest < math.inf
            and len(self._ranking) + len(found) <= self._rules.depth
            and self._ranking.keys().isdisjoint(found)
        )

    def _take_lines(self, first: int, block: bytes) -> None:
        for number, line in enumerate(block.split(b"\n"), start=first):
            self._take_line(number, line)
            if self._is_enough():
                return

    def _take_line(self, number: int, line: bytes) -> None:
        columns = line.split()
        if len(columns) != 6:
            self._refused.append(number)
            self._refuse(
                number,
                f"has {len(columns)} columns where a TREC run has six",
                "Write: query Q0 document rank score tag.",
            )
            return
        try:
            query, document, written = (columns[place].decode("utf-8") for place in (0, 2, 4))
        except UnicodeDecodeError:
            self._refused.append(number)
            self._refuse(number, "is no UTF-8 text", "Save the run as UTF-8.")
            return
        self._turn_to(query, number)
        self._take_entry(number, unescape_id(document), written)

    def _take_entry(self, number: int, document: str, written: str) -> None:
        score = float(written) if _NUMBER.fullmatch(written) else math.nan
        padding = score == 0 or (score < 0 and self._rules.lexical)
        fits = document not in self._ranking and len(self._ranking) < self._rules.depth
        if math.isfinite(score) and fits and not padding:
            self._ranking[document] = score
        else:
            self._refuse_entry(number, document, written, score)

    def end_query(self) -> None:
        """Keep of the query what its scores need, after its documents were looked up."""
        query, ranking = self._query, self._ranking
        if query is None or not ranking:
            return
        for document in self._rules.subset.documents.unknown(list(ranking))[:MOST_TOLD]:
            self._refuse(
                self._line_of(document),
                f"query {shown(query)} has document {shown(document)}, which is not in the corpus",
                "Write the ids of documents as corpus.jsonl has them.",
            )
        ordered = _in_order(ranking, query)
        self.found.digests.append(query_digest(query, ordered))
        self.found.top[query] = ordered[:KEPT]

    def _line_of(self, document: str) -> int:
        """Return where an accepted document of the query stands: its lines follow one another."""
        line = self._first + list(self._ranking).index(document)
        for refused in self._refused:
            line += refused <= line
        return line

    def end_file(self) -> None:
        """Look for judged queries that are missing, and for answers to queries said to have none."""
        judged = self._rules.subset.judged
        for query in sorted(judged - set(self.found.top) - self._rules.unanswered):
            self._refuse(
                None,
                f"query {shown(query)} is missing",
                "Put its documents there, or name it in `unanswered` of submission.json: it scores 0.",
            )
            if self.faults >= _MOST_FAULTS:
                return
        for query in sorted(self._rules.unanswered - judged)[:MOST_TOLD]:
            self._refuse(
                None, f"query {shown(query)} is in `unanswered`, but is not judged", "Pack it again."
            )
        for query in sorted(self._rules.unanswered & set(self.found.top))[:MOST_TOLD]:
            self._refuse(
                None, f"query {shown(query)} is in `unanswered`, but has documents", "Pack it again."
            )

    def _turn_to(self, column: str, number: int) -> None:
        """Go on with a query, as the line's first column has it."""
        if column == self._column:
            return
        self.end_query()
        self._column, query = column, unescape_id(column)
        self._query, self._ranking, self._first, self._refused = query, {}, number, []
        self._too_many = self._padded = False
        if query in self.found.top:
            self._refuse(
                number,
                f"query {shown(query)} comes a second time",
                "Put all its documents together, each once.",
            )
        elif query.startswith(_BYTE_ORDER_MARK):
            self._refuse(number, "begins with a byte-order mark", "Save it as UTF-8 without one.")
        elif query not in self._rules.subset.queries:
            self._refuse(
                number,
                f"query {shown(query)} is not in the data set",
                "Write the ids of queries as queries.jsonl has them.",
            )

    def _refuse_entry(self, number: int, document: str, written: str, score: float) -> None:
        query = shown(self._query)
        self._refused.append(number)
        if not math.isfinite(score):
            self._refuse(
                number,
                f"query {query}, document {shown(document)}: the score {shown(written)} is no finite number",
                "Write a number such as 12.5.",
            )
        elif document in self._ranking:
            self._refuse(number, f"query {query} has document {shown(document)} twice", "Keep one line.")
        elif len(self._ranking) == self._rules.depth:
            self._once(
                "_too_many", number, f"query {query} has more than {self._rules.depth} documents", "Cut it."
            )
        else:
            self._once(
                "_padded",
                number,
                f"query {query} is padded: document {shown(document)} has score {written[:20]}, no evidence",
                _LEAVE_OUT,
            )

    def _once(self, flag: str, number: int, what: str, how: str) -> None:
        if not getattr(self, flag):
            setattr(self, flag, True)
            self._refuse(number, what, how)

    def _refuse(self, number: int | None, what: str, how: str) -> None:
        self.faults += 1
        self._check.refuse(self._name if number is None else f"{self._name}:{number}", what, how)


def _plain_rows(block: bytes) -> list[tuple[str, str, str]] | None:
    """Return query, document and score of each line; None unless all are plain, without escapes."""
    try:
        text = block.decode("utf-8")
    except UnicodeDecodeError:
        return None
    rows: list[tuple[str, str, str]] = _PLAIN_LINE.findall(text)
    return rows if MARK not in text and len(rows) == text.count("\n") + 1 else None


def _in_order(ranking: Ranking, query: str) -> list[str]:
    """Return the documents as `cut` orders them, which most files do already."""
    scores = list(ranking.values())
    if all(map(operator.gt, scores, scores[1:])):
        return list(ranking)
    return [document for document, _ in cut(ranking, len(ranking), query)]


def runs_of(found: dict[tuple[str, str], ReadRun], key: str) -> dict[str, dict[str, list[str]]]:
    """Return the best documents of each query in those runs of a subset that were read to their end."""
    return {condition: one.top for (subset, condition), one in found.items() if subset == key and one.whole}
