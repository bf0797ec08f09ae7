"""What a finished recording holds, whatever was done to it."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sounds import RATE, hiss, level_db, noise, speech

from squtr.acoustics.condition import Acoustics, Condition
from squtr.acoustics.render import Noise, Rendered, render, speech_part
from squtr.audio import from_pcm
from squtr.draw import draw
from squtr.errors import ItemFailure, UserError
from squtr.levels import active_level_dbfs, dbfs
from squtr.mixing import mix, realised_snr_db
from squtr.noise_sources.segment import cut_segment
from squtr.records import Waveform

pytest.importorskip("pyroomacoustics", reason="rooms need squtr[rooms]")

SPEECH = speech(2.0)
FIRST, SECOND = noise("first", seed=1), noise("second", 0.9, seed=2)
OPERATORS: dict[str, dict[str, Any]] = {
    "room": {"rt60_seconds": (0.15, 0.3), "rooms": 4},
    "bursts": {"duty": (0.2, 0.6)},
    "second_noise": {"relative_db": (-12.0, 3.0)},
    "telephone": {"law": "a"},
}


def rendered(names: Any, snr_db: float = 5.0, seed: int = 1, said: np.ndarray = SPEECH) -> Rendered:
    acoustics = Acoustics(**{name: OPERATORS[name] for name in names})
    return render(said, RATE, snr_db, FIRST, seed, acoustics, SECOND)


def rest(found: Rendered, said: np.ndarray = SPEECH) -> np.ndarray:
    """Return what is not speech in a finished recording."""
    part = speech_part(said, RATE, found.acoustics).astype(np.float64)
    return from_pcm(found.pcm) - found.common_gain * (part - part.mean())


CHOICES = st.sets(st.sampled_from(sorted(OPERATORS))).map(sorted)


@settings(deadline=None, max_examples=60)
@given(names=CHOICES, snr_db=st.floats(-10, 30), seed=st.integers(0, 500), level=st.floats(-32, -14))
def test_the_ratio_is_what_was_asked_whatever_operators(
    names: list[str], snr_db: float, seed: int, level: float
) -> None:
    said = speech(1.5, level_db=level, seed=seed)
    found = rendered(names, snr_db, seed, said)
    assert abs(found.mixed.realised_snr_db_before_quantisation - snr_db) < 1e-9
    assert abs(found.mixed.realised_snr_db - snr_db) < 0.05
    part = speech_part(said, RATE, found.acoustics)
    measured = realised_snr_db(part, from_pcm(found.pcm), found.common_gain)
    if "telephone" in names:
        assert measured == pytest.approx(found.acoustics["telephone"]["line_snr_db"], abs=1e-4)
    else:
        assert abs(measured - snr_db) < 0.01
        assert measured == pytest.approx(found.facts["realised_snr_db"], abs=1e-5)


@settings(deadline=None, max_examples=40)
@given(names=CHOICES, snr_db=st.floats(-10, 20), seed=st.integers(0, 500))
def test_nothing_passes_the_ceiling_and_the_same_draw_gives_the_same_bytes(
    names: list[str], snr_db: float, seed: int
) -> None:
    said = speech(1.0, level_db=-9, seed=seed)
    found, again = (rendered(names, snr_db, seed, said) for _ in range(2))
    assert np.abs(found.pcm.astype(int)).max() == round(found.peak * 32768) <= 32440 + 1
    assert found.pcm.tobytes() == again.pcm.tobytes()
    assert found.facts == again.facts and found.acoustics == again.acoustics
    json.dumps([found.facts, found.acoustics], allow_nan=False)


@pytest.mark.parametrize("names", [[], ["room"], ["second_noise"], ["telephone"], ["room", "telephone"]])
def test_there_is_no_clean_tail(names: list[str]) -> None:
    left = rest(rendered(names, 0.0))
    assert len(left) == len(SPEECH)
    for end in (left[:480], left[-480:], left[-48:]):
        assert level_db(end) > level_db(left) - 12


def test_without_operators_it_is_the_plain_mix() -> None:
    found = render(SPEECH, RATE, 10, FIRST, 7)
    segment = cut_segment(FIRST.recording, len(SPEECH), RATE, draw(7, "crop", "first"))
    plain = mix(SPEECH, segment.measured, 10, sample_rate=RATE)
    assert (found.pcm == plain.pcm).all()
    assert found.acoustics == {}
    assert found.facts["noise_gain"] == plain.noise_gain


def test_the_noise_of_an_utterance_is_the_same_under_every_condition() -> None:
    crops = {rendered(names).facts["crop_start_seconds"] for names in ([], ["room"], ["bursts", "telephone"])}
    assert len(crops) == 1
    assert rendered([], seed=2).facts["crop_start_seconds"] not in crops


def test_noise_comes_in_the_bursts_that_the_record_names() -> None:
    found = rendered(["bursts"], 0.0)
    left, inside = rest(found), np.zeros(len(SPEECH), dtype=bool)
    for start, end in found.acoustics["bursts"]["bursts"]:
        inside[round((start - 0.006) * RATE) : round((end + 0.006) * RATE)] = True
    assert level_db(left[~inside]) < -90
    assert found.acoustics["bursts"]["in_burst_snr_db"] < 0


def test_the_line_comes_last_and_takes_noise_outside_its_band_away() -> None:
    found = rendered(["telephone"], 0.0)
    spectrum = np.abs(np.fft.rfft(from_pcm(found.pcm))) ** 2
    hertz = np.fft.rfftfreq(len(found.pcm), 1 / RATE)
    assert spectrum[(hertz > 4100) | (hertz < 150)].sum() < 1e-3 * spectrum.sum()
    assert found.acoustics["telephone"]["line_snr_db"] != pytest.approx(0, abs=0.2)


def test_bursts_are_drawn_again_until_noise_is_heard() -> None:
    uneven = hiss(8.0)
    uneven[4 * RATE :] *= 1e-4
    uneven = np.concatenate([uneven[3 * RATE : 4 * RATE], uneven[4 * RATE : 5 * RATE]])
    found = [
        render(SPEECH, RATE, 0, Noise("half", Waveform(uneven, RATE)), seed, Acoustics(bursts={"duty": 0.05}))
        for seed in range(40)
    ]
    assert max(one.acoustics["bursts"]["redraws"] for one in found) > 0
    assert all(abs(one.mixed.realised_snr_db) < 0.05 for one in found)


def test_silent_noise_is_never_mixed() -> None:
    silent = Noise("nothing", Waveform(np.zeros(4 * RATE, dtype=np.float32), RATE))
    for names in ([], ["bursts"], ["second_noise"]):
        with pytest.raises(UserError, match="silent"):
            render(SPEECH, RATE, 0, silent, 1, Acoustics(**{n: OPERATORS[n] for n in names}), SECOND)
    with pytest.raises(UserError, match="nothing: the noise is silent"):
        render(SPEECH, RATE, 0, FIRST, 1, Acoustics(second_noise={}), silent)


@pytest.mark.parametrize("names", [[], ["room"], ["telephone"]])
def test_silent_speech_is_a_failure_of_the_item(names: list[str]) -> None:
    with pytest.raises(ItemFailure, match="speech is silent"):
        rendered(names, said=np.zeros(RATE, dtype=np.float32))


def test_speech_below_the_telephone_band_is_a_failure_of_the_item() -> None:
    low = (0.003 * np.sin(2 * np.pi * 20 * np.arange(2 * RATE) / RATE)).astype(np.float32)
    with pytest.raises(ItemFailure, match="speech is silent"):
        rendered(["telephone"], said=low)


def test_the_second_noise_has_to_be_given() -> None:
    with pytest.raises(ValueError, match="second noise"):
        render(SPEECH, RATE, 0, FIRST, 1, Acoustics(second_noise={}))


def test_the_active_level_stands_beside() -> None:
    found = rendered([], 10.0)
    active = active_level_dbfs(SPEECH, RATE) - found.mixed.noise_rms_dbfs - dbfs(found.mixed.noise_gain)
    assert found.facts["active_snr_db"] == pytest.approx(active, abs=1e-4)


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"name": "clean", "telephone": {}}, "plain condition"),
        ({"name": "snr_5", "telephone": {}}, "plain condition"),
        ({"name": "Room 1", "telephone": {}}, "pattern"),
        ({"name": "../up", "telephone": {}}, "pattern"),
        ({"name": "nothing"}, "plain noise belongs in snrs_db"),
        ({"name": "phone", "telephone": {}, "snr_db": 61}, "less than or equal to 60"),
        ({"name": "phone", "telephone": {"laws": "mu"}}, "Extra inputs"),
    ],
)
def test_conditions_that_make_no_sense(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Condition(**{"snr_db": 5.0, **wrong})


def test_one_recording_twice_is_cut_in_two_places() -> None:
    found = render(SPEECH, RATE, 0, FIRST, 1, Acoustics(second_noise={}), FIRST)
    starts = {found.facts["crop_start_seconds"], found.acoustics["second_noise"]["crop_start_seconds"]}
    assert len(starts) == 2
