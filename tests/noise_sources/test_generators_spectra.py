"""Shaped noise, levels and rooms do what their numbers say."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from squtr.noise_sources.generators.rooms import Room
from squtr.noise_sources.generators.spectra import (
    SAMPLE_RATE,
    band,
    coloured,
    cycles,
    decibels,
    edges,
    harmonics,
    swell,
    unit_active,
    unit_rms,
    wander,
)


def rng(seed=1):
    return np.random.default_rng(seed)


def level_db(signal, low, high):
    power = np.abs(np.fft.rfft(signal)) ** 2
    hertz = np.fft.rfftfreq(len(signal), 1 / SAMPLE_RATE)
    return 10 * np.log10(power[(hertz >= low) & (hertz < high)].mean())


def test_coloured_noise_follows_its_curve():
    noise = coloured(rng(), 20 * SAMPLE_RATE, ((100, 0), (1000, -20), (10_000, -20)))
    at = {hertz: level_db(noise, hertz * 0.95, hertz * 1.05) for hertz in (50, 100, 316, 1000, 5000)}
    assert at[100] - at[1000] == pytest.approx(20, abs=1)
    assert at[100] - at[316] == pytest.approx(10, abs=1)
    assert at[1000] == pytest.approx(at[5000], abs=1)
    assert at[50] == pytest.approx(at[100], abs=1.5)
    assert np.sqrt(np.mean(noise**2)) == pytest.approx(1)


@given(count=st.integers(1, 5000), seed=st.integers(0, 99))
@settings(max_examples=40, deadline=None)
def test_coloured_noise_has_any_length(count, seed):
    noise = coloured(rng(seed), count, ((100, 0), (1000, -20)))
    assert noise.shape == (count,)
    assert np.isfinite(noise).all()


@pytest.mark.parametrize("hertz", [0.5, 2.0, 8.0])
def test_wander_is_slow_and_of_unit_size(hertz):
    moves = np.stack([wander(rng(seed), 20 * SAMPLE_RATE, hertz)[::240] for seed in range(30)])
    assert moves.mean() == pytest.approx(0, abs=0.15)
    assert moves.std() == pytest.approx(1, abs=0.15)
    power = (np.abs(np.fft.rfft(moves * np.hanning(moves.shape[1]), axis=1)) ** 2).mean(0)
    rates = np.fft.rfftfreq(moves.shape[1], 0.01)
    assert power[rates > 2 * hertz].sum() < 0.02 * power.sum()


def test_swell_moves_by_its_depth():
    gain = 20 * np.log10(swell(rng(), 400 * SAMPLE_RATE, 1.0, 3.0)[::240])
    assert gain.std() == pytest.approx(3.0, abs=0.4)


@given(share=st.floats(0.02, 1.0))
@settings(max_examples=20, deadline=None)
def test_active_level_does_not_depend_on_how_rare_an_event_is(share):
    sound = rng().standard_normal(10 * SAMPLE_RATE)
    sound[int(share * len(sound)) :] = 0
    active = unit_active(sound)
    assert np.std(active[: int(share * len(sound))]) == pytest.approx(1, rel=0.2)


def test_silence_stays_silence():
    silence = np.zeros(SAMPLE_RATE)
    assert not unit_rms(silence).any()
    assert not unit_active(silence).any()
    assert not unit_active(np.zeros(3)).any()


def test_decibels_are_amplitude():
    assert decibels(20.0) == pytest.approx(10.0)
    assert decibels(np.array([-6.0206, 0.0])) == pytest.approx([0.5, 1.0])


def test_band_keeps_what_lies_between():
    white = rng().standard_normal(10 * SAMPLE_RATE)
    kept = band(white, 500, 2000)
    assert level_db(kept, 900, 1100) == pytest.approx(level_db(white, 900, 1100), abs=0.8)
    assert level_db(white, 60, 70) - level_db(kept, 60, 70) > 30
    assert level_db(white, 9000, 9500) - level_db(kept, 9000, 9500) > 25
    assert band(white, None, None) is white


def test_harmonics_have_the_frequencies_and_gains_asked_for():
    tone = harmonics(cycles(np.full(SAMPLE_RATE, 200.0)), [1.0, 0.0, 0.5], np.zeros(3))
    spectrum = np.abs(np.fft.rfft(tone)) / (SAMPLE_RATE / 2)
    assert spectrum[[200, 400, 600]] == pytest.approx([1.0, 0.0, 0.5], abs=0.002)


@given(count=st.integers(1, 3000), attack=st.floats(0, 0.2), release=st.floats(0, 0.2))
@settings(max_examples=60, deadline=None)
def test_edges_start_at_nothing_and_end_at_nothing(count, attack, release):
    faded = edges(np.ones(count), attack, release)
    assert faded[0] == pytest.approx(0, abs=1e-9)
    assert faded[-1] == pytest.approx(0, abs=1e-9)
    assert faded.max() <= 1


@pytest.mark.parametrize("seconds", [0.5, 1.5, 3.0])
def test_a_room_decays_by_60_db_in_its_time(seconds):
    clap = np.zeros(6 * SAMPLE_RATE)
    clap[SAMPLE_RATE] = 1.0
    room = Room(seconds=seconds, pre_delay_s=0.05, high_hz=6000.0)
    tail = room.tail_of(rng(), clap)
    start = SAMPLE_RATE + int(0.05 * SAMPLE_RATE)
    assert np.abs(tail[SAMPLE_RATE : start - 1]).max() < 1e-9 * np.abs(tail).max()
    frames = tail[start : start + int(seconds * SAMPLE_RATE) // 480 * 480].reshape(-1, 480)
    levels = 10 * np.log10(np.mean(frames**2, axis=1))
    slope = np.polyfit(np.arange(len(levels)) * 0.02, levels, 1)[0]
    assert -60 / slope == pytest.approx(seconds, rel=0.15)


def test_wet_level_is_the_level_of_the_tail():
    dry = rng().standard_normal(5 * SAMPLE_RATE)
    for wet_db in (-10.0, 6.0):
        wet = Room(seconds=1.0, wet_db=wet_db).around(rng(2), dry) - dry
        assert 20 * np.log10(wet.std() / dry.std()) == pytest.approx(wet_db, abs=0.1)


def test_a_recording_starts_in_a_room_that_sounds_already():
    dry = rng().standard_normal(5 * SAMPLE_RATE)
    tail = Room(seconds=2.0).tail_of(rng(2), dry)
    assert tail[:2400].std() > 0.3 * tail.std()
