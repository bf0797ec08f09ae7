"""What reading a collection told, kept for as long as none of its files changes.

A corpus of millions of documents takes minutes to validate. A build that goes on need not do it again: by the
size and the times of every file, the code that read it told the same.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from squtr.collection.findings import Finding
from squtr.digest import digest, to_plain
from squtr.environment import code_digest
from squtr.store import write_atomic


@dataclass(frozen=True, slots=True)
class Told:
    """A collection's facts that take its whole corpus to find out."""

    document_count: int
    findings: tuple[Finding, ...]
    fingerprint: str
    corpus_fingerprint: str


class Remembered:
    """Facts by key, read from a file; only those asked for in this run are written again."""

    def __init__(self, file: Path | None = None) -> None:
        self._before = _read(file) if file else {}
        self._now: dict[str, Told] = {}

    def get(self, key: str, read: Callable[[], Told]) -> Told:
        """Return what is known under `key`, or else what `read` returns."""
        self._now[key] = self._before[key] if key in self._before else read()
        return self._now[key]

    def write(self, file: Path) -> None:
        """Write the facts of this run."""
        write_atomic(file, json.dumps(to_plain(self._now), ensure_ascii=True, allow_nan=False))


def files_key(root: Path, files: Iterable[Path]) -> str:
    """Return a key that changes with the place, size and times of any of the files, and with this code."""
    facts = ((path, path.stat()) for path in files)
    marks = [(path, fact.st_size, fact.st_mtime_ns, fact.st_ctime_ns) for path, fact in facts]
    return digest(code_digest(), root.resolve(), marks)


def _read(file: Path) -> dict[str, Told]:
    try:
        plain = json.loads(file.read_text(encoding="utf-8"))
        return {key: _told(**facts) for key, facts in plain.items()}
    except (OSError, ValueError, TypeError, AttributeError):
        return {}


def _told(findings: list[dict[str, Any]], **facts: Any) -> Told:
    kept = (Finding(**{**finding, "examples": tuple(finding.get("examples", ()))}) for finding in findings)
    return Told(findings=tuple(kept), **facts)
