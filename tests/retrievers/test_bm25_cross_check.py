"""BM25 beside rank-bm25, an independent program.

rank-bm25's Okapi differs from Lucene's variant in two places: idf is ln((N - df + 0.5) / (df + 0.5)), with
negative values replaced, where Lucene adds 1 inside the logarithm; and a factor k1 + 1, which moves no
document. With Lucene's idf put in and the factor divided out both must agree; with its own idf only the term
frequency part can be compared, which a corpus without frequent terms does.
"""

from __future__ import annotations

import json
import math
import random
from collections import Counter
from pathlib import Path

import pytest

from squtr.records import Document
from squtr.retrievers.analyser import analyser
from squtr.retrievers.bm25 import Bm25

rank_bm25 = pytest.importorskip("rank_bm25", reason="squtr[bm25-check]: rank-bm25 is not installed")


def okapi(tokens, k1, b):
    """Return rank-bm25's index with Lucene's idf."""
    found = rank_bm25.BM25Okapi(tokens, k1=k1, b=b)
    counts = Counter(term for one in tokens for term in set(one))
    found.idf = {term: math.log(1 + (len(tokens) - df + 0.5) / (df + 0.5)) for term, df in counts.items()}
    return found


def assert_agrees(texts, queries, language, k1, b):
    tokens = analyser(language).tokens
    peer = okapi([tokens(text) for text in texts], k1, b)
    retriever = Bm25(k1=k1, b=b)
    retriever.index([Document(f"d{at}", "", text) for at, text in enumerate(texts)], language)
    for query, found in zip(queries, retriever.search(queries, len(texts)), strict=True):
        scores = peer.get_scores(tokens(query)) / (k1 + 1)
        expected = {f"d{at}": score for at, score in enumerate(scores) if score > 0}
        assert found == {name: pytest.approx(score, rel=1e-5) for name, score in expected.items()}
        assert found or not expected


@pytest.mark.parametrize(("k1", "b"), [(0.9, 0.4), (1.2, 0.75), (2.0, 0.0)])
def test_random_texts(k1, b):
    generator = random.Random(5)
    texts = [
        " ".join(f"w{generator.randrange(60)}" for _ in range(generator.randrange(1, 30))) for _ in range(200)
    ]
    assert_agrees(texts, ["w1 w2", "w7 w7 w59", "w0 w3 w9 w27"], "en", k1, b)


@pytest.mark.parametrize(("name", "language"), [("msmarco-50", "en"), ("cmrc-zh-100", "zh")])
def test_shared_collections(name, language):
    folder = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / name
    if not folder.is_dir():
        pytest.skip(f"the shared collection {name} is not beside the checkout")
    corpus, asked = (
        [json.loads(line) for line in (folder / name).read_text("utf-8").split("\n") if line]
        for name in ("corpus.jsonl", "queries.jsonl")
    )
    rows, queries = corpus[:500], [query["text"] for query in asked[:20]]
    texts = [f"{row.get('title') or ''} {row['text']}".strip() for row in rows]
    assert_agrees(texts, queries, language, 0.9, 0.4)


def test_its_own_idf_agrees_where_no_term_is_frequent():
    texts = [f"common{at} word{at % 40} other{at % 25}" for at in range(100)]
    retriever = Bm25(k1=1.2, b=0.75)
    retriever.index([Document(f"d{at:03}", "", text) for at, text in enumerate(texts)], "en")
    tokens = analyser("en").tokens
    peer = rank_bm25.BM25Okapi([tokens(text) for text in texts], k1=1.2, b=0.75)
    scores = peer.get_scores(tokens("word7 other3"))
    order = sorted(range(100), key=lambda at: (scores[at], f"d{at:03}"), reverse=True)
    found = list(retriever.search(["word7 other3"], 10)[0])
    assert found == [f"d{at:03}" for at in order if scores[at] > 0][: len(found)]
