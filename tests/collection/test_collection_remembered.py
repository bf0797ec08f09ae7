"""A collection whose files did not change is not validated again; one that did, in any way, is."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from squtr.collection import Remembered, collection, read_collection
from squtr.collection import remembered as module
from squtr.errors import UserError
from tests.building import ENGLISH, build, write_collection, write_trial


@pytest.fixture
def scans(monkeypatch) -> list[Any]:
    """The corpora that were read."""
    found: list[Any] = []
    scan = collection.scan_corpus

    def counted(paths: Any, *rest: Any) -> Any:
        found.append(paths)
        return scan(paths, *rest)

    monkeypatch.setattr(collection, "scan_corpus", counted)
    return found


def read(folder: Path, file: Path) -> collection.Collection:
    remembered = Remembered(file)
    found = read_collection(folder, "en", remembered=remembered)
    remembered.write(file)
    return found


def test_the_second_time_tells_the_same_without_reading(tmp_path, scans):
    folder = write_collection(tmp_path / "c", {**ENGLISH, "q9": "nobody judged", "q8": "who wrote hamlet"})
    lines = (folder / "qrels" / "test.tsv").read_text().replace("q9\td-4\t1\n", "").replace("d-1", "gone")
    (folder / "qrels" / "test.tsv").write_text(lines)
    first = read(folder, tmp_path / "known.json")
    assert {finding.kind for finding in first.findings} >= {"unjudged-query", "qrels-unknown-document"}
    assert read(folder, tmp_path / "known.json") == first == read_collection(folder, "en")
    assert len(scans) == 2  # the first time, and the one without a memory


@pytest.mark.parametrize("name", ["corpus.jsonl", "queries.jsonl", "qrels/test.tsv"])
def test_a_touched_file_is_read_again(tmp_path, scans, name):
    folder = write_collection(tmp_path / "c", ENGLISH)
    first = read(folder, tmp_path / "known.json")
    os.utime(folder / name, ns=(9, 9))
    assert read(folder, tmp_path / "known.json") == first
    assert len(scans) == 2


def test_other_documents_of_the_same_size_and_time_are_noticed(tmp_path, scans):
    folder = write_collection(tmp_path / "c", ENGLISH)
    first, corpus = read(folder, tmp_path / "known.json"), folder / "corpus.jsonl"
    times = corpus.stat()
    corpus.write_text(corpus.read_text().replace("hamlet", "macbet"))
    os.utime(corpus, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert (corpus.stat().st_size, corpus.stat().st_mtime_ns) == (times.st_size, times.st_mtime_ns)
    assert read(folder, tmp_path / "known.json").corpus_fingerprint != first.corpus_fingerprint


def test_other_code_reads_again(tmp_path, scans, monkeypatch):
    folder = write_collection(tmp_path / "c", ENGLISH)
    read(folder, tmp_path / "known.json")
    monkeypatch.setattr(module, "code_digest", lambda: "other")
    read(folder, tmp_path / "known.json")
    assert len(scans) == 2


@pytest.mark.parametrize(
    "content", ["", "[]", "{", '{"key": {}}', '{"key": 1}', '{"key": {"findings": [{}]}}']
)
def test_a_broken_memory_is_none(tmp_path, scans, content):
    folder = write_collection(tmp_path / "c", ENGLISH)
    (tmp_path / "known.json").write_text(content)
    assert read(folder, tmp_path / "known.json").document_count == 4
    assert len(json.loads((tmp_path / "known.json").read_text())) == 1


def test_strict_reading_always_reads(tmp_path):
    folder = write_collection(tmp_path / "c", ENGLISH, ["q1\tgone\t1", "q2\td-1\t1"])
    read(folder, tmp_path / "known.json")
    with pytest.raises(UserError, match="strict reading"):
        read_collection(folder, "en", strict=True, remembered=Remembered(tmp_path / "known.json"))


def test_a_build_that_goes_on_does_not_validate_again(tmp_path, scans):
    recipe = write_trial(tmp_path)
    build(recipe, tmp_path / "out")
    facts = json.loads((tmp_path / "out" / "build.json").read_text())
    build(recipe, tmp_path / "out")
    assert len(scans) == 1
    assert json.loads((tmp_path / "out" / "build.json").read_text())["inputs"] == facts["inputs"]
