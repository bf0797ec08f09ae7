from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from squtr.collection import Finding

DOCUMENTS = [{"_id": "d1", "title": "", "text": "red apple"}, {"_id": "d2", "text": "green pear"}]
QUERIES = [{"_id": "q1", "text": "apple"}]


def to_bytes(content: bytes | str | list[dict[str, Any]]) -> bytes:
    if isinstance(content, bytes):
        return content
    if isinstance(content, str):
        return content.encode("utf-8")
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in content).encode("utf-8")


@pytest.fixture
def put(tmp_path: Path) -> Callable[..., Path]:
    """Write one file (bytes, text or rows) below tmp_path."""

    def write(name: str, content: bytes | str | list[dict[str, Any]]) -> Path:
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(to_bytes(content))
        return path

    return write


@pytest.fixture
def folder(put: Callable[..., Path], tmp_path: Path) -> Callable[..., Path]:
    """Write a BEIR folder; every part has a sound default."""

    def write(corpus: Any = DOCUMENTS, queries: Any = QUERIES, qrels: Any = "q1\td1\t1\n") -> Path:
        put("corpus.jsonl", corpus)
        put("queries.jsonl", queries)
        put("qrels/test.tsv", qrels)
        return tmp_path

    return write


@pytest.fixture
def by_kind() -> Callable[[tuple[Finding, ...]], dict[str, Finding]]:
    """Return findings by kind; fails if a kind occurs twice."""

    def index(findings: tuple[Finding, ...]) -> dict[str, Finding]:
        kinds = {finding.kind: finding for finding in findings}
        assert len(kinds) == len(findings)
        return kinds

    return index
