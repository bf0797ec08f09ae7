"""Layouts: BEIR, gzipped, hub Parquet, SQuTR; splits; unknown folders."""

from __future__ import annotations

import gzip
import hashlib
import pickle
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from squtr.collection import Findings, read_collection, read_documents, read_queries
from squtr.errors import UserError

CORPUS = b'{"_id": "d1", "title": "", "text": "red apple"}\n{"_id": "d2", "text": "pear"}\n'
QUERIES = b'{"_id": "q1", "text": "apple"}\n'
DOCUMENT_ROWS = [
    {"_id": "d1", "title": None, "text": "red apple"},
    {"_id": "d2", "title": "", "text": "pear"},
]
QUERY_ROWS = [{"_id": "q1", "text": "apple"}]
NORMALISED = b"2 5\nq1apple5\nqrels2 2 1\nq1d116\ncorpus2 0 9\nd1red apple2 0 4\nd2pear"
QRELS_ROWS = [{"query-id": "q1", "corpus-id": "d1", "score": 1}]


def parquet(path: Path, rows: list[dict[str, object]]) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.Table.from_pylist(rows), path)


def beir(put, root):
    put("corpus.jsonl", CORPUS)
    put("queries.jsonl", QUERIES)
    put("qrels/test.tsv", "query-id\tcorpus-id\tscore\nq1\td1\t1\n")


def gzipped(put, root):
    put("corpus.jsonl.gz", gzip.compress(CORPUS))
    put("queries.jsonl.gz", gzip.compress(QUERIES))
    put("qrels/test.tsv.gz", gzip.compress(b"q1\td1\t1\n"))


def squtr(put, root):
    put("corpus.jsonl", CORPUS)
    put("queries.jsonl", QUERIES)
    put("queries_with_audio_clean.jsonl", "not read")
    put("qrels/test.jsonl", '{"query-id": "q1", "corpus-id": "d1", "score": "1"}\n')


def loose_trec(put, root):
    put("corpus.jsonl", CORPUS)
    put("queries.jsonl", QUERIES)
    put("qrels.txt", "q1 0 d1 1\n")


def flat_parquet(put, root):
    parquet(root / "corpus.parquet", DOCUMENT_ROWS)
    parquet(root / "queries.parquet", QUERY_ROWS)
    parquet(root / "qrels.parquet", QRELS_ROWS)


def hub(put, root):
    parquet(root / "corpus/corpus-00000-of-00002.parquet", [{"id": "d1", "text": "red apple"}])
    parquet(root / "corpus/corpus-00001-of-00002.parquet", [{"id": "d2", "text": "pear"}])
    parquet(root / "queries/queries-00000-of-00001.parquet", QUERY_ROWS)
    parquet(root / "data/test-00000-of-00001.parquet", [{**QRELS_ROWS[0], "score": 1.0}])


def one_folder_hub(put, root):
    parquet(
        root / "data/corpus-00000-of-00001-0a1b.parquet",
        [{"docid": row["_id"], "text": row["text"]} for row in DOCUMENT_ROWS],
    )
    parquet(root / "data/queries-00000-of-00001-0a1b.parquet", QUERY_ROWS)
    parquet(root / "data/test-00000-of-00001-0a1b.parquet", QRELS_ROWS)


def converted(put, root):
    parquet(root / "corpus/corpus/0000.parquet", DOCUMENT_ROWS)
    parquet(root / "queries/queries/0000.parquet", QUERY_ROWS)
    parquet(root / "default/test/0000.parquet", QRELS_ROWS)


LAYOUTS = [beir, gzipped, squtr, loose_trec, flat_parquet, hub, one_folder_hub, converted]


@pytest.mark.parametrize("build", LAYOUTS, ids=lambda build: build.__name__)
def test_every_layout_gives_the_same_collection(put, tmp_path, build):
    build(put, tmp_path)
    collection = read_collection(tmp_path, "en", name="fruit", strict=True)
    assert (collection.name, collection.language, collection.document_count) == ("fruit", "en", 2)
    assert [query.text for query in collection.queries] == ["apple"]
    assert collection.qrels == {"q1": {"d1": 1}}
    assert [(d.id, d.title, d.text) for d in collection.documents()] == [
        ("d1", "", "red apple"),
        ("d2", "", "pear"),
    ]
    assert collection.fingerprint == hashlib.sha256(NORMALISED).hexdigest()


def test_documents_stream_anew_each_time_also_in_another_process(put, tmp_path):
    beir(put, tmp_path)
    collection = pickle.loads(pickle.dumps(read_collection(tmp_path, "en")))
    assert list(collection.documents()) == list(collection.documents())
    assert collection.name == tmp_path.name


@pytest.mark.parametrize(
    ("part", "content"),
    [
        ("corpus.jsonl", b"".join(reversed(CORPUS.splitlines(keepends=True)))),
        ("corpus.jsonl", CORPUS.replace(b"red apple", b"red apples")),
        ("queries.jsonl", QUERIES.replace(b"apple", b"Apple")),
        ("qrels/test.tsv", "q1\td1\t2\n"),
        ("qrels/test.tsv", "q1\td1\t1\nq1\td2\t0\n"),
    ],
)
def test_fingerprint_follows_content_and_order(put, tmp_path, part, content):
    beir(put, tmp_path)
    before = read_collection(tmp_path, "en").fingerprint
    put(part, content)
    assert read_collection(tmp_path, "en").fingerprint != before


@pytest.mark.parametrize(
    ("splits", "taken"),
    [
        (["train", "dev", "test"], "test"),
        (["train", "dev"], "dev"),
        (["train"], "train"),
        (["train", "validation"], "validation"),
    ],
)
def test_split_taken_is_said(put, tmp_path, splits, taken, by_kind):
    beir(put, tmp_path)
    (tmp_path / "qrels/test.tsv").unlink()
    for grade, split in enumerate(splits, 1):
        put(f"qrels/{split}.tsv", f"query-id\tcorpus-id\tscore\nq1\td1\t{grade}\n")
    collection = read_collection(tmp_path, "en")
    assert collection.qrels == {"q1": {"d1": splits.index(taken) + 1}}
    finding = by_kind(collection.findings)["qrels-split"]
    assert f"split {taken}" in finding.message
    assert all(split in finding.message for split in splits)


@pytest.mark.parametrize(
    "names", [["train.tsv", "other.tsv"], ["test.tsv", "test.jsonl"], ["test.tsv", "test.tsv.gz"]]
)
def test_unclear_splits_are_refused(put, tmp_path, names):
    beir(put, tmp_path)
    (tmp_path / "qrels/test.tsv").unlink()
    for name in names:
        put(f"qrels/{name}", "q1\td1\t1\n")
    with pytest.raises(UserError, match=r"several splits|more than one file"):
        read_collection(tmp_path, "en")


def test_files_that_lose_to_another_are_reported(put, tmp_path, by_kind):
    beir(put, tmp_path)
    put("corpus.jsonl.gz", b"other")
    put("qrels.tsv", "other")
    put("qrels/._test.tsv", "resource fork")
    found = by_kind(read_collection(tmp_path, "en").findings)
    assert set(found) == {"file-not-read"}
    assert set(found["file-not-read"].examples) == {"corpus.jsonl.gz", "qrels.tsv"}


def test_unknown_layout_lists_what_was_sought_and_found(put, tmp_path):
    put("docs.csv", "a,b")
    put("sub/queries.jsonl", QUERIES)
    with pytest.raises(UserError) as caught:
        read_collection(tmp_path, "en")
    for word in ("no corpus and no queries and no qrels", "corpus.jsonl.gz", "docs.csv", "sub/queries.jsonl"):
        assert word in str(caught.value)


def test_folder_that_does_not_exist(tmp_path):
    with pytest.raises(UserError, match="no such folder"):
        read_collection(tmp_path / "none", "en")


@pytest.mark.parametrize("part", ["corpus.jsonl", "queries.jsonl"])
def test_empty_files_are_refused(put, tmp_path, part):
    beir(put, tmp_path)
    put(part, b"\n")
    with pytest.raises(UserError, match=rf"{part}"):
        read_collection(tmp_path, "en")


def test_duplicate_over_shards_names_both_files(put, tmp_path):
    hub(put, tmp_path)
    parquet(
        tmp_path / "corpus/corpus-00001-of-00002.parquet",
        [{"id": "d3", "text": "x"}, {"id": "d1", "text": "y"}],
    )
    with pytest.raises(UserError, match=r"00001-of-00002\.parquet:2: .*'d1'.*00000-of-00002\.parquet:1"):
        read_collection(tmp_path, "en")


def test_parquet_ids_are_strings_or_integers(tmp_path):
    parquet(tmp_path / "a.parquet", [{"_id": 7, "text": "x"}])
    assert [document.id for document in read_documents(tmp_path / "a.parquet")] == ["7"]
    parquet(tmp_path / "a.parquet", [{"_id": 7.0, "text": "x"}])
    with pytest.raises(UserError, match=r"a\.parquet:1: document id 7\.0"):
        list(read_documents(tmp_path / "a.parquet"))


def test_parquet_audio_is_left_out_of_queries(tmp_path):
    findings = Findings()
    parquet(
        tmp_path / "q.parquet",
        [{"_id": "q", "text": "x", "audio": {"bytes": b"\0", "path": "a"}, "wer": float("nan")}],
    )
    (query,) = read_queries(tmp_path / "q.parquet", findings)
    assert query.extra == {"wer": None}
    assert {finding.kind for finding in findings.found()} == {"column-not-read", "not-a-number"}


def test_parquet_without_known_columns_lists_its_own(tmp_path):
    parquet(tmp_path / "a.parquet", [{"passage": "x", "key": "d"}])
    with pytest.raises(UserError, match=r"a\.parquet: columns passage, key; looked for _id, .*text"):
        list(read_documents(tmp_path / "a.parquet"))


def test_broken_parquet_is_one_clear_error(put):
    with pytest.raises(UserError, match=r"a\.parquet: not a readable Parquet file"):
        list(read_documents(put("a.parquet", b"PAR1 not really")))
