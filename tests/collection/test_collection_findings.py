"""Findings: oddities of texts are reported and left as they are."""

from __future__ import annotations

import json
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr.collection import Findings, read_collection
from squtr.collection.findings import plural
from squtr.collection.oddities import is_invisible, is_mis_encoded
from squtr.collection.repeats import Repeats

SHARED = Path(__file__).resolve().parents[2] / ".." / "shared" / "data"


@pytest.mark.parametrize(
    "text", ["’", "“quoted”", "54°C", "café", "£20", "北京", "🙂", "naïve", "Ñandú", "–", "\u00a0"]
)
@pytest.mark.parametrize("wrong", ["latin-1", "cp1252"])
def test_utf8_read_as_western_is_noticed(text, wrong):
    garbled = "".join(bytes([byte]).decode(wrong, "replace") for byte in text.encode())
    assert is_mis_encoded(f"before {garbled} after")


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "café",
        "voilà\u00a0»",
        "« déjà » vu",
        "São Paulo",
        "“IRMÔ",
        "Spaß«",
        "键长为1.76 Â，",
        "北京",
        "🙂",
        "ﬁ",
        "naïve – “x”",
        "Tiếng Việt: Â, ấ, ầ",
        "Çâ",
        "это",
    ],
)
def test_sound_text_is_not(text):
    assert not is_mis_encoded(text)


@given(st.text(st.characters(codec="ascii")))
def test_ascii_is_never_mis_encoded(text):
    assert not is_mis_encoded(text)


@given(st.text())
def test_invisible_means_nothing_to_print(text):
    assert is_invisible(text) == (not [c for c in text if c.isprintable() and c.strip()])


def test_oddities_are_reported_and_kept(folder):
    texts = {
        "q1": "１９７９年",
        "q2": "a\x07b",
        "q3": "lost \ufffd",
        "q4": "Itâ\x80\x99s",
        "q5": "ａ plain\ttext\n",
        "q6": "it\ud800",
    }
    lines = "".join(json.dumps({"_id": id_, "text": text}) + "\n" for id_, text in texts.items())
    corpus = [{"_id": "d1", "text": "２ plain"}, {"_id": "d2", "title": "AÃ©roport", "text": "x"}]
    collection = read_collection(folder(corpus, lines), "en")
    assert {query.id: query.text for query in collection.queries} == texts
    found = {(finding.kind, finding.examples) for finding in collection.findings}
    assert ("fullwidth-digits", ("queries.jsonl:1",)) in found
    assert ("control-characters", ("queries.jsonl:2",)) in found
    assert ("mis-encoded", ("queries.jsonl:3", "queries.jsonl:4", "queries.jsonl:6")) in found
    assert ("mis-encoded", ("corpus.jsonl:2",)) in found


def test_repeated_texts_are_counted_once_each(folder):
    corpus = [
        {"_id": "d1", "title": "a", "text": "b"},
        {"_id": "d2", "title": "ab", "text": ""},
        {"_id": "d3", "title": "a", "text": "b"},
        {"_id": "d4", "title": "", "text": ""},
        {"_id": "d5", "title": "", "text": ""},
        {"_id": "d6", "title": "a", "text": "b"},
    ]
    queries = [{"_id": "q1", "text": "x"}, {"_id": "q2", "text": "x"}]
    findings = read_collection(folder(corpus, queries), "en").findings
    repeats = {finding.message: finding.examples for finding in findings if finding.kind == "duplicate-text"}
    assert repeats == {
        "1 query repeated an earlier one word for word.": ("q2 as q1",),
        "2 documents repeated an earlier one word for word.": (
            "corpus.jsonl:3 as corpus.jsonl:1",
            "corpus.jsonl:6 as corpus.jsonl:1",
        ),
    }


@given(st.lists(st.sampled_from("abcde"), max_size=30))
def test_repeats_agree_with_a_dictionary(keys):
    repeats, first, expected = Repeats(), {}, []
    for position, key in enumerate(keys):
        repeats.add(key)
        if first.setdefault(key, position) != position:
            expected.append((position, first[key]))
    assert repeats.pairs() == expected


def test_memory_does_not_hold_the_corpus(folder):
    rows = "".join(f'{{"_id": "d{number}", "text": "{number:0500d}"}}\n' for number in range(12_000))
    path = folder(rows)
    read_collection(path, "en")
    tracemalloc.start()
    try:
        assert read_collection(path, "en").document_count == 12_000
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 1_200_000, "the file holds 6 MB"


def test_at_most_three_examples_and_a_count():
    findings = Findings()
    for line in range(1, 2001):
        findings.add("blank-line", (Path("deep/a.jsonl"), line))
    (finding,) = findings.found()
    assert finding.examples == ("a.jsonl:1", "a.jsonl:2", "a.jsonl:3")
    assert finding.message == "2,000 blank lines skipped."


@pytest.mark.parametrize(
    ("noun", "many"), [("query", "queries"), ("document", "documents"), ("document id", "document ids")]
)
def test_plural(noun, many):
    assert (plural(noun, 1), plural(noun, 2)) == (noun, many)


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared test collections are not beside this checkout")
@pytest.mark.parametrize(
    ("name", "sizes", "counts"),
    [
        (
            "msmarco-50",
            (50, 43, 5000),
            {"header-missing": 1, "unjudged-query": 7, "mis-encoded": 1116, "duplicate-text": 1},
        ),
        ("cmrc-zh-100", (100, 100, 848), {"fullwidth-digits": 1}),
    ],
)
def test_collections_from_the_wild(name, sizes, counts):
    collection = read_collection(SHARED / name, "en", strict=True)
    assert (len(collection.queries), len(collection.qrels), collection.document_count) == sizes
    assert sum(1 for _ in collection.documents()) == sizes[2]
    assert {finding.kind: finding.count for finding in collection.findings} == counts
