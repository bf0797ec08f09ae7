"""Ids: types, leading zeros, blanks, what is refused."""

from __future__ import annotations

import pytest

from squtr.collection import read_collection, read_documents, read_qrels, read_queries
from squtr.errors import UserError


def test_c07_leading_zeros_are_another_document(folder, by_kind):
    path = folder([{"_id": 7, "text": "seven"}, {"_id": "0007", "text": "agent"}], qrels="q1 0007 1\n")
    collection = read_collection(path, "en", strict=True)
    assert [document.id for document in collection.documents()] == ["7", "0007"]
    assert collection.qrels == {"q1": {"0007": 1}}
    assert by_kind(collection.findings)["integer-id"].examples == ("corpus.jsonl:1",)


def test_c07_number_beside_same_text_is_a_duplicate(folder):
    path = folder([{"_id": 7, "text": "a"}, {"_id": "x", "text": "b"}, {"_id": "7", "text": "c"}])
    with pytest.raises(UserError, match=r"corpus\.jsonl:3: .*'7'.*corpus\.jsonl:1"):
        read_collection(path, "en")


@pytest.mark.parametrize("bad", [True, None, 1.5, 1.0, ["d1"], {"a": 1}])
def test_c07_other_types_are_refused(put, bad):
    rows = [{"_id": "ok", "text": "x"}, {"_id": bad, "text": "x"}]
    with pytest.raises(UserError, match=r"rows\.jsonl:2: document id"):
        list(read_documents(put("rows.jsonl", rows)))
    with pytest.raises(UserError, match=r"rows\.jsonl:2: query id"):
        read_queries(put("rows.jsonl", rows))


def test_c08_blanks_are_part_of_an_id(folder, by_kind):
    ids = ["doc a", "doc a ", "文档　1", "x\u00a0y", "z\u200bw"]
    qrels = "".join(f"q1\t{id_}\t1\n" for id_ in ids)
    collection = read_collection(
        folder([{"_id": id_, "text": id_} for id_ in ids], qrels=qrels), "en", strict=True
    )
    assert [document.id for document in collection.documents()] == ids
    assert list(collection.qrels["q1"]) == ids
    blanks = [finding for finding in collection.findings if finding.kind == "blank-in-id"]
    assert sum(finding.count for finding in blanks) == 8


def test_c08_wide_blanks_do_not_split_columns(put):
    path = put("a.qrels", "q1 文档\u30001 1\nq1 x\u00a0y 2\n".encode())
    assert read_qrels(path) == {"q1": {"文档\u30001": 1, "x\u00a0y": 2}}


def test_c09_ids_that_look_like_paths_stay_apart(folder):
    ids = ["a/b", "a_b", "a:b", "A_B", "a b", "con", ".", "..", "-rf"]
    path = folder(queries=[{"_id": id_, "text": f"word {id_}"} for id_ in ids], qrels="..\td1\t1\n")
    before = sorted(path.parent.rglob("*"))
    collection = read_collection(path, "en")
    assert [query.id for query in collection.queries] == ids
    assert sorted(path.parent.rglob("*")) == before


@pytest.mark.parametrize("bad", ["", "a\0b", "a\nb", "a\rb", "a\u2028b", "a\x85b"])
def test_c09_empty_and_unwritable_ids_are_refused(put, bad):
    with pytest.raises(UserError, match=r"rows\.jsonl:1"):
        list(read_documents(put("rows.jsonl", [{"_id": bad, "text": "x"}])))


def test_lone_surrogate_in_id_is_refused(put):
    with pytest.raises(UserError, match=r"rows\.jsonl:1"):
        read_queries(put("rows.jsonl", '{"_id": "q\\ud800", "text": "x"}\n'))


@pytest.mark.parametrize(("id_", "expected"), [(0, "0"), ("0", "0"), (" ", " ")])
def test_falsy_looking_ids_are_kept(put, id_, expected):
    path = put("rows.jsonl", [{"_id": id_, "id": "other", "text": "x"}])
    assert [query.id for query in read_queries(path)] == [expected]
    assert read_queries(path)[0].extra == {"id": "other"}


def test_duplicate_query_ids_name_both_lines(put):
    rows = [{"_id": "q", "text": "a"}, {"_id": "r", "text": "b"}, {"_id": "q", "text": "c"}]
    with pytest.raises(UserError, match=r"rows\.jsonl:3: .*'q'.*rows\.jsonl:1"):
        read_queries(put("rows.jsonl", rows))


def test_row_without_id_says_what_was_looked_for(put):
    with pytest.raises(UserError, match=r"rows\.jsonl:1: no document id; looked for _id, id"):
        list(read_documents(put("rows.jsonl", [{"text": "x"}])))
