from unittest.mock import patch

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr.draw import draw
from squtr.errors import UserError
from squtr.retrievers import vectors as module
from squtr.retrievers.vectors import VectorIndex

GRID = st.lists(st.integers(-2, 2), min_size=3, max_size=3)


def matrix(rows):
    return np.array(rows, dtype=np.float32).reshape(len(rows), -1)


def unit_rows(count, width, item):
    rows = draw(7, "test-vectors", item).standard_normal((count, width))
    return (rows / np.linalg.norm(rows, axis=1, keepdims=True)).astype(np.float32)


def full_sort(ids, documents, query, k):
    """Cosines in float64, one pair at a time, sorted whole."""
    asked = query.astype(np.float64)
    unit = asked / np.sqrt((asked * asked).sum())
    scored = {}
    for name, row in zip(ids, documents.astype(np.float64), strict=True):
        norm = np.sqrt((row * row).sum())
        scored[name] = float((row * unit).sum() / norm) if norm else 0.0
    return dict(sorted(scored.items(), key=lambda hit: (hit[1], hit[0]), reverse=True)[:k])


@given(
    documents=st.lists(GRID, min_size=1, max_size=30),
    queries=st.lists(GRID, min_size=1, max_size=5),
    k=st.integers(1, 35),
    at_once=st.tuples(st.integers(1, 8), st.integers(1, 3)),
)
def test_chunked_top_k_with_ties_equals_the_full_sort(documents, queries, k, at_once):
    ids, rows, asked = [f"d{at}" for at in range(len(documents))], matrix(documents), matrix(queries)
    with patch.multiple(module, _DOCUMENTS_AT_ONCE=at_once[0], _QUERIES_AT_ONCE=at_once[1]):
        found = VectorIndex(ids, rows).search(asked, k)
    for query, ranking in zip(asked, found, strict=True):
        expected = full_sort(ids, rows, query, k) if query.any() else {}
        assert list(ranking.items()) == list(expected.items())


def test_scores_do_not_depend_on_batch_or_chunks():
    documents, queries = unit_rows(500, 384, "documents"), unit_rows(40, 384, "queries")
    ids = [f"d{at}" for at in range(500)]
    together = VectorIndex(ids, documents).search(queries, 20)
    alone = [VectorIndex(ids, documents).search(query[None], 20)[0] for query in queries]
    with patch.multiple(module, _DOCUMENTS_AT_ONCE=37, _QUERIES_AT_ONCE=9):
        in_pieces = VectorIndex(ids, documents).search(queries, 20)
    assert together == alone == in_pieces
    assert [list(ranking) for ranking in together] == [list(ranking) for ranking in in_pieces]


def test_equal_vectors_tie_wherever_they_stand():
    documents = unit_rows(300, 384, "documents")
    documents[5::17] = documents[5]
    ranking = VectorIndex([f"d{at:03}" for at in range(300)], documents).search(documents[5:6], 300)[0]
    twins = [f"d{at:03}" for at in range(5, 300, 17)]
    assert len({ranking[name] for name in twins}) == 1
    assert list(ranking)[: len(twins)] == twins[::-1]


def test_near_ties_below_single_precision_are_ordered_exactly():
    documents = matrix([[1, 0], [1, 1e-4], [1, 2e-4], [1, 3e-4]])
    ranking = VectorIndex(["d3", "d2", "d1", "d0"], documents).search(matrix([[1, 0]]), 2)[0]
    assert list(ranking) == ["d3", "d2"]
    assert 1 - ranking["d2"] == pytest.approx(5e-9, rel=1e-6)


def test_c23_zero_vectors_have_cosine_zero_and_zero_queries_find_nothing():
    index = VectorIndex(["up", "nil", "down"], matrix([[2, 0], [0, 0], [-3, 0]]))
    found, nothing = index.search(matrix([[5, 0], [0, 0]]), 3)
    assert list(found.items()) == [("up", 1.0), ("nil", 0.0), ("down", -1.0)]
    assert nothing == {}


def test_c44_k_is_lowered_and_an_empty_corpus_refused():
    assert len(VectorIndex(["a", "b"], matrix([[1, 0], [0, 1]])).search(matrix([[1, 1]]), 10)[0]) == 2
    with pytest.raises(UserError, match="empty"):
        VectorIndex([], np.empty((0, 2), dtype=np.float32))


@pytest.mark.parametrize("bad", [np.nan, np.inf])
def test_vectors_that_are_not_finite_are_refused(bad):
    with pytest.raises(UserError, match="'b'"):
        VectorIndex(["a", "b"], matrix([[1, 0], [bad, 0]]))
    with pytest.raises(UserError, match="query vector"):
        VectorIndex(["a"], matrix([[1, 0]])).search(matrix([[bad, 0]]), 1)


@pytest.mark.parametrize("shape", [(3, 2), (2,), (2, 2, 1)])
def test_shapes_that_do_not_fit_the_ids_are_refused(shape):
    with pytest.raises(UserError, match="shape"):
        VectorIndex(["a", "b"], np.ones(shape, dtype=np.float32))


def test_query_width_is_checked():
    with pytest.raises(UserError, match="shape"):
        VectorIndex(["a"], matrix([[1, 0]])).search(matrix([[1, 0, 0]]), 1)


def test_memory_mapped_vectors_give_the_same_rankings(tmp_path):
    documents, queries = unit_rows(90, 16, "documents"), unit_rows(4, 16, "queries")
    np.save(tmp_path / "vectors.npy", documents)
    ids = [f"d{at}" for at in range(90)]
    mapped = VectorIndex(ids, np.load(tmp_path / "vectors.npy", mmap_mode="r"))
    assert mapped.search(queries, 7) == VectorIndex(ids, documents).search(queries, 7)


def test_a_corpus_of_several_chunks_keeps_the_best_of_all():
    documents, queries = unit_rows(40_000, 8, "many"), unit_rows(3, 8, "queries")
    ids = [f"d{at}" for at in range(len(documents))]
    for query, ranking in zip(queries, VectorIndex(ids, documents).search(queries, 50), strict=True):
        exact = (documents.astype(np.float64) @ query.astype(np.float64)).argsort()[::-1][:50]
        assert set(ranking) == {f"d{at}" for at in exact}
