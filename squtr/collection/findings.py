"""Findings: what a reader noticed in its input and did not change."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

MAX_EXAMPLES = 3

# kind -> (what is counted, what it did)
_SENTENCES: dict[str, tuple[str, str]] = {
    "blank-in-id": ("id", "held white space; a TREC file cannot carry it as it stands"),
    "blank-line": ("blank line", "skipped"),
    "byte-order-mark": ("byte-order mark", "removed"),
    "column-not-read": ("column", "left out: its type has no place in JSON"),
    "control-characters": ("text", "held control characters; kept as read"),
    "duplicate-text": ("text", "repeated an earlier one word for word"),
    "empty-document": ("document", "had neither title nor text; kept, but nothing can retrieve it"),
    "file-not-read": ("file", "left unread because another file took its place"),
    "fullwidth-digits": ("text", "held full-width digits; kept as read"),
    "header-missing": ("qrels file", "had no header; the first line was read as a judgement"),
    "header-unknown": ("qrels header", "named no known columns; columns were taken by position"),
    "integer-id": ("id", "came as a number and became a string"),
    "mis-encoded": ("text", "looked decoded with the wrong encoding; kept as read"),
    "missing-text": ("document", "had no text or null; read as empty"),
    "not-a-number": ("field", "held NaN or infinity; read as null"),
    "negative-grade": ("judgement", "had a negative grade; kept, and earns no gain"),
    "qrels-unknown-document": ("judgement", "named a document outside the corpus; kept in the ideal ranking"),
    "qrels-unknown-query": ("judgement", "named a query that does not exist; dropped"),
    "query-without-positive": (
        "query",
        "had judgements but no positive one; scores 0, and no build speaks it",
    ),
    "repeated-judgement": ("judgement", "repeated an earlier one with the same grade; merged"),
    "unjudged-query": ("query", "had no judgement and so no score"),
}


@dataclass(frozen=True, slots=True)
class Finding:
    """One kind of oddity: how often, in a sentence, with up to three places (`file:line` or ids)."""

    kind: str
    count: int
    message: str
    examples: tuple[str, ...] = ()


@dataclass(slots=True)
class _Count:
    count: int = 0
    examples: list[str] = field(default_factory=list)


class Findings:
    """Collects findings while files are read; `root` shortens the paths in their examples."""

    def __init__(self, root: Path | None = None) -> None:
        self._root = root
        self._counts: dict[tuple[str, str], _Count] = {}
        self._said: list[Finding] = []

    def add(self, kind: str, where: tuple[Path, int] | str, noun: str = "") -> None:
        """Count one case of `kind`; `noun` says of what when the kind alone does not."""
        found = self._counts.setdefault((kind, noun), _Count())
        found.count += 1
        if len(found.examples) < MAX_EXAMPLES:
            found.examples.append(where if isinstance(where, str) else self.place(*where))

    def say(self, finding: Finding) -> None:
        """Add a finding with a sentence of its own."""
        self._said.append(finding)

    def place(self, path: Path, line: int) -> str:
        """Return `file:line`, the file relative to the collection."""
        if self._root is not None and path.is_relative_to(self._root):
            return f"{path.relative_to(self._root).as_posix()}:{line}"
        return f"{path.name}:{line}"

    def found(self) -> tuple[Finding, ...]:
        """Return all findings, one for each kind and noun, in the order of their first case."""
        counted = (
            Finding(kind, case.count, _sentence(kind, noun, case.count), tuple(case.examples))
            for (kind, noun), case in self._counts.items()
        )
        return (*self._said, *counted)


def _sentence(kind: str, noun: str, count: int) -> str:
    usual, verb = _SENTENCES[kind]
    return f"{count:,} {plural(noun or usual, count)} {verb}."


def plural(noun: str, count: int) -> str:
    """Return the noun as it stands after a number."""
    if count == 1:
        return noun
    return f"{noun[:-1]}ies" if noun.endswith("y") else f"{noun}s"
