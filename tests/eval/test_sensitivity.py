"""Other grading policies: formulas by hand, the contract against the engine, bounds, and moves."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from squtr.errors import UserError
from squtr.eval.scores import Measure, score_run
from squtr.eval.sensitivity import (
    CONTRACT,
    POLICIES,
    Corpus,
    Policy,
    definitions,
    error_rate_change,
    filled,
    last_ids,
    macro_sensitivity,
    moved,
    ndcg,
    policy_scores,
    sensitivity,
)

QRELS = {"q1": {"a": 3, "b": 1, "c": 2}, "q2": {"a": 1, "z": 0}}
NAMED = {policy.name: policy for policy in POLICIES}
DOCUMENTS = list("abcdefgh")
RUNS = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]),
    st.dictionaries(st.sampled_from(DOCUMENTS), st.sampled_from([0.5, 1.0, 2.0]), max_size=8),
)
JUDGED = st.dictionaries(
    st.sampled_from(["q1", "q2", "q3"]),
    st.dictionaries(st.sampled_from(DOCUMENTS), st.integers(-1, 4), min_size=1, max_size=6),
    min_size=1,
)


def _mean(qrels: dict, run: dict, policy: Policy, corpus: Corpus | None = None) -> float:
    scores, counted = policy_scores(qrels, run, policy, corpus)
    return float(scores[counted].mean())


def test_both_gains_of_the_worked_example() -> None:
    """Grades a=3 b=1 c=2, returned b, c, a: .790 linear, .681 with 2^rel - 1."""
    run = {"q1": {"b": 3.0, "c": 2.0, "a": 1.0}}
    qrels = {"q1": QRELS["q1"]}
    assert _mean(qrels, run, CONTRACT) == pytest.approx(0.790, abs=5e-4)
    assert _mean(qrels, run, NAMED["gain: exponential"]) == pytest.approx(0.681, abs=5e-4)
    gains = [1 / math.log2(2) + 3 / math.log2(3) + 7 / math.log2(4), 7 + 3 / math.log2(3) + 1 / math.log2(4)]
    assert _mean(qrels, run, NAMED["gain: exponential"]) == pytest.approx(gains[0] / gains[1], abs=1e-12)


def test_grades_of_0_and_1_earn_the_same_under_both_gains() -> None:
    grades, ideal = np.array([[0, 1, 0, 1]]), np.array([[1, 1, 0, 0]])
    assert ndcg(grades, ideal, gain="exponential") == pytest.approx(ndcg(grades, ideal))


@given(JUDGED, RUNS, st.sampled_from([1, 3, 10]))
@settings(max_examples=120)
def test_the_contract_is_the_engines_score(qrels: dict, run: dict, cutoff: int) -> None:
    scores, counted = policy_scores(qrels, run, Policy("x", "x", cutoff=cutoff))
    measure = Measure("nDCG", cutoff)
    assert counted.all()
    assert scores.tolist() == pytest.approx(score_run(qrels, run, [measure]).values(measure), abs=1e-9)


@given(JUDGED, RUNS)
@settings(max_examples=120)
def test_the_bounds_hold_for_any_order_of_ties(qrels: dict, run: dict) -> None:
    low, high = (
        policy_scores(qrels, run, NAMED[f"ties: {name}"])[0] for name in ("pessimistic", "optimistic")
    )
    for policy in (CONTRACT, NAMED["ties: id ascending"]):
        found = policy_scores(qrels, run, policy)[0]
        assert np.all(low <= found + 1e-12) and np.all(found <= high + 1e-12)


def test_bounds_are_reached() -> None:
    """Three tied, one relevant: rank 1 at best, 3 at worst, 2 by neither id order."""
    qrels, run = {"q": {"b": 1}}, {"q": {"a": 1.0, "b": 1.0, "c": 1.0}}
    found = {
        name: _mean(qrels, run, NAMED[f"ties: {name}"])
        for name in ("pessimistic", "optimistic", "id ascending")
    }
    assert found == {"pessimistic": 0.5, "optimistic": 1.0, "id ascending": pytest.approx(1 / math.log2(3))}


def test_missing_and_negative_queries() -> None:
    """Two judged queries, one perfect, the other missing: .5, and 1 where it is left out."""
    run = {"q1": {"a": 3.0, "c": 2.0, "b": 1.0}}
    assert _mean(QRELS, run, CONTRACT) == pytest.approx(0.5)
    assert _mean(QRELS, run, NAMED["missing queries: left out"]) == pytest.approx(1.0)
    assert _mean(QRELS, {**run, "q2": {}}, NAMED["missing queries: left out"]) == pytest.approx(1.0)
    qrels = {**QRELS, "q2": {"a": 0, "b": -1}}
    assert _mean(qrels, run, CONTRACT) == pytest.approx(0.5)
    assert _mean(qrels, run, NAMED["no positive: left out"]) == pytest.approx(1.0)


def test_zero_score_documents_fill_a_short_ranking() -> None:
    corpus = last_ids(DOCUMENTS, 3)
    assert corpus.last_ids == ("h", "g", "f", "e", "d", "c")
    assert filled({"h": 2.0}, corpus) == {"h": 2.0, "g": 0.0, "f": 0.0}
    assert filled({}, corpus) == {"h": 0.0, "g": 0.0, "f": 0.0}
    assert filled({"a": -1.0}, corpus) == {"a": -1.0}
    assert filled({"a": 1.0, "b": 1.0, "c": 1.0, "d": 1.0}, corpus).keys() == {"a", "b", "c", "d"}
    with pytest.raises(UserError, match="ids of the corpus"):
        filled({}, None)


def test_a_query_that_failed_is_not_filled() -> None:
    policy, corpus = NAMED["zero-score hits: kept"], last_ids(DOCUMENTS, 8)
    assert _mean({"q": {"h": 1}}, {}, policy, corpus) == 0
    assert _mean({"q": {"h": 1}}, {"q": {}}, policy, corpus) == 1


def test_moves_by_hand() -> None:
    same = moved({"x": 0.3, "y": 0.2, "z": 0.1}, {"x": 0.9, "y": 0.8, "z": 0.7})
    assert same == {"tau": 1.0, "largest_move": 0.0, "reason": None}
    swapped = moved({"x": 0.3, "y": 0.2, "z": 0.1}, {"x": 0.3, "y": 0.1, "z": 0.2})
    assert swapped == {"tau": pytest.approx(1 / 3), "largest_move": 1.0, "reason": None}
    turned = moved({"x": 0.3, "y": 0.2, "z": 0.1}, {"x": 0.1, "y": 0.2, "z": 0.3})
    assert (turned["tau"], turned["largest_move"]) == (pytest.approx(-1), 2.0)


@pytest.mark.parametrize(
    ("contract", "other", "reason"),
    [
        ({"x": 0.1}, {"x": 0.2}, "one system has no ranking"),
        ({"x": 0.1, "y": 0.2}, {"x": 0.1, "y": None}, "a system has no mean"),
        ({"x": 0.1, "y": 0.2}, {"x": 0.3, "y": 0.3}, "all systems score the same"),
    ],
)
def test_rankings_that_do_not_exist_have_a_reason(contract: dict, other: dict, reason: str) -> None:
    found = moved(contract, other)
    assert found["tau"] is None and found["reason"] == reason


@given(st.lists(st.floats(0, 1), min_size=2, max_size=5))
def test_a_ranking_against_itself_does_not_move_whatever_the_order(means: list[float]) -> None:
    table = {f"s{place}": value for place, value in enumerate(means)}
    found = moved(table, dict(reversed(table.items())))
    assert found["largest_move"] == 0 and found["tau"] in (None, pytest.approx(1))


def _found() -> dict:
    runs = {
        "x": {"text": {"q1": {"a": 1.0}, "q2": {"a": 1.0}}, "snr_0": {"q1": {"b": 1.0}}},
        "y": {"text": {"q1": {"c": 1.0}, "q2": {}}, "snr_0": {"q2": {"a": 1.0}}},
    }
    return sensitivity(QRELS, runs, Corpus(20, ("z",)))


def test_every_policy_has_scores_and_moves() -> None:
    found = _found()
    assert list(found) == list(definitions())
    for one in found.values():
        assert set(one) == {"scores", "tau", "largest_move", "reason"}
        assert list(one["scores"]) == ["x", "y"] and list(one["tau"]) == ["text", "snr_0"]
    assert found["contract"]["tau"]["text"] == 1.0
    assert found["missing queries: left out"]["scores"]["y"]["snr_0"] == 1.0


def test_a_cut_off_below_the_depth_of_the_runs_has_no_score() -> None:
    found = _found()["cut-off: 100"]
    assert found["scores"]["x"]["text"] is None
    assert found["reason"]["text"] == "a system has no mean"


def test_macro_means_rank_the_means_of_a_languages_subsets() -> None:
    found = _found()
    table = macro_sensitivity(
        {"en/a": found, "en/b": found, "zh/c": found}, {"en/a": "en", "en/b": "en", "zh/c": "zh"}
    )
    assert list(table) == ["en", "zh"]
    for policy, condition in itertools.product(found, ("text", "snr_0")):
        mean = table["en"][policy]["scores"]["x"][condition]
        expected = found[policy]["scores"]["x"][condition]
        assert mean == (None if expected is None else pytest.approx(expected))


def test_the_normalisers_change_of_an_error_rate() -> None:
    assert error_rate_change(0.25, 0.2) == {
        "raw": 0.25,
        "clean": 0.2,
        "change": pytest.approx(-0.05),
        "reason": None,
    }
    assert error_rate_change(None, None)["reason"] == "no error rate"


def test_an_unknown_gain_is_refused() -> None:
    with pytest.raises(UserError, match="linear or exponential"):
        ndcg(np.ones((1, 1), int), np.ones((1, 1), int), gain="square")


def test_a_system_without_a_condition_is_in_no_ranking_of_it() -> None:
    perfect, wrong = {"q1": {"a": 3.0, "c": 2.0, "b": 1.0}}, {"q1": {"z": 1.0}}
    runs = {
        "x": {"text": perfect, "snr_0": perfect},
        "y": {"text": wrong, "snr_0": wrong},
        "e2e": {"snr_0": wrong},
    }
    found = sensitivity(QRELS, runs, Corpus(20, ()))["gain: exponential"]
    assert list(found["scores"]["e2e"]) == ["snr_0"]
    assert found["tau"]["text"] == 1.0 and found["reason"]["text"] is None
