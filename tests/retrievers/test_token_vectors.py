from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr.draw import draw
from squtr.errors import UserError
from squtr.retrievers import token_vectors as module
from squtr.retrievers.token_vectors import TokenIndex, TokenWriter, kept_tokens

GRID = st.lists(st.lists(st.integers(-2, 2), min_size=3, max_size=3), max_size=4)


def matrix(rows):
    return np.array(rows, dtype=np.float32).reshape(len(rows), 3)


def tokens_of(documents):
    writer = TokenWriter()
    writer.add(map(matrix, documents))
    return writer.tokens()


def max_sim(query, document):
    return float(sum(max(float(np.dot(q, d)) for d in document) for q in query))


@given(
    documents=st.lists(GRID, min_size=1, max_size=12), query=GRID, k=st.integers(1, 5), size=st.integers(1, 9)
)
def test_search_in_chunks_is_the_full_sort_of_max_sim(documents, query, k, size):
    ids = [f"d{at}" for at in range(len(documents))]
    scored = {
        name: max_sim(matrix(query), matrix(rows))
        for name, rows in zip(ids, documents, strict=True)
        if rows and query
    }
    expected = sorted(scored.items(), key=lambda hit: (hit[1], hit[0]), reverse=True)[:k]
    with patch.object(module, "_TOKENS_AT_ONCE", size):
        found = TokenIndex(ids, tokens_of(documents)).search(matrix(query), k)
    assert list(found.items()) == expected


def test_equal_documents_tie_wherever_they_stand_and_scores_are_exact():
    generator = draw(3, "test-tokens", "all")
    rows = [generator.standard_normal((5 + at % 7, 16)).astype(np.float32) for at in range(60)]
    rows[3::20] = [rows[3]] * 3
    writer = TokenWriter()
    writer.add(rows)
    ids = [f"d{at:02}" for at in range(60)]
    query = generator.standard_normal((8, 16)).astype(np.float32)
    found = TokenIndex(ids, writer.tokens()).search(query, 60)
    assert len({found[name] for name in ("d03", "d23", "d43")}) == 1
    half = rows[7].astype(np.float16).astype(np.float64)
    assert found["d07"] == pytest.approx((half @ query.astype(np.float64).T).max(axis=0).sum(), abs=1e-12)


def test_a_kept_corpus_is_mapped_and_encoded_once(tmp_path):
    documents = [[[1, 0, 0]], [], [[0, 1, 0], [0, 0, 2]]]
    calls = []

    def encode():
        calls.append(1)
        return [map(matrix, documents[:1]), map(matrix, documents[1:])]

    first, second = (kept_tokens(tmp_path / "x", encode) for _ in range(2))
    assert calls == [1] and isinstance(second.vectors, np.memmap)
    assert second.counts.tolist() == [1, 0, 2]
    query = matrix([[0, 1, 1]])
    for tokens in (first, second):
        assert TokenIndex(["a", "b", "c"], tokens).search(query, 3) == {"c": 2.0, "a": 0.0}
    assert sorted(path.name for path in tmp_path.iterdir()) == ["x.counts.npy", "x.tokens"]


def test_a_run_that_was_stopped_half_way_starts_again(tmp_path):
    def broken():
        yield [matrix([[1, 0, 0]])]
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        kept_tokens(tmp_path / "x", broken)
    whole = kept_tokens(tmp_path / "x", lambda: [[matrix([[1, 0, 0]]), matrix([[0, 1, 0]])]])
    assert whole.counts.tolist() == [1, 1]


def test_a_corpus_without_any_token_finds_nothing(tmp_path):
    for tokens in (tokens_of([[], []]), kept_tokens(tmp_path / "x", lambda: [[matrix([]), matrix([])]])):
        assert TokenIndex(["a", "b"], tokens).search(matrix([[1, 0, 0]]), 2) == {}


def test_widths_and_counts_that_do_not_fit_are_refused():
    with pytest.raises(UserError, match="after some of 3"):
        TokenWriter().add([matrix([[1, 0, 0]]), np.ones((1, 4), dtype=np.float32)])
    with pytest.raises(UserError, match="do not fit"):
        TokenIndex(["a"], tokens_of([[], []]))
    with pytest.raises(UserError, match="numbers"):
        TokenIndex(["a"], tokens_of([[[1, 0, 0]]])).search(np.ones((1, 2), dtype=np.float32), 1)
