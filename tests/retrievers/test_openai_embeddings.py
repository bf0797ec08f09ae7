from __future__ import annotations

import base64
import json

import numpy as np
import pytest

from squtr import plugins
from squtr.errors import UserError
from squtr.records import Document
from squtr.remote import BrokenAnswer
from squtr.retrievers.openai_embeddings import OpenAIEmbeddings, read_embeddings
from tests.loopback import error, raw, send, serving

LETTERS = "abcdefgh"
CORPUS = [
    Document("d1", "", "a b"),
    Document("d2", "ti", "c"),
    Document("d3", "", ""),
    Document("d4", "", "a"),
]


def vector(text):
    return [float(text.count(letter)) + 0.01 for letter in LETTERS]


def good(handler, request, shuffle=True):
    """Answer with letter counts, out of order, in the form that was asked for."""
    rows = [{"index": at, "embedding": vector(text)} for at, text in enumerate(request["input"])]
    if request["encoding_format"] == "base64":
        for row in rows:
            row["embedding"] = base64.b64encode(np.array(row["embedding"], "<f4").tobytes()).decode()
    send(handler, json.dumps({"data": rows[::-1] if shuffle else rows}).encode(), "application/json")


def answer(rows):
    return raw(json.dumps({"data": rows}).encode())


@pytest.fixture
def server():
    with serving(good) as loopback:
        yield loopback


@pytest.fixture
def build(server, tmp_path):
    def made(**options):
        settings = {
            "base_url": server.base_url,
            "key": None,
            "state": str(tmp_path),
            "backoff": 0,
            "tries": 2,
        }
        return OpenAIEmbeddings("m", **{**settings, **options})

    return made


@pytest.mark.parametrize("form", ["float", "base64"])
def test_vectors_come_in_the_order_of_the_texts(build, server, form):
    retriever = build(format=form, batch=2)
    found = retriever.embed_documents(CORPUS)
    expected = [vector("a b"), vector("ti c"), [0.0] * 8, vector("a")]
    assert found == pytest.approx(np.array(expected, dtype=np.float32))
    assert [request["input"] for request in server.requests] == [["a b", "ti c"], ["a"]]
    assert set(server.paths) == {"/v1/embeddings"}


def test_search_with_prompts(build, server):
    retriever = build(query_prompt="q: ", document_prompt="d: ")
    retriever.index(CORPUS, "en")
    first, nothing, again = retriever.search(["a", "", "a"], 2)
    assert next(iter(first)) == "d4" and first == again and nothing == {}
    assert server.requests[0]["input"] == ["d: a b", "d: ti c", "d: a"]
    assert server.requests[1]["input"] == ["q: a"]


def test_what_was_paid_for_is_not_asked_again(build, server):
    build().embed_documents(CORPUS)
    count = server.count
    again = build().embed_documents(CORPUS)
    assert server.count == count and again[3] == pytest.approx(vector("a"))
    build(dimensions=8).embed_documents(CORPUS)
    assert server.count > count and server.requests[-1]["dimensions"] == 8


NAN = [{"index": 0, "embedding": [float("nan"), 1.0]}]


@pytest.mark.parametrize(
    "rows",
    [
        NAN,
        [{"index": 0, "embedding": [0.0, 0.0]}],
        [{"index": 0, "embedding": [1e39, 1.0]}],
        [{"index": 1, "embedding": [1.0, 2.0]}],
        [{"index": 0, "embedding": [1.0]}, {"index": 0, "embedding": [1.0]}],
        [{"index": 0, "embedding": "not base64!"}],
        [{"index": 0, "embedding": "AAAA"}],
        [{"index": 0, "embedding": {"a": 1}}],
        [{"index": 0}],
        [],
        7,
    ],
)
def test_answers_that_are_no_vectors_are_broken(rows):
    with pytest.raises(BrokenAnswer), np.errstate(over="ignore"):
        read_embeddings(json.dumps({"data": rows}), 1)


def test_a_broken_answer_is_asked_for_again_and_then_told(build, server):
    server.does(answer(NAN), good)
    assert build().embed_queries(["a"])[0] == pytest.approx(vector("a"))
    server.does(answer(NAN))
    with pytest.raises(UserError, match="NaN"):
        build().embed_queries(["b"])


def test_vectors_of_another_length_are_refused(build, server):
    retriever = build()
    retriever.embed_queries(["a"])
    server.does(answer([{"index": 0, "embedding": [1.0, 2.0]}]))
    with pytest.raises(UserError, match=r"vectors of \[2\] numbers instead of 8"):
        retriever.embed_queries(["b"])


def test_a_text_that_is_too_long_is_told_with_the_way_out(build, server):
    server.does(good, error(400, "maximum context length is 8192 tokens"))
    retriever = build()
    retriever.embed_queries(["a"])
    with pytest.raises(UserError, match=r"8192 tokens.*max_characters"):
        retriever.embed_documents(CORPUS)
    server.does(good)
    cutting = build(max_characters=2)
    cutting.embed_documents(CORPUS)
    assert cutting.truncation == {"documents": 4, "cut": 2}
    assert server.requests[-1]["input"] == ["a", "ti"] or "ti" in server.requests[-1]["input"]


def test_a_wrong_key_stops_at_once(build, server):
    server.does(error(401, "bad key"))
    with pytest.raises(UserError, match="key"):
        build().embed_queries(["a"])
    assert server.count == 1


def test_spec_fingerprint_and_checks(monkeypatch, tmp_path):
    monkeypatch.delenv("SOME_KEY", raising=False)
    spec = "openai-embeddings,model=text-embedding-3-small,key=SOME_KEY"
    retriever = plugins.load("retriever", spec, state=str(tmp_path))
    with pytest.raises(UserError, match="SOME_KEY"):
        retriever.check()
    assert [need.name for need in retriever.needs()] == ["SOME_KEY"]
    assert "text-embedding-3-small" in retriever.fingerprint
    assert plugins.load("retriever", f"{spec},dimensions=256").fingerprint != retriever.fingerprint
    with pytest.raises(UserError, match="prompt=e5"):
        plugins.load("retriever", "openai-embeddings,model=intfloat/e5-base,key=")
    for wrong in ("format=hex", "batch=0", "keys=1", "dimensions=x"):
        with pytest.raises(UserError):
            plugins.load("retriever", f"{spec},{wrong}")
