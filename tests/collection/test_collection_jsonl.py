"""JSONL: encodings, line ends, broken lines, null and missing texts, atomic writing."""

from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from squtr.collection import (
    Findings,
    read_collection,
    read_documents,
    read_jsonl,
    read_qrels,
    read_queries,
    write_jsonl,
)
from squtr.errors import UserError

BOM = b"\xef\xbb\xbf"
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**60), 2**60)
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(rows=st.lists(st.dictionaries(st.text(), VALUES, max_size=4), max_size=5), packed=st.booleans())
def test_written_rows_read_back_unchanged(tmp_path, rows, packed):
    path = tmp_path / ("rows.jsonl.gz" if packed else "rows.jsonl")
    assert write_jsonl(path, rows) == len(rows)
    assert [row for _, row in read_jsonl(path)] == rows


def test_c10_byte_order_mark_is_stripped(put, folder, by_kind):
    path = folder(
        BOM + b'{"_id": "d1", "text": "x"}\n',
        BOM + b'{"_id": "q1", "text": "y"}\n',
        BOM + b"query-id\tcorpus-id\tscore\nq1\td1\t1\n",
    )
    collection = read_collection(path, "en", strict=True)
    assert [query.id for query in collection.queries] == ["q1"]
    assert collection.qrels == {"q1": {"d1": 1}}
    found = by_kind(collection.findings)
    assert found["byte-order-mark"].count == 3
    assert "header-missing" not in found


def test_byte_order_mark_between_joined_files_is_stripped(put):
    path = put("a.tsv", BOM + b"q1\td1\t1\n" + BOM + b"q2\td1\t1\n")
    assert read_qrels(path) == {"q1": {"d1": 1}, "q2": {"d1": 1}}


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_c10_wide_encodings_are_named(put, encoding):
    path = put("corpus.jsonl", '{"_id": "d1", "text": "苹果"}\n'.encode(encoding))
    with pytest.raises(UserError, match=r"corpus\.jsonl:1: the file is UTF-(16|32), not UTF-8"):
        list(read_documents(path))


def test_c11_null_and_missing_texts_of_documents(folder, by_kind):
    corpus = [
        {"_id": "d1", "title": None, "text": "red apple"},
        {"_id": "d2", "text": "pear"},
        {"_id": "d3", "title": "", "text": ""},
        {"_id": "d4", "title": "x"},
    ]
    collection = read_collection(folder(corpus), "en")
    documents = {document.id: document for document in collection.documents()}
    assert (documents["d1"].title, documents["d1"].full_text) == ("", "red apple")
    assert documents["d2"].full_text == "pear"
    assert documents["d4"].full_text == "x"
    found = by_kind(collection.findings)
    assert (found["empty-document"].count, found["empty-document"].examples) == (1, ("corpus.jsonl:3",))
    assert found["missing-text"].examples == ("corpus.jsonl:4",)


@pytest.mark.parametrize(
    "query", [{"text": None}, {}, {"text": ""}, {"text": " \u3000\t"}, {"text": "\u200b"}, {"text": 5}]
)
def test_c11_query_without_text_is_refused(folder, query):
    path = folder(queries=[{"_id": "q0", "text": "a"}, {"_id": "q1", **query}])
    with pytest.raises(UserError, match=r"queries\.jsonl:2"):
        read_collection(path, "en")


@pytest.mark.parametrize("text", ["🙂", "？", "a"])
def test_any_visible_text_is_a_query(put, text):
    assert read_queries(put("q.jsonl", [{"_id": "q", "text": text}]))[0].text == text


@pytest.mark.parametrize("field", ["title", "text"])
def test_document_text_of_another_type_is_refused(put, field):
    path = put("c.jsonl", [{"_id": "d", "text": "x", field: ["y"]}])
    with pytest.raises(UserError, match=rf"c\.jsonl:1: the document's {field} is list"):
        list(read_documents(path))


def test_corpus_with_another_text_field_is_refused(folder):
    with pytest.raises(UserError, match="no document has a text"):
        read_collection(folder([{"_id": "d1", "title": "t", "contents": "x"}]), "en")


def test_line_ends_and_blank_lines(put):
    findings = Findings()
    path = put("a.jsonl", b'{"a": 1}\r\n\r\n  \n{"a": 2}')
    assert list(read_jsonl(path, findings)) == [(1, {"a": 1}), (4, {"a": 2})]
    (blank,) = findings.found()
    assert (blank.kind, blank.count, blank.examples) == ("blank-line", 2, ("a.jsonl:2", "a.jsonl:3"))


@pytest.mark.parametrize("mark", ["\u2028", "\u2029", "\x85", "\u000b", "\u001c"])
def test_only_line_feeds_end_a_line(put, mark):
    row = {"a": f"one{mark}two"}
    path = put("a.jsonl", json.dumps(row, ensure_ascii=False) + "\n")
    assert [found for _, found in read_jsonl(path)] == [row]


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ('{"_id": "q2", "te', "Unterminated string"),
        ('{"a": 1} {"b": 2}', "Extra data at character 10"),
        ('{"a": NaN}', "bare word NaN"),
        ('{"a": -Infinity}', "bare word -Infinity"),
        ("[" * 100_000, "nested too deeply|Expecting value"),
        ('["a"]', "list where a JSON object"),
        ("null", "NoneType where a JSON object"),
    ],
)
def test_broken_line_in_the_middle_is_named(put, line, reason):
    path = put("a.jsonl", f'{{"a": 1}}\n{line}\n{{"a": 2}}\n')
    with pytest.raises(UserError, match=rf"a\.jsonl:2: .*({reason})"):
        list(read_jsonl(path))


def test_invalid_utf8_is_named(put):
    path = put("a.jsonl", b'{"a": "x"}\n{"a": "caf\xe9"}\n')
    with pytest.raises(UserError, match=r"a\.jsonl:2: byte 11 .*0xe9.*UTF-8"):
        list(read_jsonl(path))


def test_gzip_is_known_by_its_content(put):
    path = put("a.jsonl", gzip.compress(b'{"a": 1}\n'))
    assert list(read_jsonl(path)) == [(1, {"a": 1})]


def test_cut_gzip_is_an_error(put):
    whole = gzip.compress(b"".join(b'{"a": %d}\n' % number for number in range(5000)))
    with pytest.raises(UserError, match=r"a\.jsonl\.gz.* cannot be read"):
        list(read_jsonl(put("a.jsonl.gz", whole[: len(whole) // 2])))


def test_missing_file_is_an_error(tmp_path):
    with pytest.raises(UserError, match=r"none\.jsonl: cannot be read \(No such file"):
        list(read_jsonl(tmp_path / "none.jsonl"))


def test_infinite_extra_field_becomes_null(put):
    findings = Findings()
    (query,) = read_queries(put("q.jsonl", '{"_id": "q", "text": "x", "wer": 1e999}\n'), findings)
    assert query.extra == {"wer": None}
    assert [finding.kind for finding in findings.found()] == ["not-a-number"]


def test_c12_nan_is_not_written_and_leaves_nothing(tmp_path):
    path = tmp_path / "a.jsonl"
    path.write_text("old\n")
    with pytest.raises(ValueError, match="JSON compliant"):
        write_jsonl(path, [{"a": 1}, {"a": float("nan")}])
    assert [file.name for file in tmp_path.iterdir()] == ["a.jsonl"]
    assert path.read_text() == "old\n"


def test_written_text_is_utf8_and_repeatable(tmp_path):
    first, second = tmp_path / "a.jsonl.gz", tmp_path / "b.jsonl.gz"
    for path in (first, second):
        write_jsonl(path, [{"text": "北京"}, {"text": "\ud800"}])
    assert first.read_bytes() == second.read_bytes()
    assert gzip.decompress(first.read_bytes()) == '{"text": "北京"}\n{"text": "\\ud800"}\n'.encode()
