"""Kinds of recognition error and what they cost: planted costs are found, counts add up."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import rankdata, spearmanr

from squtr.draw import draw
from squtr.eval.error_costs import Recordings, collect, error_costs
from squtr.eval.error_kinds import EDITS, KINDS, Words, error_kinds, read_words, words_of
from squtr.records import Document
from squtr.text import count_errors
from tests.eval.heard_doubles import MEASURE, heard, scored

WORDS = Words("en", frozenset({"the", "of"}), frozenset({"the", "of", "sky", "blue", "moon"}), 3)
CHINESE = Words("zh", frozenset({"的"}), frozenset({"天空", "蓝色", "的"}), 3)
SOUP = st.text("天空蓝色的2月球 ", max_size=8) | st.lists(
    st.sampled_from("the of sky blue moon 12 Rome xyz".split()), max_size=6
).map(" ".join)


@pytest.mark.parametrize(
    ("text", "transcript", "expected"),
    [
        ("the sky", "the blue", {("substitution", "content word"): 1}),
        ("the sky", "sky", {("deletion", "stop word"): 1}),
        ("the sky", "the sky of", {("insertion", "stop word"): 1}),
        ("sky 12", "sky 13", {("substitution", "number"): 1}),
        ("the sky of zork", "the sky of", {("deletion", "name or rare word"): 1}),
        ("the Moon", "the", {("deletion", "name or rare word"): 1}),
        ("Moon", "", {("deletion", "content word"): 1}),
        ("the sky", "the sky", {}),
    ],
)
def test_errors_go_under_their_word(text: str, transcript: str, expected: dict) -> None:
    assert error_kinds(text, transcript, WORDS) == expected


def test_characters_go_under_the_word_they_stand_in() -> None:
    found = error_kinds("天空的蓝色", "地空的", CHINESE)
    assert found == {("substitution", "content word"): 1, ("deletion", "content word"): 2}


@given(SOUP, SOUP, st.sampled_from([WORDS, CHINESE]))
@settings(max_examples=80, deadline=None)
def test_kinds_add_up_to_the_error_counts(text: str, transcript: str, words: Words) -> None:
    found = error_kinds(text, transcript, words)
    counts = count_errors(text, transcript, words.language)
    by_edit = [sum(count for (edit, _), count in found.items() if edit == name) for name in EDITS]
    assert by_edit == [counts.substitutions, counts.deletions, counts.insertions]
    assert set(found) <= set(KINDS)


def test_words_of_a_corpus() -> None:
    documents = [Document(str(n), "", f"the Café number{n} is open") for n in range(30)]
    words = read_words(documents, {"q": "open cafe closed"}, ["the café zoo"], "en")
    assert words.documents == 30
    assert {"open", "cafe", "the"} <= words.known and not {"zoo", "closed"} & words.known
    assert words.word_class("open") == "stop word"  # in every document
    assert words.word_class("closed") == "name or rare word"


def test_a_small_corpus_makes_no_word_common() -> None:
    words = read_words([Document("1", "", "moon")], {"q": "moon"}, [], "en")
    assert words.word_class("moon") == "content word" and words.word_class("the") == "stop word"


def test_chinese_words_are_looked_up_as_runs_of_characters() -> None:
    words = read_words([Document("1", "", "天空是蓝色的")], {"q": "天空为什么是蓝色的"}, ["月球"], "zh")
    assert {"天空", "蓝色"} <= words.known and not {"月球", "为什么"} & words.known
    assert "".join(words_of("天空为什么是蓝色的", "zh")) == "天空为什么是蓝色的"


def test_recordings_are_collected_over_conditions_and_failures_counted() -> None:
    text = {"q1": "the sky", "q2": "blue moon"}
    found = collect(
        {
            "clean": [heard("q1", text["q1"], "the sky", None), heard("q2", text["q2"], None, None)],
            "snr_0": [heard("q1", text["q1"], "sky"), heard("q2", text["q2"], ""), heard("q9", "x", "x")],
        },
        {
            "a": {
                "text": scored({"q1": 1.0, "q2": 0.5}),
                "clean": scored({"q1": 1.0, "q2": 0.0}),
                "snr_0": scored({"q1": 0.25, "q2": 0.5}),
            }
        },
        text,
        MEASURE,
        WORDS,
    )
    assert found.failed == 1 and found.queries.tolist() == [0, 0, 1]
    assert found.rates.tolist() == [0.0, 0.5, 1.0]
    assert found.losses[:, 0].tolist() == [0.0, 0.75, 0.0]
    assert found.kinds.sum() == 3 and found.kinds[2, KINDS.index(("deletion", "content word"))] == 2


def _planted(queries: int = 60) -> Recordings:
    """Two kinds that cost 0.3 and 0.1, a constant of 0.05, small noise; four recordings a query."""
    generator = draw(0, "test", "planted")
    size = 4 * queries
    kinds = np.zeros((size, len(KINDS)))
    kinds[:, 0], kinds[:, 3] = generator.integers(0, 3, size), generator.integers(0, 2, size)
    losses = 0.05 + 0.3 * (kinds[:, 0] > 0) + 0.1 * (kinds[:, 3] > 0) + generator.normal(0, 0.02, size)
    return Recordings(
        np.repeat(np.arange(queries), 4), kinds.sum(axis=1) / 8, kinds, losses[:, None], ("a",), 0
    )


def test_planted_costs_are_found() -> None:
    found = error_costs(_planted(), WORDS, "item", resamples=300)
    costs = [one["cost"]["a"] for one in found["kinds"]]
    for place, cost in ((0, 0.3), (3, 0.1)):
        assert costs[place]["low"] < cost < costs[place]["high"]
        assert costs[place]["mean"] == pytest.approx(cost, abs=0.02)
    assert costs[1] == {
        "reason": "fewer than 5 queries with or without this kind",
        "low": None,
        "mean": None,
        "high": None,
    }
    assert found["kinds"][3]["alone"]["loss"]["a"]["mean"] == pytest.approx(0.15, abs=0.02)


def test_the_correlation_is_spearmans() -> None:
    recordings = _planted()
    found = error_costs(recordings, WORDS, "item", resamples=300)["correlation"]["a"]
    expected = spearmanr(recordings.rates, recordings.losses[:, 0]).statistic
    assert found["mean"] == pytest.approx(expected, abs=1e-12)
    assert found["low"] < found["mean"] < found["high"]


def test_the_correlations_interval_resamples_queries_and_keeps_the_ranks() -> None:
    recordings = _planted(queries=12)
    found = error_costs(recordings, WORDS, "item", seed=4, resamples=100)["correlation"]["a"]
    ranks = [rankdata(values) for values in (recordings.rates, recordings.losses[:, 0])]
    rows = [np.flatnonzero(recordings.queries == query) for query in range(12)]
    values = []
    for drawn in draw(4, "bootstrap", "item").integers(0, 12, size=(100, 12)):
        chosen = np.concatenate([rows[query] for query in drawn])
        values.append(np.corrcoef(ranks[0][chosen], ranks[1][chosen])[0, 1])
    assert (found["low"], found["high"]) == pytest.approx(tuple(np.quantile(values, [0.025, 0.975])))


def test_every_recording_is_in_one_group_of_rates() -> None:
    rates = np.array([0.0, 0.05, 0.1, 0.1001, 0.25, 0.5, 1.0, 1.5])
    size = len(rates)
    recordings = Recordings(np.arange(size), rates, np.zeros((size, 12)), np.ones((size, 1)), ("a",), 0)
    found = error_costs(recordings, WORDS, "item", resamples=20)
    assert [one["recordings"] for one in found["rates"]] == [1, 2, 2, 1, 1, 1]
    assert [(one["above"], one["up_to"]) for one in found["rates"]][::5] == [(None, 0.0), (1.0, None)]
    assert found["correlation"]["a"]["reason"] == "all losses are equal"
    assert found["rates"][1]["loss"]["a"]["mean"] == 1.0 and found["rates"][1]["loss"]["a"]["low"] is None


def test_kinds_that_always_come_together_are_not_parted() -> None:
    planted = _planted()
    kinds = planted.kinds.copy()
    kinds[:, 3] = kinds[:, 0]
    both = Recordings(planted.queries, planted.rates, kinds, planted.losses, ("a",), 0)
    found = error_costs(both, WORDS, "item", resamples=20)["kinds"]
    assert found[0]["cost"]["a"]["reason"].startswith("kinds always occur together")


def test_no_recording_gives_no_numbers_and_a_reason() -> None:
    nothing = Recordings(np.empty(0, int), np.empty(0), np.empty((0, 12)), np.empty((0, 1)), ("a",), 4)
    found = error_costs(nothing, WORDS, "item")
    assert (found["rates"], found["kinds"], found["failed"]) == ([], [], 4)
    assert found["reason"] == "no recording with an error rate"


def test_no_system_with_transcripts_gives_a_reason() -> None:
    found = collect({"clean": [heard("q1", "sky", "sky", None)]}, {}, {"q1": "sky"}, MEASURE, WORDS)
    assert error_costs(found, WORDS, "item")["reason"] == "no system that searches with transcripts"
