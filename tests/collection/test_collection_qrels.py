"""Qrels: headers, columns, grades, repeats, unknown ids."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from squtr.collection import Findings, read_collection, read_qrels, write_qrels_jsonl
from squtr.errors import UserError

ROWS = "q1\td1\t1\nq2\td2\t1\n"
BOTH = {"q1": {"d1": 1}, "q2": {"d2": 1}}
IDS = st.text(st.characters(exclude_categories=["Cc", "Cs", "Zl", "Zp"]), min_size=1, max_size=6)


def kinds(findings: Findings) -> list[str]:
    return [finding.kind for finding in findings.found()]


def test_c13_without_header_the_first_judgement_stays(put):
    findings = Findings()
    assert read_qrels(put("a.tsv", ROWS), findings) == BOTH
    assert kinds(findings) == ["header-missing"]
    assert findings.found()[0].examples == ("a.tsv:1",)


@pytest.mark.parametrize(
    "header",
    ["query-id\tcorpus-id\tscore", "query-id corpus-id score", "qid docid rel", "QueryID doc_id Relevance"],
)
def test_c13_known_headers_are_no_judgements(put, header):
    findings = Findings()
    assert read_qrels(put("a.tsv", f"\ufeff{header}\n{ROWS}"), findings) == BOTH
    assert kinds(findings) == ["byte-order-mark"]


def test_c13_unknown_header_is_taken_by_position_and_reported(put):
    findings = Findings()
    assert read_qrels(put("a.tsv", f"foo\tbar\tbaz\n{ROWS}"), findings) == BOTH
    assert kinds(findings) == ["header-unknown"]


def test_header_decides_the_order_of_columns(put):
    assert read_qrels(put("a.tsv", "score\tcorpus-id\tquery-id\n2\td1\tq1\n")) == {"q1": {"d1": 2}}


@pytest.mark.parametrize("first", ["nan", "1_0", "１", "true", "None", "0.5", "1e-1", "一", "0x1", ""])
def test_c13_bad_grade_in_the_first_line_is_no_header(put, first):
    with pytest.raises(UserError, match=r"a\.tsv:1"):
        read_qrels(put("a.tsv", f"q1\td1\t{first}\n{ROWS}"))


@pytest.mark.parametrize(
    "text", ["1\t0\t37\t1\n", "1 0 37 1\n", "1 Q0 37 1\r\n1 0 38 0\n", "  1\t 0  37 1  \n"]
)
def test_c14_four_columns_are_trec(put, text):
    findings = Findings()
    qrels = read_qrels(put("a.qrels", text), findings)
    assert qrels["1"]["37"] == 1
    assert "0" not in qrels["1"]
    assert kinds(findings) == []


def test_c08_escaped_ids_are_read_from_four_columns_alone(put):
    assert read_qrels(put("a.qrels", "%%q%201 0 %%d%20a 1\n%%x 0 a%20b 1\n")) == {
        "q 1": {"d a": 1},
        "%%x": {"a%20b": 1},
    }
    assert read_qrels(put("b.tsv", "%%q%201\t%%d%20a\t1\n")) == {"%%q%201": {"%%d%20a": 1}}


@pytest.mark.parametrize("gap", ["\t", " "])
def test_c14_mixed_widths_are_refused(put, gap):
    text = f"q1{gap}d1{gap}1\n\nq1{gap}0{gap}d2{gap}1\n"
    with pytest.raises(UserError, match=r"a\.txt:3: 4 columns where line 1 has 3"):
        read_qrels(put("a.txt", text))


@pytest.mark.parametrize("text", ["q1 d1\n", "q1\n", "q1 0 d1 1 x\n"])
def test_c14_other_widths_are_refused(put, text):
    with pytest.raises(UserError, match=r"a\.txt:1: \d columns?\. A qrels file has three columns"):
        read_qrels(put("a.txt", text))


def test_c15_whole_numbers_in_any_writing(put):
    text = "q1 d2 1.0\nq1 d4 1e0\nq1 d5 +2\nq1 d6 20e-1\nq1 d7 -1.\nq1 d8 007\n"
    assert read_qrels(put("a.txt", text)) == {"q1": {"d2": 1, "d4": 1, "d5": 2, "d6": 2, "d7": -1, "d8": 7}}


@pytest.mark.parametrize(
    "grade", ["0.5", "1.9", "1_0", "１", "1e-1", ".5e0x", "inf", "--1", "1e999999999999", "9" * 5000, "1,0"]
)
def test_c15_anything_else_names_the_line(put, grade):
    with pytest.raises(UserError, match=r"a\.txt:2: grade .* is no integer"):
        read_qrels(put("a.txt", f"q1 d1 1\nq1 d2 {grade}\n"))


@pytest.mark.parametrize("score", ['"1"', "1", "1.0", '"1.0"'])
def test_c15_jsonl_scores(put, score):
    path = put("a.jsonl", f'{{"query-id": "q", "corpus-id": 7, "score": {score}, "note": "extra"}}\n')
    assert read_qrels(path) == {"q": {"7": 1}}


@pytest.mark.parametrize("score", ["true", "null", "0.5", '""', '"1_0"', "[1]", "1e999"])
def test_c15_jsonl_scores_refused(put, score):
    path = put("a.jsonl", f'{{"query-id": "q", "corpus-id": "d", "score": {score}}}\n')
    with pytest.raises(UserError, match=r"a\.jsonl:1: grade"):
        read_qrels(path)


def test_jsonl_without_score_is_refused(put):
    with pytest.raises(UserError, match=r"a\.jsonl:1: fields query-id, corpus-id; a judgement has"):
        read_qrels(put("a.jsonl", '{"query-id": "q", "corpus-id": "d"}\n'))


def test_c16_negative_grades_are_kept_and_counted(folder, by_kind):
    collection = read_collection(folder(qrels="q1 d1 -2\nq1 d2 1\n"), "en")
    assert collection.qrels == {"q1": {"d1": -2, "d2": 1}}
    assert by_kind(collection.findings)["negative-grade"].count == 1


def test_c18_queries_without_positive_or_judgement_are_counted(folder, by_kind):
    queries = [{"_id": id_, "text": id_} for id_ in ("q1", "q2", "q3", "q4")]
    collection = read_collection(folder(queries=queries, qrels="q1 d1 1\nq2 d1 0\nq4 d1 -1\n"), "en")
    found = by_kind(collection.findings)
    assert found["query-without-positive"].examples == ("q2", "q4")
    assert found["unjudged-query"].examples == ("q3",)
    assert found["unjudged-query"].message == "1 query had no judgement and so no score."
    assert collection.qrels == {"q1": {"d1": 1}, "q2": {"d1": 0}, "q4": {"d1": -1}}


def test_c19_unknown_documents_stay_and_unknown_queries_go(folder, by_kind):
    path = folder(qrels="q1 d1 1\nq1 ghost 1\nq9 d1 1\nq9 d2 1\n")
    collection = read_collection(path, "en")
    assert collection.qrels == {"q1": {"d1": 1, "ghost": 1}}
    found = by_kind(collection.findings)
    assert found["qrels-unknown-document"].examples == ("q1 ghost",)
    assert (found["qrels-unknown-query"].count, found["qrels-unknown-query"].examples) == (
        2,
        ("q9 d1", "q9 d2"),
    )


@pytest.mark.parametrize(
    ("qrels", "name"), [("q1 d1 1\nq1 ghost 1\n", "ghost"), ("q1 d1 1\nq9 d1 1\n", "q9")]
)
def test_c19_strict_names_the_line(folder, qrels, name):
    with pytest.raises(UserError, match=rf"test\.tsv:2: .*'{name}'"):
        read_collection(folder(qrels=qrels), "en", strict=True)


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        ("Q1 d1 1\n", "no judgement names a query"),
        ("q1 D1 1\n", "no judged document"),
        ("", r"test\.tsv: no judgement in it\. Restore it"),
    ],
)
def test_c19_qrels_that_join_nothing_are_refused(folder, qrels, message):
    with pytest.raises(UserError, match=message):
        read_collection(folder(qrels=qrels), "en")


def test_c20_disagreeing_repeats_name_both_lines(put):
    with pytest.raises(UserError, match=r"a\.txt:3: .*grade 1 here and 2 at .*a\.txt:1"):
        read_qrels(put("a.txt", "q1 d1 2\nq1 d2 1\nq1 d1 1\n"))


def test_c20_exact_repeats_merge_with_a_finding(put):
    findings = Findings()
    assert read_qrels(put("a.txt", "q1 0 d1 2\nq1 0 d1 2\nq1 0 d1 2.0\n"), findings) == {"q1": {"d1": 2}}
    (repeat,) = findings.found()
    assert (repeat.kind, repeat.count, repeat.examples) == ("repeated-judgement", 2, ("a.txt:2", "a.txt:3"))


@pytest.mark.parametrize("text", ["\td1\t1\n", "q1\t\t1\n", "q1\t0\t\t1\n"])
def test_empty_ids_in_tabbed_qrels_are_refused(put, text):
    with pytest.raises(UserError, match=r"a\.tsv:1: empty"):
        read_qrels(put("a.tsv", text))


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    qrels=st.dictionaries(IDS, st.dictionaries(IDS, st.integers(-5, 5), min_size=1, max_size=4), max_size=4)
)
def test_jsonl_and_tabs_read_back_what_was_written(tmp_path, qrels):
    path, table = tmp_path / "a.jsonl", tmp_path / "a.tsv"
    count = write_qrels_jsonl(path, qrels)
    rows = [f"{query}\t{document}\t{grade}\n" for query in qrels for document, grade in qrels[query].items()]
    table.write_bytes("".join(["query-id\tcorpus-id\tscore\n", *rows]).encode())
    assert count == len(rows)
    assert read_qrels(path) == read_qrels(table) == qrels
