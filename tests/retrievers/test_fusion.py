import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr.errors import UserError
from squtr.eval.runs import cut
from squtr.retrievers.fusion import (
    LONE_DEVIATION,
    LONE_SCORE,
    deviation_fusion,
    normalised_fusion,
    reciprocal_rank_fusion,
)

FUSIONS = [reciprocal_rank_fusion, normalised_fusion, deviation_fusion]
both = pytest.mark.parametrize("fusion", FUSIONS)
NAMES = st.sampled_from([f"d{number}" for number in range(12)])
RANKINGS = st.lists(st.dictionaries(NAMES, st.floats(-1e308, 1e308), max_size=8), max_size=4)


def test_c45_reciprocal_ranks():
    fused = reciprocal_rank_fusion([{"A": 9.0, "C": 8.0}, {"A": 0.9, "C": 0.8, "B": 0.1}], 10)
    assert fused["A"] == pytest.approx(0.032787, abs=5e-7)
    alone = reciprocal_rank_fusion([{"B": 3.0}, {}], 10)
    assert alone == {"B": pytest.approx(0.016393, abs=5e-7)}
    split = reciprocal_rank_fusion([{"C": 2.0}, {"X": 2.0, "C": 1.0}], 10)
    assert split["C"] == pytest.approx(0.032522, abs=5e-7)
    assert split["X"] == pytest.approx(1 / 61)


@both
def test_c45_one_document_beside_three(fusion):
    fused = fusion([{"a": 5.0}, {"x": 0.9, "a": 0.8, "z": 0.7}], 10)
    expected = ["x", "a", "z"] if fusion is deviation_fusion else ["a", "x", "z"]
    assert list(fused) == expected
    assert all(math.isfinite(score) and score > 0 for score in fused.values())


def test_c45_equal_scores_become_the_constant_and_lower_values_keep_their_place():
    assert normalised_fusion([{"a": 0.7, "b": 0.7, "c": 0.7}], 10) == dict.fromkeys("abc", LONE_SCORE)
    fused = normalised_fusion([{"a": 3.0, "b": 2.0, "c": 1.0}], 10)
    assert fused == {"a": 1.0, "b": pytest.approx(0.5, abs=1e-6), "c": pytest.approx(0, abs=2e-6)}
    assert fused["c"] > 0


@both
@given(ranking=st.dictionaries(NAMES, st.integers(-3, 3).map(float), min_size=1))
def test_c45_one_empty_side_gives_the_others_order(fusion, ranking):
    expected = [document for document, _ in cut(ranking, len(ranking))]
    for sides in ([ranking, {}], [{}, ranking], [ranking]):
        assert list(fusion(sides, 20)) == expected


@both
@given(rankings=RANKINGS)
def test_a_retrieved_document_never_ends_below_one_that_is_not(fusion, rankings):
    fused = fusion([*rankings, {"d0": 1.0, "d1": 0.5}], 20)
    without = fusion([*rankings, {"d1": 0.5}], 20)
    assert fused["d0"] > without.get("d0", 0.0)


@both
def test_the_lowest_hit_beats_a_document_that_only_ties_elsewhere(fusion):
    fused = fusion([{"top": 9.0, "a": 1.0}, {"z": 4.0, "a": 4.0}], 10)
    assert list(fused).index("a") < list(fused).index("z")


@both
@given(rankings=RANKINGS, k=st.integers(1, 15), data=st.data())
def test_fusion_follows_the_one_order_whatever_the_input_order(fusion, rankings, k, data):
    fused = fusion(rankings, k)
    assert list(fused.items()) == (cut(fused, k) if fused else [])
    assert len(fused) == min(k, len(set().union(*rankings)))
    shuffled = [
        dict(data.draw(st.permutations(list(ranking.items()))))
        for ranking in data.draw(st.permutations(rankings))
    ]
    assert fusion(shuffled, k) == fused


def test_ties_after_fusion_follow_the_id():
    fused = reciprocal_rank_fusion([{"d9": 2.0, "d10": 1.0}, {"d10": 2.0, "d9": 1.0}], 10)
    assert list(fused) == ["d9", "d10"]
    assert fused["d9"] == fused["d10"]


def test_tied_input_scores_are_ranked_by_id():
    assert list(reciprocal_rank_fusion([{"d1": 5.0, "d2": 5.0, "d3": 5.0}], 10)) == ["d3", "d2", "d1"]


@both
@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_c23_scores_that_are_not_finite_are_refused(fusion, bad):
    with pytest.raises(UserError, match="'b'"):
        fusion([{"a": 1.0, "b": bad}], 10)


@both
def test_nothing_retrieved_gives_nothing(fusion):
    assert fusion([{}, {}], 10) == fusion([], 10) == {}


def test_c45_deviations_are_counted_from_the_lowest():
    fused = deviation_fusion([{"a": 3.0, "b": 2.0, "c": 1.0}], 10)
    deviation = math.sqrt(2 / 3)
    assert fused == {
        "a": pytest.approx(2 / deviation, abs=1e-5),
        "b": pytest.approx(1 / deviation, abs=1e-5),
        "c": pytest.approx(0, abs=2e-6),
    }
    assert deviation_fusion([{"a": 7.0, "b": 7.0}], 10) == dict.fromkeys("ab", LONE_DEVIATION)


def test_a_half_of_the_hits_is_not_below_what_was_never_found():
    """Plain z-scores give the lower half less than the 0 of a document that the ranking lacks."""
    fused = deviation_fusion([{"a": 9.0, "b": 1.0, "c": 0.5}, {"a": 1.0, "x": 0.9, "c": 0.8}], 10)
    assert next(iter(fused)) == "a" and fused["b"] > 0


@both
@given(rankings=RANKINGS, weight=st.floats(0.01, 100))
def test_one_weight_for_all_changes_no_order(fusion, rankings, weight):
    plain = fusion(rankings, 20)
    weighed = fusion(rankings, 20, weights=[weight] * len(rankings))
    assert weighed == {name: pytest.approx(weight * score) for name, score in plain.items()}


@both
def test_the_heavier_ranking_decides(fusion):
    sides = [{"a": 3.0, "b": 1.0}, {"b": 3.0, "a": 1.0}]
    assert next(iter(fusion(sides, 10, weights=[0.7, 0.3]))) == "a"
    assert next(iter(fusion(sides, 10, weights=[0.3, 0.7]))) == "b"
