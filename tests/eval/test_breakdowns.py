"""Groups of queries: who is in which, and no interval for a few."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr.eval.breakdowns import (
    FEW,
    Judged,
    by_fact,
    by_numbers,
    by_query_length,
    number_kind,
    quantile_groups,
)
from squtr.eval.statistics import bootstrap_mean
from tests.eval.heard_doubles import MEASURE, heard, scored

TEXTS = {f"q{n}": " ".join(["word"] * (1 + n // 2)) for n in range(8)}
SCORES = {query: n / 10 for n, query in enumerate(TEXTS)}


def _judged(**changes: object) -> Judged:
    noisy = [
        heard(
            query, text, text if n else "nothing", noise_category="cafe" if n < 6 else "park", speaker=f"s{n}"
        )
        for n, (query, text) in enumerate(TEXTS.items())
    ]
    scores = {"a": {"text": scored(SCORES), "snr_0": scored(dict.fromkeys(SCORES, 0.5))}}
    parts = {"key": "en/x", "language": "en", "texts": TEXTS, "heard": {"snr_0": noisy}, "scores": scores}
    return Judged(**{**parts, "measure": MEASURE, "seed": 3, **changes})  # type: ignore[arg-type]


def test_groups_by_a_fact_have_counts_means_and_error_rates() -> None:
    found = by_fact(_judged(), "noise_category")
    assert list(found) == ["cafe", "park"]
    cafe = found["cafe"]["snr_0"]
    assert (cafe["queries"], cafe["judged"]) == (6, 6)
    assert cafe["scores"] == {"a": 0.5}
    assert cafe["error_rate"] == pytest.approx(1 / 12)  # one word wrong of 1 + 1 + 2 + 2 + 3 + 3


def test_a_few_queries_have_a_mean_but_no_interval() -> None:
    found = by_fact(_judged(), "noise_category")["park"]["snr_0"]
    assert found["queries"] == 2 < FEW and found["scores"] == {"a": 0.5}
    assert found["intervals"] is None and found["reason"] == "fewer than 5 judged queries: no interval"


def test_intervals_are_those_of_the_group_alone() -> None:
    one = _judged(heard={"snr_0": [heard(q, t, t, noise_category="cafe") for q, t in TEXTS.items()]})
    found = by_fact(one, "noise_category")["cafe"]["snr_0"]["intervals"]["a"]
    assert found == {"low": 0.5, "mean": 0.5, "high": 0.5}
    length = by_query_length(_judged(texts=dict.fromkeys(TEXTS, "same length")))["2"]["text"]
    expected = bootstrap_mean(list(SCORES.values()), "en/x/length/2", 3)
    assert length["intervals"]["a"]["low"] == expected.low


def test_recordings_without_the_fact_are_in_no_group() -> None:
    assert by_fact(_judged(), "room") == {}


def test_unjudged_queries_are_counted_but_not_scored() -> None:
    scores = {"a": {"snr_0": scored({"q0": 1.0})}}
    found = by_fact(_judged(scores=scores), "noise_category")
    assert (found["cafe"]["snr_0"]["queries"], found["cafe"]["snr_0"]["judged"]) == (6, 1)
    assert found["park"]["snr_0"]["scores"] == {"a": None}


def test_failed_recordings_are_counted_but_have_no_error_rate() -> None:
    one = _judged(
        heard={"snr_0": [heard("q0", "word", "word", speaker="s"), heard("q1", "word", None, speaker="s")]}
    )
    found = by_fact(one, "speaker")["s"]["snr_0"]
    assert (found["queries"], found["error_rate"]) == (2, 0.0)


def test_length_groups_name_the_lengths_inside_and_cover_text_too() -> None:
    found = by_query_length(_judged())
    assert list(found) == ["1", "2", "3", "4"]
    assert list(found["1"]) == ["text", "snr_0"]
    assert found["1"]["text"]["scores"]["a"] == pytest.approx(0.05)
    assert found["1"]["text"]["error_rate"] is None


@given(st.dictionaries(st.text(max_size=3), st.integers(0, 40), max_size=30))
def test_every_query_is_in_one_length_group_and_groups_do_not_overlap(values: dict[str, int]) -> None:
    groups = quantile_groups(values)
    assert sorted(name for names in groups.values() for name in names) == sorted(values)
    spans = [[values[name] for name in names] for names in groups.values()]
    assert all(max(low) < min(high) for low, high in itertools.pairwise(spans))
    assert len(groups) <= 4


@pytest.mark.parametrize(
    ("text", "language", "expected"),
    [
        ("what happened in 1969", "en", "digits"),
        ("nineteen sixty nine", "en", "number words"),
        ("three little pigs", "en", "number words"),
        ("which one is best", "en", "no number"),
        ("二零一九年有几天", "zh", "number words"),
        ("一般的五官", "zh", "no number"),
        ("2019年", "zh", "digits"),
        ("wie alt ist 50", "de", "digits"),
    ],
)
def test_numbers_in_a_query(text: str, language: str, expected: str) -> None:
    assert number_kind(text, language) == expected


def test_number_groups_without_a_query_are_left_out() -> None:
    assert list(by_numbers(_judged())) == ["no number"]


def test_a_system_without_a_run_on_the_text_is_left_out_there() -> None:
    scores = {"e2e": {"snr_0": scored(SCORES)}, "a": {"text": scored(SCORES), "snr_0": scored(SCORES)}}
    found = by_query_length(_judged(scores=scores))["1"]
    assert list(found["text"]["scores"]) == ["a"] and list(found["snr_0"]["scores"]) == ["e2e", "a"]
