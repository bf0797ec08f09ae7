"""Ranks, ranges and groups, against tests written out by hand."""

from __future__ import annotations

from itertools import combinations, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from hypothesis.extra.numpy import arrays
from scipy import stats

from squtr.eval.statistics import holm
from squtr.leaderboard.standings import ALPHA, Floats, standings


def skilled(seed: int, queries: int, systems: int) -> Floats:
    """Scores of systems of which each is a little better than the one before, by query."""
    rng = np.random.default_rng(seed)
    hard = rng.uniform(-0.2, 0.2, (queries, 1))
    return np.clip(0.5 + hard + np.linspace(0, 0.25, systems) + rng.normal(0, 0.15, (queries, systems)), 0, 1)


def welch(subsets: list[Floats], first: int, second: int) -> float:
    """The two-sided p of two systems: means over subsets, degrees of freedom after Satterthwaite."""
    differences = [table[:, first] - table[:, second] for table in subsets]
    shares = [found.var(ddof=1) / len(found) / len(subsets) ** 2 for found in differences]
    degrees = sum(shares) ** 2 / sum(
        share**2 / (len(found) - 1) for share, found in zip(shares, differences, strict=True)
    )
    t = np.mean([found.mean() for found in differences]) / np.sqrt(sum(shares))
    return float(2 * stats.t.sf(abs(t), degrees))


def told(p_values: list[float], count: int, queries: int) -> np.ndarray:
    """Which pairs Holm's rule tells apart when no p is below what signs can give."""
    least = 2.0 ** (1 - queries)
    apart = np.zeros((count, count), dtype=bool)
    adjusted = holm([max(p, least) for p in p_values])
    for (first, second), p in zip(combinations(range(count), 2), adjusted, strict=True):
        apart[first, second] = apart[second, first] = p < ALPHA
    return apart


@pytest.mark.parametrize(
    ("seed", "queries", "systems"), [(3, 40, 12), (7, 40, 12), (22, 100, 12), (3, 12, 6), (3, 10, 4)]
)
def test_one_subset_is_the_paired_t_test_corrected_over_all_pairs(
    seed: int, queries: int, systems: int
) -> None:
    """With seeds 7 and 22 Holm's rule takes steps that show only where p are gone through one by one."""
    table = skilled(seed, queries, systems)
    pairs = combinations(range(systems), 2)
    p_values = [float(stats.ttest_rel(table[:, a], table[:, b]).pvalue) for a, b in pairs]
    wanted = told(p_values, systems, queries)
    assert 0 < wanted.sum() < systems * (systems - 1)
    assert (standings([table]).apart == wanted).all()


def test_several_subsets_weigh_alike_with_the_degrees_of_freedom_of_satterthwaite() -> None:
    subsets = [skilled(1, 60, 14), skilled(2, 9, 14), skilled(3, 25, 14)]
    found = standings(subsets)
    assert found.means == pytest.approx(np.mean([table.mean(axis=0) for table in subsets], axis=0), abs=1e-12)
    p_values = [welch(subsets, a, b) for a, b in combinations(range(14), 2)]
    wanted = told(p_values, 14, 94)
    assert 0 < wanted.sum() < 14 * 13
    assert (found.apart == wanted).all()
    pooled = standings([np.concatenate(subsets)])
    assert (pooled.apart != wanted).any()


def test_a_hand_computed_table() -> None:
    """Differences of 0.1 and 0.3 in turn: mean 0.2, t = 0.2 / (0.1069 / sqrt(8)) = 5.29, p = 0.0011."""
    base = np.linspace(0.1, 0.6, 8)
    gain = np.array([0.1, 0.3] * 4)
    found = standings([np.stack([base, base + gain, base], axis=1)])
    assert found.means.tolist() == pytest.approx([0.35, 0.55, 0.35])
    assert found.ranks == [2, 1, 2]
    assert found.apart.tolist() == [[False, True, False], [True, False, True], [False, True, False]]
    assert (found.best, found.worst, found.groups) == ([2, 1, 2], [3, 1, 3], [2, 1, 2])


def test_few_queries_cannot_tell_many_pairs_apart() -> None:
    """With 6 queries no p is below 2 / 2^6 = 0.031: enough for one pair, not for three."""
    column = np.linspace(0.2, 0.4, 6)
    assert standings([np.stack([column, column + 0.5], axis=1)]).apart[0, 1]
    assert not standings([np.stack([column, column + 0.5, column + 0.2], axis=1)]).apart.any()
    assert not standings([np.stack([column[:5], column[:5] + 0.5], axis=1)]).apart.any()


def test_one_system_stands_alone() -> None:
    found = standings([np.array([[0.25], [0.75]])])
    assert (found.ranks, found.best, found.worst, found.groups) == ([1], [1], [1], [1])
    assert found.means.tolist() == [0.5]


def test_one_query_orders_but_tells_nothing_apart() -> None:
    found = standings([np.array([[0.1, 0.9, 0.5]])])
    assert (found.ranks, found.best, found.worst, found.groups) == ([3, 1, 2], [1] * 3, [3] * 3, [1] * 3)
    assert not found.apart.any()


def test_identical_systems_share_the_better_rank() -> None:
    column = np.random.default_rng(5).uniform(size=50)
    found = standings([np.stack([column, column, column / 4], axis=1)])
    assert (found.ranks, found.groups) == ([1, 1, 3], [1, 1, 2])
    assert not found.apart[0, 1] and found.apart[0, 2] and found.apart[1, 2]


def test_equal_means_of_unequal_queries_share_a_rank() -> None:
    """A document at place 7 scores 1/3: three of them are as good as one at place 1."""
    table = np.array([[1.0, 1 / 3], [0.0, 1 / 3], [0.0, 1 / 3]])
    assert standings([table]).ranks == [1, 1]
    assert standings([table.astype(np.float32)], table.mean(axis=0)).ranks == [1, 1]
    assert standings([table.astype(np.float32)]).ranks != [1, 1]


def test_a_difference_that_never_varies_is_told_apart() -> None:
    column = np.random.default_rng(6).uniform(0, 0.5, 20)
    assert standings([np.stack([column, column + 0.25], axis=1)]).apart[0, 1]


tables = some.tuples(some.integers(1, 12), some.integers(1, 6)).flatmap(
    lambda shape: some.lists(
        arrays(np.float64, shape, elements=some.sampled_from([0.0, 0.25, 0.5, 1.0])), min_size=1, max_size=3
    )
)


@given(tables)
def test_ranks_lie_in_their_ranges_and_groups_go_down_the_means(subsets: list[Floats]) -> None:
    found = standings(subsets)
    count = len(found.means)
    assert (found.apart == found.apart.T).all() and not found.apart.diagonal().any()
    for place in range(count):
        assert 1 <= found.best[place] <= found.ranks[place] <= found.worst[place] <= count
    order = sorted(range(count), key=lambda place: -found.means[place])
    ranks, groups = [found.ranks[place] for place in order], [found.groups[place] for place in order]
    assert ranks == sorted(ranks) and groups == sorted(groups)
    assert groups[0] == 1 and set(groups) == set(range(1, max(groups) + 1))
    for above, below in pairwise(order):
        equal = found.means[above] == found.means[below]
        assert (found.ranks[above] == found.ranks[below]) == equal


@given(tables, some.randoms(use_true_random=False))
def test_the_order_of_systems_does_not_matter(subsets: list[Floats], chance: object) -> None:
    found = standings(subsets)
    order = list(range(len(found.means)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    turned = standings([table[:, order] for table in subsets])
    assert turned.ranks == [found.ranks[place] for place in order]
    assert (turned.best, turned.worst) == (
        [found.best[place] for place in order],
        [found.worst[place] for place in order],
    )
    assert (turned.apart == found.apart[np.ix_(order, order)]).all()
