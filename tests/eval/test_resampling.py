"""One draw for all columns: the same resamples whatever stands beside them, exact sums."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from squtr.draw import draw
from squtr.errors import UserError
from squtr.eval import resampling
from squtr.eval.paired import PairedScores
from squtr.eval.resampling import exact_grid, flipped_sums, grid_step, resampled_means, resampled_sums
from squtr.eval.statistics import Undefined, bootstrap_mean, relative_loss

TABLES = arrays(np.float64, st.tuples(st.integers(1, 12), st.integers(1, 4)), elements=st.floats(-2, 2))


def _table(queries: int = 60, columns: int = 3) -> np.ndarray:
    return draw(1, "test", "resampling").random((queries, columns))


def test_resampled_sums_are_those_of_the_queries_drawn() -> None:
    table = _table(5, 2)
    queries = draw(3, "bootstrap", "item").integers(0, 5, size=(4, 5))
    expected = np.stack([table[row].sum(axis=0) for row in queries])
    assert resampled_sums(table, "item", 3, 4) == pytest.approx(expected, abs=1e-12)


@given(TABLES)
@settings(max_examples=40)
def test_a_column_is_resampled_alike_whatever_stands_beside_it(table: np.ndarray) -> None:
    together = resampled_means(table, "item", resamples=20)
    for place in range(table.shape[1]):
        assert np.array_equal(together[:, [place]], resampled_means(table[:, [place]], "item", resamples=20))
    assert np.array_equal(together[:, ::-1], resampled_means(table[:, ::-1], "item", resamples=20))


@given(TABLES)
@settings(max_examples=40)
def test_sums_on_the_grid_are_exact_in_any_order(table: np.ndarray) -> None:
    gridded = exact_grid(table)
    assert np.all(np.abs(gridded - table) <= grid_step(table) / 2)
    assert np.array_equal(np.cumsum(gridded, axis=0)[-1], np.cumsum(gridded[::-1], axis=0)[-1])


def test_zeros_stay_zeros() -> None:
    assert not exact_grid(np.zeros((3, 2))).any()
    assert not resampled_means(np.zeros((3, 2)), "item", resamples=5).any()


@pytest.mark.parametrize("block", [1, 100, 1 << 24])
def test_the_size_of_a_block_changes_nothing(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    table = _table(33)
    expected = resampled_means(table, "s", resamples=50), flipped_sums(table, "s", flips=50)
    monkeypatch.setattr(resampling, "BLOCK", block)
    assert np.array_equal(resampled_means(table, "s", resamples=50), expected[0])
    assert np.array_equal(flipped_sums(table, "s", flips=50), expected[1])


def test_flips_of_one_query_are_plus_and_minus_its_score() -> None:
    found = flipped_sums(np.array([[0.5, 0.25]]), "s", flips=200)
    assert {tuple(row) for row in found} == {(0.5, 0.25), (-0.5, -0.25)}


@pytest.mark.parametrize("table", [np.empty((0, 1)), np.ones(3), np.array([[np.nan]]), np.array([[np.inf]])])
def test_tables_without_a_mean_are_refused(table: np.ndarray) -> None:
    with pytest.raises(UserError):
        resampled_means(table, "s")


def test_paired_scores_give_the_intervals_of_single_calls() -> None:
    table = _table()
    paired = PairedScores({name: table[:, place] for place, name in enumerate("abc")}, "item", 7)
    for place, name in enumerate("abc"):
        assert paired.interval(name) == bootstrap_mean(table[:, place], "item", 7)
    assert paired.loss("a", "b") == relative_loss(table[:, 0], table[:, 1], "item", 7)


def test_a_loss_against_nothing_is_undefined() -> None:
    paired = PairedScores({"none": [0.0, 0.0], "some": [0.5, 0.1]}, "item")
    assert paired.loss("none", "some") == Undefined("the mean of the reference is 0")


def test_scores_of_different_queries_are_refused() -> None:
    with pytest.raises(UserError, match="paired"):
        PairedScores({"a": [0.1], "b": [0.1, 0.2]}, "item")
    with pytest.raises(UserError, match="no scores"):
        PairedScores({}, "item")
