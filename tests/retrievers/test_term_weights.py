import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr.errors import UserError
from squtr.retrievers.term_weights import TermIndex, TermWeights, joined, read_weights, write_weights

ROWS = st.lists(st.dictionaries(st.integers(0, 6), st.sampled_from([0.5, 1.0, 2.0]), max_size=5), min_size=1)


def rows_of(rows, width=7):
    return TermWeights(
        np.array([len(row) for row in rows], dtype=np.int64),
        np.array([term for row in rows for term in row], dtype=np.int32),
        np.array([weight for row in rows for weight in row.values()], dtype=np.float32),
        width,
    )


def asked(row):
    return np.array(list(row), dtype=np.int32), np.array(list(row.values()), dtype=np.float32)


@given(documents=ROWS, query=st.dictionaries(st.integers(0, 8), st.sampled_from([0.5, 3.0]), max_size=5))
def test_search_is_the_full_sort_of_dot_products(documents, query):
    ids = [f"d{at}" for at in range(len(documents))]
    scored = {
        name: sum(row.get(term, 0.0) * weight for term, weight in query.items())
        for name, row in zip(ids, documents, strict=True)
    }
    hits = {name: score for name, score in scored.items() if score > 0}
    expected = sorted(hits.items(), key=lambda hit: (hit[1], hit[0]), reverse=True)[:4]
    assert list(TermIndex(ids, rows_of(documents)).search(*asked(query), 4).items()) == expected


def test_equal_documents_tie_and_the_order_of_query_terms_is_nothing():
    weights = {3: 0.1, 1: 0.7, 2: 0.3}
    index = TermIndex(["a", "b", "c"], rows_of([weights, {4: 1.0}, dict(reversed(weights.items()))]))
    query = {1: 0.2, 2: 0.9, 3: 1.3}
    found = index.search(*asked(query), 3)
    assert found["a"] == found["c"] and list(found) == ["c", "a"]
    assert index.search(*asked(dict(reversed(query.items()))), 3) == found


def test_negative_products_are_no_hits():
    assert TermIndex(["a"], rows_of([{0: -1.0}])).search(*asked({0: 1.0}), 1) == {}


def test_parts_join_and_files_give_back_what_was_written(tmp_path):
    parts = [rows_of([{0: 1.0}, {}]), rows_of([{6: 2.0, 2: 0.5}])]
    write_weights(tmp_path / "w.npz", joined(parts))
    kept = read_weights(tmp_path / "w.npz")
    assert [list(kept.row(at)[0]) for at in range(3)] == [[0], [], [6, 2]]
    assert kept.weights.dtype == np.float32 and kept.width == 7
    assert [path.name for path in tmp_path.iterdir()] == ["w.npz"]


def test_rows_that_do_not_fit_the_ids_are_refused():
    with pytest.raises(UserError, match="2 encoded documents do not fit 1"):
        TermIndex(["a"], rows_of([{}, {}]))
    with pytest.raises(UserError):
        TermIndex([], rows_of([]))
