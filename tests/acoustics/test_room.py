from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sounds import RATE, hiss, lag, level_db, speech

from squtr.acoustics.response import response
from squtr.acoustics.room import WALL_METRES, Place, Room
from squtr.digest import to_plain
from squtr.draw import draw
from squtr.errors import ItemFailure, UserError

pra = pytest.importorskip("pyroomacoustics", reason="rooms need squtr[rooms]")

SMALL = Room(rt60_seconds=(0.15, 0.4))


def place(seed: int = 0, room: Room = SMALL) -> Place:
    return room.draw(draw(seed, "room", ""))


@pytest.mark.parametrize("seed", range(6))
def test_the_direct_sound_is_on_time_and_the_level_is_kept(seed: int) -> None:
    said = speech(2.0, seed=seed)
    heard, _ = place(seed).apply(said, RATE)
    assert heard.shape == said.shape and heard.dtype == np.float32
    assert level_db(heard) == pytest.approx(level_db(said), abs=1e-5)
    assert abs(float(heard.mean(dtype=np.float64))) < 1e-8


@pytest.mark.parametrize("seed", range(4))
def test_the_first_sound_heard_is_the_first_said(seed: int) -> None:
    click = np.zeros(RATE, dtype=np.float32)
    click[6000] = 0.5
    heard, _ = place(seed).apply(click, RATE)
    onset = int(np.flatnonzero(np.abs(heard - heard[:100].mean()) > 0.3 * np.abs(heard).max())[0])
    assert abs(onset - 6000) <= 1


def test_near_the_talker_speech_is_not_delayed() -> None:
    near = place(1, Room(rt60_seconds=0.2, distance_metres=0.5))
    said = hiss(2.0)
    assert lag(near.apply(said, RATE)[0], said) == 0


@pytest.mark.parametrize("asked", [0.2, 0.4, 0.6])
def test_the_reverberation_time_is_measured_and_near_what_was_asked(asked: float) -> None:
    """Sabine's formula and the image sources of a shoebox agree no better than this."""
    one = place(3, Room(rt60_seconds=asked))
    found = one.response(16_000)
    assert 0.75 * asked < found.rt60_seconds < 1.6 * asked
    theirs = pra.experimental.measure_rt60(found.samples[found.delay :], fs=16_000, decay_db=30)
    assert found.rt60_seconds == pytest.approx(theirs, rel=0.1)
    assert one.apply(speech(1.0, 16_000), 16_000)[1]["realised_rt60_seconds"] == pytest.approx(
        found.rt60_seconds, abs=1e-4
    )


def test_farther_away_there_is_less_direct_sound() -> None:
    ratios = []
    for distance in (0.5, 1.0, 2.0):
        places = [place(seed, Room(rt60_seconds=0.4, distance_metres=distance)) for seed in range(4)]
        assert all(abs(one.distance_metres - distance) < 0.003 for one in places)
        ratios.append(np.mean([one.response(8000).drr_db for one in places]))
    assert ratios[0] > ratios[1] + 2 > ratios[2] + 4


def test_the_same_place_is_the_same_response_on_any_number_of_threads() -> None:
    before = place(5).response(RATE)
    response.cache_clear()
    threads = pra.constants.get("num_threads")
    pra.constants.set("num_threads", 3)
    try:
        again = place(5).response(RATE)
        assert pra.constants.get("num_threads") == 3
    finally:
        pra.constants.set("num_threads", threads)
    assert again is not before
    assert (again.samples == before.samples).all()


def test_a_manifest_brings_the_room_back() -> None:
    one = place(2)
    told = json.loads(json.dumps(to_plain(one)))
    assert Place.of(told | {"drr_db": 3}) == one


def test_rooms_are_numbered_and_come_again() -> None:
    few = Room(rooms=5)
    places = {(one.room, one) for one in (place(seed, few) for seed in range(60))}
    assert len(places) == 5
    assert {number for number, _ in places} == set(range(5))
    assert len({place(seed).dimensions_metres for seed in range(40)}) > 25


SIDES = st.tuples(st.floats(3.5, 9), st.floats(0, 4)).map(lambda pair: (pair[0], sum(pair)))


@settings(deadline=None, max_examples=60)
@given(length=SIDES, width=SIDES, near=st.floats(0.1, 1), far=st.floats(0, 1.5), seed=st.integers(0, 999))
def test_nobody_stands_in_a_wall(
    length: tuple[float, float], width: tuple[float, float], near: float, far: float, seed: int
) -> None:
    room = Room(
        length_metres=length, width_metres=width, distance_metres=(near, near + far), rt60_seconds=(0.4, 0.5)
    )
    one = place(seed, room)
    for point in (one.talker_metres, one.microphone_metres):
        for value, side in zip(point, one.dimensions_metres, strict=True):
            assert WALL_METRES - 0.002 <= value <= side - WALL_METRES + 0.002
    assert near - 0.003 <= one.distance_metres <= near + far + 0.003
    assert length[0] - 1e-3 <= one.dimensions_metres[0] <= length[1] + 1e-3


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"rt60_seconds": 0.1}, "reverberates for 0.1. s at least"),
        ({"rt60_seconds": (0.3, 2.0)}, "million reflections"),
        ({"rt60_seconds": 9}, "between 0.05 and 5"),
        ({"distance_metres": (0.5, 2.1)}, "walls of the smallest room"),
        ({"distance_metres": 0.01}, "at least 0.1 m"),
        ({"height_metres": (0.5, 2)}, "between 1.5 and 50"),
        ({"length_metres": (6, 4)}, "from the lowest to the highest"),
        ({"rooms": 0}, "greater than or equal to 1"),
        ({"size": 3}, "Extra inputs"),
    ],
)
def test_rooms_that_cannot_be(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Room(**wrong)  # type: ignore[arg-type]


@pytest.mark.parametrize("constant", [0.0, 0.2])
def test_silent_speech_is_a_failure_of_the_item(constant: float) -> None:
    with pytest.raises(ItemFailure, match="speech is silent"):
        place(0).apply(np.full(8000, constant, dtype=np.float32), 8000)


def test_a_missing_package_is_named_with_its_cure(monkeypatch: pytest.MonkeyPatch) -> None:
    response.cache_clear()
    monkeypatch.setitem(sys.modules, "pyroomacoustics", None)
    with pytest.raises(UserError, match=r"pip install 'squtr\[rooms\]'"):
        place(0).response(8000)
