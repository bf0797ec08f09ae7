"""The audit's measures by hand, its intervals, and Kendall's tau-b against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import kendalltau

from squtr.channels.audit import Turn, audit
from squtr.channels.estimate import Estimate, grouped, tau_b, trend, wilson

TURNS = [
    Turn("um, the- the fee is, uh, high", "a", "1", "high", "the fee is high"),
    Turn("all good", "a", "2", "high", "all good"),
    Turn("I um, see", "b", "3", "high", "I see"),
    Turn("?!", "b", "4", "high", "?!"),
]


def test_measures_by_hand() -> None:
    (found,) = audit(TURNS, "en").settings
    assert (found.turns, found.groups, found.words, found.without_words, found.with_source) == (
        4,
        2,
        12,
        1,
        4,
    )
    assert (found.fillers, found.repetitions) == (3, 1)
    value = {name: one.value for name, one in found.measures.items()}
    assert value["fillers_per_1000_words"] == 250
    assert value["repetitions_per_1000_words"] == pytest.approx(1000 / 12)
    assert value["first_word_share_of_fillers"] == pytest.approx(1 / 3)
    assert value["share_of_turns_with_any"] == 0.5
    assert value["variance_to_mean"] == pytest.approx(2)  # counts 3, 0, 1, 0
    assert value["token_survival"] == value["token_survival_in_order"] == 1
    assert value["edits_per_word"] == pytest.approx(4 / 8)
    assert value["edits_per_character"] == pytest.approx((4 + 5 + 5 + 4) / 30)
    assert value["typos_per_letter"] == pytest.approx(18 / 23)


def test_the_source_is_audited_beside_what_was_made_of_it() -> None:
    found = audit([Turn("x", "a", "1", "", "um, the the"), Turn("y", "b", "2")], "en")
    assert found.source is not None
    assert (found.source.turns, found.source.fillers, found.source.repetitions) == (1, 1, 1)
    assert audit([Turn("x", "a", "1")], "en").source is None


def test_what_cannot_be_told_is_undefined_with_a_reason() -> None:
    found = audit([Turn("", "a", "1"), Turn("", "a", "2")], "en")
    measures = found.settings[0].measures
    assert measures["fillers_per_1000_words"] == Estimate(None, reason="nothing to divide by")
    assert measures["variance_to_mean"].value is None and measures["token_survival"].value is None
    assert measures["share_of_turns_with_any"] == Estimate(0.0, reason="one group gives no interval")
    assert found.tau_b.value is None and found.equal_at_all.reason == "one setting"


def test_settings_are_ordered_and_compared() -> None:
    at = {"10": "um, um, go on", "2": "um, go on", "0": "go on"}
    turns = [Turn(text, str(number), str(number), name) for name, text in at.items() for number in range(5)]
    turns += [Turn("same", "x", "x", name) for name in at]
    found = audit(turns, "en")
    assert [one.setting for one in found.settings] == ["0", "2", "10"]
    assert found.tau_b.value == pytest.approx((90 - 5) / (108 * 105) ** 0.5) and found.tau_b_p < 1e-3
    assert found.tau_b.low <= found.tau_b.value <= found.tau_b.high
    assert found.equal_at_all.value == pytest.approx(1 / 6)
    words = [Turn("a", "g", "1", name) for name in ("often", "at times")]
    assert [one.setting for one in audit(words, "en").settings] == ["often", "at times"]
    twice = audit([*words, words[0]], "en").equal_at_all
    assert twice == Estimate(None, reason="an id stands twice at one setting")


@settings(deadline=None)
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 4)), min_size=2, max_size=40))
def test_tau_b_of_a_table_is_that_of_scipy(pairs: list[tuple[int, int]]) -> None:
    table = np.zeros((4, 5))
    np.add.at(table, tuple(np.array(pairs).T), 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        ours = float(tau_b(table))
    assert ours == pytest.approx(kendalltau(*zip(*pairs, strict=True)).statistic, nan_ok=True)


def test_intervals_are_seeded_and_resample_whole_groups() -> None:
    values = np.array([0.2, 0.2, 0.7, 0.7] * 10)
    columns = {"any": values, "turns": np.ones(40)}

    def share(groups: list[str], seed: int = 0) -> Estimate:
        return grouped(columns, groups, seed).estimate(lambda sums: sums["any"] / sums["turns"])

    alone, two = share([f"{n}" for n in range(40)]), share([f"{n // 2}" for n in range(40)])
    assert (alone.value, two.value) == pytest.approx((0.45, 0.45))
    assert two.high - two.low > 1.2 * (alone.high - alone.low)  # a group holds equal values: half the sample
    assert (
        share([f"{n}" for n in range(37)] + ["0", "1", "2"], 1).low
        != share([f"{n}" for n in range(37)] + ["0", "1", "2"], 2).low
    )
    assert alone == share([f"{n}" for n in range(40)])
    spread = 1.96 * 0.25 / 40**0.5
    assert (alone.low, alone.high) == pytest.approx((0.45 - spread, 0.45 + spread), abs=0.015)


def test_wilson_by_hand() -> None:
    found = wilson(3, 100)
    assert (found.value, found.low, found.high) == pytest.approx((0.03, 0.0102546, 0.0845194), abs=1e-6)
    assert wilson(0, 0).value is None


def test_a_trend_needs_two_settings_and_two_counts() -> None:
    assert trend([0, 0], [1, 2], ["a", "b"], 0, 100)[0].value is None
    assert trend([0, 1], [1, 1], ["a", "b"], 0, 100)[0].value is None
    estimate, p = trend([0, 1, 0, 1], [0, 1, 0, 1], ["a", "a", "b", "b"], 0, 100)
    assert estimate.value == estimate.low == estimate.high == 1 and p is not None
