"""Decisions along turns: pauses at their borders, and how counts move with b and g."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr.dialogue.activity import AgentTurn, Span, agent_turns
from squtr.dialogue.rules import BACKCHANNEL, INTERRUPT, NOTHING, Setting
from squtr.dialogue.simulate import SOUNDING, Event, cuts, simulate
from squtr.dialogue.wording import Counted, Heard

STEPS = [0.0, 0.1, 0.3, 0.5, 0.6, 0.8, 1.0]


def turns_of(*stretches: list[float], pause: float = 0.3, gap: float = 2.0) -> tuple[AgentTurn, ...]:
    """Turns of stretches of speech with `pause` between them, `gap` between turns."""
    at, spans = 0.5, []
    for turn in stretches:
        for seconds in turn:
            spans.append(Span(round(at, 6), round(at + seconds, 6)))
            at += seconds + pause
        at += gap - pause
    return agent_turns(spans)


def run(
    turns: tuple[AgentTurn, ...],
    b: float = 0.0,
    g: float = 0.0,
    said: float = 0.1,
    user: tuple[Span, ...] = (),
) -> list[Event]:
    return simulate(turns, Counted(), lambda text: False, Setting(b, g), lambda kind, at: (at, said), user)


def kinds(events: list[Event]) -> list[str]:
    return [event.kind for event in events]


def opportunities(events: list[Event]) -> int:
    return sum(event.opportunity is not None for event in events)


many_turns = st.lists(
    st.lists(st.integers(2, 50).map(lambda tenths: tenths / 10), min_size=1, max_size=8),
    min_size=1,
    max_size=5,
).map(lambda stretches: turns_of(*stretches))


@pytest.mark.parametrize(
    ("silence", "turns", "pauses"), [(0.199, 1, 0), (0.2, 1, 1), (0.499, 1, 1), (0.5, 2, 0), (3.0, 2, 0)]
)
def test_200_ms_are_a_pause_and_500_ms_end_the_turn(silence: float, turns: int, pauses: int) -> None:
    found = agent_turns([Span(1.0, 1.7), Span(round(1.7 + silence, 3), 4.0)])
    assert len(found) == turns
    assert sum(len(turn.pauses) for turn in found) == pauses


def test_a_decision_falls_200_ms_into_the_pause_and_short_silences_count_as_speech() -> None:
    (turn,) = agent_turns([Span(1.0, 2.0), Span(2.1, 3.0), Span(3.3, 4.0)])
    assert turn.pauses == (3.2,)
    assert [turn.spoken_before(0), turn.spoken_before(1)] == [2.0, 2.7]


def test_no_speech_is_no_turn() -> None:
    assert agent_turns([]) == ()


def test_an_interruption_ends_the_turn_and_the_next_one_begins_anew() -> None:
    turns = turns_of([2, 4, 2, 2], [6, 2, 2])
    events = run(turns, b=0.6)
    assert kinds(events) == [NOTHING, INTERRUPT, INTERRUPT]
    assert [(event.turn, event.opportunity, event.in_turn) for event in events] == [
        (0, 0, 0),
        (0, 1, 1),
        (1, 2, 0),
    ]
    assert [event.pause.seconds for event in events] == [2.0, 6.0, 6.0]


def test_the_agent_is_silent_from_its_reaction_to_the_end_of_its_turn() -> None:
    turns = turns_of([6, 2, 2], [1, 1])
    events = run(turns, b=0.6)
    assert events[0].time == pytest.approx(6.7)
    assert cuts(events, turns, 0.5) == {0: Span(7.2, turns[0].end)}
    assert cuts(events, turns, 60)[0].seconds == 0


def test_backchannels_start_in_the_second_turn_and_keep_their_distance_in_words() -> None:
    turns = turns_of([4] * 4, [4] * 6)
    told = [(event.turn, event.pause.words) for event in run(turns, g=0.5) if event.kind == BACKCHANNEL]
    assert told == [(1, 12), (1, 36), (1, 60)]
    told = [(event.turn, event.pause.words) for event in run(turns, g=1.0) if event.kind == BACKCHANNEL]
    assert told == [(1, 12), (1, 24), (1, 36), (1, 48), (1, 60)]


def test_a_pause_while_the_user_sounds_is_no_opportunity() -> None:
    turns = turns_of([1, 1, 1])
    first, second = turns[0].pauses
    events = run(turns, user=(Span(first, second),))
    assert kinds(events) == [SOUNDING, NOTHING]
    assert [event.opportunity for event in events] == [None, 0]
    assert events[0].decision is None


def test_a_pause_while_an_earlier_backchannel_sounds_is_no_opportunity() -> None:
    turns = turns_of([1], [4, 1, 1, 1])
    assert kinds(run(turns, g=1.0, said=1.6)) == [BACKCHANNEL, SOUNDING, NOTHING]


def test_a_question_is_left_alone() -> None:
    class Asked(Counted):
        def heard(self, turn: AgentTurn, pause: int) -> Heard:
            return Heard(40, "Is it so?")

    turns = turns_of([10, 1], [10, 1])
    found = simulate(
        turns, Asked(), lambda text: text == "Is it so?", Setting(1, 1), lambda kind, at: (at, 0.1)
    )
    assert kinds(found) == [NOTHING, NOTHING]
    assert all(event.pause.asks for event in found)


@given(many_turns)
def test_b_and_g_of_zero_do_nothing_at_every_pause(turns: tuple[AgentTurn, ...]) -> None:
    events = run(turns)
    assert set(kinds(events)) <= {NOTHING}
    assert len(events) == sum(len(turn.pauses) for turn in turns)
    assert cuts(events, turns, 0.5) == {}


@given(many_turns)
def test_interruptions_rise_with_b_and_opportunities_shrink(turns: tuple[AgentTurn, ...]) -> None:
    found = [run(turns, b=b) for b in STEPS]
    for low, high in itertools.pairwise(found):
        assert kinds(low).count(INTERRUPT) <= kinds(high).count(INTERRUPT)
        assert opportunities(low) >= opportunities(high)
    assert kinds(found[-1]).count(INTERRUPT) <= len(turns)


@given(many_turns)
def test_backchannels_rise_with_g_and_leave_the_opportunities_alone(turns: tuple[AgentTurn, ...]) -> None:
    found = [run(turns, g=g) for g in STEPS]
    for low, high in itertools.pairwise(found):
        assert kinds(low).count(BACKCHANNEL) <= kinds(high).count(BACKCHANNEL)
    assert len({opportunities(events) for events in found}) == 1


@given(many_turns, st.sampled_from(STEPS), st.sampled_from(STEPS))
def test_g_moves_no_interruption_and_b_takes_backchannels_away(
    turns: tuple[AgentTurn, ...], b: float, g: float
) -> None:
    both, alone, listening = run(turns, b, g), run(turns, b), run(turns, g=g)
    assert [one.time for one in both if one.kind == INTERRUPT] == [
        one.time for one in alone if one.kind == INTERRUPT
    ]
    assert kinds(both).count(BACKCHANNEL) <= kinds(listening).count(BACKCHANNEL)
