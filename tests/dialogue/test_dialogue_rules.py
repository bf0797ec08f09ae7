"""Each clause of the two rules of turn-taking, at its boundary."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr.dialogue.rules import (
    BACKCHANNEL,
    INTERRUPT,
    NOTHING,
    Pause,
    Progress,
    Setting,
    after,
    decide,
)
from squtr.errors import UserError

LONG = Pause(seconds=60.0, words=200, asks=False, first_turn=False)
FRESH = Progress()
shares = st.floats(0, 1)
pauses = st.builds(Pause, st.floats(0, 30), st.integers(0, 120), st.booleans(), st.booleans())
progresses = st.builds(Progress, st.booleans(), st.none() | st.integers(0, 120))


@pytest.mark.parametrize(
    ("b", "seconds"), [(0.3, 7.45), (0.5, 5.75), (0.6, 4.9), (0.7, 4.05), (1.0, 1.5), (0.001, 9.9915)]
)
def test_patience_is_ten_seconds_less_eight_and_a_half_b(b: float, seconds: float) -> None:
    assert Setting(b).patience_seconds == seconds
    assert decide(replace(LONG, seconds=seconds), FRESH, Setting(b)).kind == INTERRUPT
    assert decide(replace(LONG, seconds=seconds - 1e-4), FRESH, Setting(b)).kind == NOTHING


def test_seconds_added_up_in_floating_point_reach_the_patience_they_equal() -> None:
    seconds = sum([0.1] * 49)
    assert seconds < 4.9
    assert decide(replace(LONG, seconds=seconds), FRESH, Setting(b=0.6)).kind == INTERRUPT


def test_interruption_takes_twelve_words() -> None:
    assert decide(replace(LONG, words=12), FRESH, Setting(b=1)).kind == INTERRUPT
    assert decide(replace(LONG, words=11), FRESH, Setting(b=1)).kind == NOTHING


def test_a_turn_is_interrupted_once() -> None:
    progress = after(FRESH, LONG, decide(LONG, FRESH, Setting(b=1)))
    found = decide(LONG, progress, Setting(b=1))
    assert progress.interrupted
    assert found.kind == NOTHING
    assert [name for name, held in found.interrupt.items() if not held] == ["none_yet"]


def test_a_question_or_request_is_met_by_neither() -> None:
    found = decide(replace(LONG, asks=True), FRESH, Setting(1, 1))
    assert found.kind == NOTHING
    assert [name for name, held in found.interrupt.items() if not held] == ["no_question"]
    assert [name for name, held in found.backchannel.items() if not held] == ["no_question"]


def test_the_first_turn_may_be_interrupted_but_gets_no_backchannel() -> None:
    first = replace(LONG, first_turn=True)
    assert decide(first, FRESH, Setting(b=1)).kind == INTERRUPT
    found = decide(first, FRESH, Setting(g=1))
    assert found.kind == NOTHING
    assert [name for name, held in found.backchannel.items() if not held] == ["not_first_turn"]


@pytest.mark.parametrize("g", [0.001, 0.5, 1.0])
def test_the_first_backchannel_of_a_turn_takes_six_words_at_any_g(g: float) -> None:
    assert decide(replace(LONG, words=6), FRESH, Setting(g=g)).kind == BACKCHANNEL
    assert decide(replace(LONG, words=5), FRESH, Setting(g=g)).kind == NOTHING


@pytest.mark.parametrize(("g", "words"), [(0.3, 20), (0.5, 17), (0.6, 15), (1.0, 8), (0.001, 25)])
def test_later_backchannels_take_25_less_17_g_more_words(g: float, words: int) -> None:
    progress = after(FRESH, replace(LONG, words=10), decide(replace(LONG, words=10), FRESH, Setting(g=g)))
    assert progress == Progress(False, 10)
    assert decide(replace(LONG, words=10 + words), progress, Setting(g=g)).kind == BACKCHANNEL
    assert decide(replace(LONG, words=9 + words), progress, Setting(g=g)).kind == NOTHING


def test_a_backchannel_does_not_stop_an_interruption_later_in_the_turn() -> None:
    assert decide(LONG, Progress(False, 190), Setting(1, 1)).kind == INTERRUPT


@given(pauses, progresses)
def test_b_and_g_of_zero_do_nothing(pause: Pause, progress: Progress) -> None:
    found = decide(pause, progress, Setting(0, 0))
    assert found.kind == NOTHING
    assert not found.interrupt["on"]
    assert not found.backchannel["on"]
    assert after(progress, pause, found) == progress


@given(pauses, progresses, shares, shares)
def test_interruption_comes_first_and_returns_at_once(
    pause: Pause, progress: Progress, b: float, g: float
) -> None:
    alone, both = decide(pause, progress, Setting(b, 0)), decide(pause, progress, Setting(b, g))
    if alone.kind == INTERRUPT:
        assert both == alone
        assert both.backchannel == {}
    else:
        assert both.kind == decide(pause, progress, Setting(0, g)).kind
        assert both.backchannel


@given(pauses, progresses, shares, shares)
def test_what_a_lower_setting_does_a_higher_one_does_too(
    pause: Pause, progress: Progress, one: float, other: float
) -> None:
    low, high = sorted((one, other))
    if decide(pause, progress, Setting(b=low)).kind == INTERRUPT:
        assert decide(pause, progress, Setting(b=high)).kind == INTERRUPT
    if decide(pause, progress, Setting(g=low)).kind == BACKCHANNEL:
        assert decide(pause, progress, Setting(g=high)).kind == BACKCHANNEL


@pytest.mark.parametrize(
    ("b", "g", "named"), [(1.1, 0, "b is 1.1"), (0, -0.1, "g is -0.1"), (math.nan, 0, "b is nan")]
)
def test_a_setting_outside_0_to_1_is_refused(b: float, g: float, named: str) -> None:
    with pytest.raises(UserError, match=f"^{named}; it must be from 0 to 1"):
        Setting(b, g)
