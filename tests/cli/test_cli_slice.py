"""`squtr slice`: all judged documents, seeded distractors, and a mark that stays."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from squtr.collection import read_collection
from squtr.commands.eval import run_eval, show_eval
from squtr.commands.export import run_export
from squtr.commands.slice import run_slice, show_slice
from squtr.dataset import read_dataset
from squtr.errors import UserError
from squtr.progress import Silent
from squtr.publish.importing import import_squtr
from squtr.slicing import slice_of
from tests.building import ENGLISH, RECOGNISER, build, rows, write_both, write_collection, write_lines


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("whole")
    build(write_both(folder), folder / "out")
    return folder / "out"


def large(folder: Path, documents: int = 200) -> Path:
    place = write_collection(folder, ENGLISH)
    more = [{"_id": f"x-{number}", "title": "", "text": f"number {number}"} for number in range(documents)]
    write_lines(place / "corpus.jsonl", [*rows(place / "corpus.jsonl"), *more])
    return place


def test_a_collection_keeps_every_judged_document_and_so_many_others(tmp_path, capsys):
    facts = run_slice(large(tmp_path / "c"), tmp_path / "s", 2, 30, 7)
    show_slice(facts, tmp_path / "s", False)
    assert "2 of 4 queries, 32 of 204 documents (2 judged, 30 distractors)" in capsys.readouterr().out
    queries = {row["_id"] for row in rows(tmp_path / "s" / "queries.jsonl")}
    qrels = rows(tmp_path / "s" / "qrels" / "test.jsonl")
    documents = {row["_id"] for row in rows(tmp_path / "s" / "corpus.jsonl")}
    assert {row["query-id"] for row in qrels} == queries
    assert {row["corpus-id"] for row in qrels} <= documents
    assert "slice" in {finding.kind for finding in read_collection(tmp_path / "s", "en").findings}
    assert slice_of(tmp_path / "s") == json.loads((tmp_path / "s" / "slice.json").read_text()) == facts


def test_the_same_cut_is_the_same_and_a_larger_one_holds_it(tmp_path):
    folder = large(tmp_path / "c")
    found = {}
    for name, queries, distractors in (("a", 2, 30), ("again", 2, 30), ("more", 3, 60)):
        run_slice(folder, tmp_path / name, queries, distractors, 7)
        found[name] = [(tmp_path / name / file).read_text() for file in ("corpus.jsonl", "queries.jsonl")]
    assert found["a"] == found["again"]
    for small, big in zip(found["a"], found["more"], strict=True):
        assert set(small.splitlines()) < set(big.splitlines())
    run_slice(folder, tmp_path / "other", 2, 30, 8)
    assert (tmp_path / "other" / "corpus.jsonl").read_text() != found["a"][0]


def test_a_data_set_keeps_its_audio_and_facts(tmp_path, dataset):
    facts = run_slice(dataset, tmp_path / "s", 2, 1, 7)
    assert set(facts["subsets"]) == {"en/trial", "zh/trial"}
    assert facts["of"] == "trial"
    whole = {subset.key: subset for subset in read_dataset(dataset)}
    for subset in read_dataset(tmp_path / "s"):
        assert len(subset.collection.queries) == 2
        assert subset.conditions.keys() == whole[subset.key].conditions.keys()
        for name, recordings in subset.conditions.items():
            before = {one.query_id: one for one in whole[subset.key].conditions[name]}
            assert {one.query_id for one in recordings} == {query.id for query in subset.collection.queries}
            for one in recordings:
                assert one.path.read_bytes() == before[one.query_id].path.read_bytes()
                assert one.facts == before[one.query_id].facts != {}


def test_an_imported_archive_is_cut_too(tmp_path, dataset):
    run_export("squtr", dataset, tmp_path / "published")
    import_squtr(tmp_path / "published", tmp_path / "imported", False, Silent())
    facts = run_slice(tmp_path / "imported", tmp_path / "s", 1, 0, 7)
    assert {kept["queries"] for kept in facts["subsets"].values()} == {1}
    assert all(
        recording.path.is_file()
        for subset in read_dataset(tmp_path / "s")
        for recording in subset.conditions["clean"]
    )


def test_scores_of_a_slice_say_so(tmp_path, dataset, capsys):
    run_slice(dataset, tmp_path / "s", 2, 1, 7)
    results, out = run_eval(tmp_path / "s", RECOGNISER, ["bm25"], tmp_path / "e", 1, None)
    assert results["dataset"]["slice"]["queries"] == 2
    show_eval(results, out, False)
    assert "A slice of trial." in " ".join(capsys.readouterr().out.split())
    assert "Measured on a slice of trial. Scores on a slice stand" in (out / "report.html").read_text()


def test_what_cannot_be_cut(tmp_path, dataset):
    run_slice(dataset, tmp_path / "s", 1, 0, 7)
    for folder, out, message in (
        (tmp_path / "s", tmp_path / "t", "is a slice already"),
        (dataset, tmp_path / "s", "is there already"),
        (tmp_path / "nothing", tmp_path / "t", "no such folder"),
    ):
        with pytest.raises(UserError, match=message):
            run_slice(folder, out, 1, 0, 7)


def test_a_manifest_that_is_cut_short_cannot_be_cut(tmp_path, dataset):
    data = shutil.copytree(dataset, tmp_path / "data")
    (data / "manifest.parquet").write_bytes((data / "manifest.parquet").read_bytes()[:-9])
    with pytest.raises(UserError, match=r"manifest\.parquet: cannot be read"):
        run_slice(data, tmp_path / "s", 2, 30, 7)
    shutil.copy(dataset / "manifest.parquet", data)
    (data / "manifest.jsonl").write_bytes(b"")
    with pytest.raises(UserError, match=r"manifest\.jsonl: no row in it"):
        run_slice(data, tmp_path / "s", 2, 30, 7)
    assert not (tmp_path / "s").exists()
