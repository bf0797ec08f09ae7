"""Pairs of systems: known values, antisymmetry, Holm over the family, and letters."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from squtr.draw import draw
from squtr.eval.comparisons import Comparison, compare_all, compare_subset, groups
from squtr.eval.paired import PairedScores
from squtr.eval.statistics import holm, paired_bootstrap, paired_randomisation

SYSTEMS = st.integers(1, 8).flatmap(
    lambda size: st.lists(st.lists(st.floats(0, 1), min_size=size, max_size=size), min_size=2, max_size=4)
)


def _named(rows: Any) -> dict[str, Any]:
    return {f"s{place}": row for place, row in enumerate(rows)}


def _by_pair(found: list[Comparison]) -> dict[tuple[str, str], Comparison]:
    return {(one.first, one.second): one for one in found}


def test_known_values_of_three_queries() -> None:
    (one,) = compare_all({"a": [0.9, 0.5, 0.4], "b": [0.6, 0.5, 0.6]}, "item", flips=4000)
    assert one.difference == pytest.approx(0.1 / 3)
    assert one.effect_size == pytest.approx((0.1 / 3) / np.std([0.3, 0.0, -0.2], ddof=1))
    assert (one.wins, one.ties, one.losses) == (1, 1, 1)
    assert one.p == 1.0 and one.p_holm == 1.0


def test_sign_flips_of_equal_differences_have_a_known_p() -> None:
    """Four differences of 0.5: only all plus and all minus reach the sum, 2 of 16."""
    (one,) = compare_all({"a": [0.5] * 4, "b": [0.0] * 4}, "item", flips=20_000)
    assert one.p == pytest.approx(2 / 16, abs=0.01)
    assert one.effect_size is None and one.reason == "every query differs by the same amount"


def test_single_calls_and_all_pairs_give_the_same() -> None:
    scores = {name: draw(0, "test", name).random(40) for name in "abc"}
    for one in compare_all(scores, "item", seed=5):
        single = paired_bootstrap(scores[one.first], scores[one.second], "item", 5)
        assert (one.low, one.high) == (pytest.approx(single.low), pytest.approx(single.high))
        assert one.p_bootstrap == single.p
        assert one.p == paired_randomisation(scores[one.first], scores[one.second], "item", 5)


@given(SYSTEMS)
@settings(max_examples=40, deadline=None)
def test_turning_a_pair_round_turns_its_signs_and_nothing_else(rows: list[list[float]]) -> None:
    scores = _named(rows)
    there = _by_pair(compare_all(scores, "item", resamples=40, flips=40))
    back = _by_pair(compare_all(dict(reversed(scores.items())), "item", resamples=40, flips=40))
    for (first, second), one in there.items():
        other = back[second, first]
        assert one.difference == -other.difference
        assert (one.low, one.high) == (pytest.approx(-other.high), pytest.approx(-other.low))
        assert (one.wins, one.ties, one.losses) == (other.losses, other.ties, other.wins)
        assert (one.p, one.p_bootstrap, one.p_holm) == (other.p, other.p_bootstrap, other.p_holm)
        assert one.effect_size == (None if other.effect_size is None else -other.effect_size)


@given(SYSTEMS)
@settings(max_examples=40, deadline=None)
def test_holm_never_lowers_a_p_nor_changes_their_order(rows: list[list[float]]) -> None:
    found = compare_all(_named(rows), "item", resamples=20, flips=40)
    assert [one.p_holm for one in found] == holm([one.p for one in found])
    ordered = sorted(found, key=lambda one: one.p)
    assert all(one.p <= one.p_holm for one in found)
    assert all(low.p_holm <= high.p_holm for low, high in itertools.pairwise(ordered))


@pytest.mark.parametrize("values", [[0.3], [0.3, 0.3], [0.0, 0.0, 0.0]])
def test_the_same_system_twice_does_not_differ(values: list[float]) -> None:
    (one,) = compare_all({"a": values, "b": values}, "item", resamples=50, flips=50)
    assert (one.difference, one.low, one.high, one.p, one.p_bootstrap) == (0, 0, 0, 1, 1)
    assert one.effect_size is None and one.ties == len(values)


def test_the_effect_size_has_no_unit() -> None:
    tiny, usual = (
        compare_all({"a": [0.0, 3 * unit, unit], "b": [0.0] * 3}, "item", resamples=20, flips=20)[0]
        for unit in (1e-300, 0.1)
    )
    assert (
        tiny.effect_size
        == pytest.approx(usual.effect_size)
        == pytest.approx(4 / 3 / np.std([0, 3, 1], ddof=1))
    )


def test_one_query_has_no_effect_size() -> None:
    (one,) = compare_all({"a": [0.7], "b": [0.2]}, "item", resamples=50, flips=50)
    assert one.reason == "one query has no standard deviation" and one.p == 1.0


def test_one_system_has_no_pair_and_the_letter_a() -> None:
    assert compare_all({"a": [0.1]}, "item") == []
    assert groups({"a": 0.1}, []) == {"a": ["a"]}


def _pair(first: str, second: str, p: float) -> Comparison:
    return Comparison(first, second, 0.1, 0.0, 0.2, 1.0, 1, 0, 0, p, p, p)


def test_letters_of_a_chain() -> None:
    """best - middle and middle - worst cannot be told apart, best - worst can."""
    means = {"worst": 0.1, "best": 0.9, "middle": 0.5}
    pairs = [_pair("best", "worst", 0.01), _pair("best", "middle", 0.4), _pair("worst", "middle", 0.2)]
    assert groups(means, pairs) == {"best": ["a"], "middle": ["a", "b"], "worst": ["b"]}


@given(
    st.integers(1, 7).flatmap(
        lambda n: st.tuples(st.just(n), st.lists(st.booleans(), min_size=21, max_size=21))
    )
)
@settings(max_examples=80)
def test_two_share_a_letter_if_and_only_if_they_cannot_be_told_apart(case: tuple[int, list[bool]]) -> None:
    size, apart = case
    names = [f"s{place}" for place in range(size)]
    pairs = [
        _pair(first, second, 0.01 if differs else 0.5)
        for (first, second), differs in zip(itertools.combinations(names, 2), apart, strict=False)
    ]
    letters = groups({name: float(place) for place, name in enumerate(names)}, pairs)
    assert all(letters.values())
    for one in pairs:
        assert bool(set(letters[one.first]) & set(letters[one.second])) == (one.p_holm >= 0.05)
    assert groups({name: float(names.index(name)) for name in reversed(names)}, pairs[::-1]) == letters


def test_letters_go_by_the_corrected_p() -> None:
    pair = Comparison("a", "b", 0.1, 0.0, 0.2, 1.0, 1, 0, 0, p_bootstrap=0.02, p=0.02, p_holm=0.06)
    assert groups({"a": 0.9, "b": 0.1}, [pair]) == {"a": ["a"], "b": ["a"]}


def test_a_subset_is_compared_within_conditions_and_within_systems() -> None:
    scores = {
        (system, condition): draw(0, system, condition).random(20)
        for system in ("x", "y", "z")
        for condition in ("text", "clean")
    }
    found = compare_subset(PairedScores(scores, "item", resamples=50, flips=50), "nDCG@10")
    assert list(found["systems"]) == ["text", "clean"] and list(found["conditions"]) == ["x", "y", "z"]
    for condition, cells in found["systems"].items():
        alone = compare_all(
            {system: values for (system, name), values in scores.items() if name == condition},
            "item",
            resamples=50,
            flips=50,
        )
        assert [one["p_holm"] for one in cells["pairs"]] == [one.p_holm for one in alone]
    assert [(one["first"], one["second"]) for one in found["conditions"]["x"]] == [("text", "clean")]
