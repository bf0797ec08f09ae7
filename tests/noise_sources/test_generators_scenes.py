"""The generators' numbers are what is heard: rates, pitches, places."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from squtr.noise_sources.generators import GENERATORS
from squtr.noise_sources.generators.events import join, place, random_times, regular_times, ring
from squtr.noise_sources.generators.spectra import SAMPLE_RATE
from squtr.noise_sources.generators.voices import SPEECH_RATE, TEXTS, draw_talker, draw_text


def rng(seed=1):
    return np.random.default_rng(seed)


def render(name, seconds=20, seed=1, **settings_of_layer):
    return GENERATORS[name](**settings_of_layer).render(rng(seed), seconds * SAMPLE_RATE)


def strongest_hertz(signal, low, high):
    power = np.abs(np.fft.rfft(signal * np.hanning(len(signal)))) ** 2
    hertz = np.fft.rfftfreq(len(signal), 1 / SAMPLE_RATE)
    inside = (hertz >= low) & (hertz < high)
    return hertz[inside][np.argmax(power[inside])]


def beat_hertz(signal, low, high):
    envelope = np.sqrt((signal[: len(signal) // 240 * 240] ** 2).reshape(-1, 240).mean(1))
    power = np.abs(np.fft.rfft((envelope - envelope.mean()) * np.hanning(len(envelope)))) ** 2
    hertz = np.fft.rfftfreq(len(envelope), 0.01)
    inside = (hertz >= low) & (hertz < high)
    return hertz[inside][np.argmax(power[inside])]


def share_above(signal, hertz):
    power = np.abs(np.fft.rfft(signal)) ** 2
    return power[int(hertz / (SAMPLE_RATE / 2) * len(power)) :].sum() / power.sum()


@given(
    seconds=st.floats(3, 60), per_minute=st.floats(0.2, 3000), gap=st.floats(0, 5), seed=st.integers(0, 50)
)
@settings(max_examples=60, deadline=None)
def test_random_times_have_an_event_and_keep_their_gap(seconds, per_minute, gap, seed):
    starts = random_times(rng(seed), seconds, per_minute, gap)
    assert len(starts) >= 1
    assert 0 <= starts[0] <= starts[-1] < seconds
    assert np.all(np.diff(starts) >= gap * (1 - 1e-9))


def test_random_times_have_their_rate_with_and_without_a_gap():
    for gap in (0.0, 0.5):
        counts = [len(random_times(rng(seed), 300, 60, gap)) for seed in range(20)]
        assert np.mean(counts) == pytest.approx(300, rel=0.05)


def test_regular_times_are_a_beat():
    starts = regular_times(rng(), 60, 2.0, 0.0)
    assert np.diff(starts) == pytest.approx(0.5)
    assert len(starts) == 120


@given(starts=st.lists(st.floats(0, 0.9999), max_size=6), length=st.integers(1, 60_000))
@settings(max_examples=40, deadline=None)
def test_place_stays_within_the_track(starts, length):
    track = place(rng(), SAMPLE_RATE, np.array(starts), [np.ones(length)], 0.0)
    assert track.shape == (SAMPLE_RATE,)
    assert track.sum() == sum(min(length, SAMPLE_RATE - int(start * SAMPLE_RATE)) for start in starts)


def test_join_lays_sounds_at_their_offsets():
    track = join((0.0, np.ones(10)), (0.001, np.ones(20)))
    assert len(track) == 44
    assert track.sum() == 30


def test_a_struck_body_rings_at_its_modes_and_fades():
    body = ring(rng(), np.array([500.0]), np.array([0.8]), np.array([1.0]))
    assert strongest_hertz(body, 50, 5000) == pytest.approx(500, abs=3)
    quarter = len(body) // 4
    assert np.abs(body[-quarter:]).max() < 0.05 * np.abs(body[:quarter]).max()


@pytest.mark.parametrize("pace", [1.2, 2.4])
def test_footsteps_keep_their_pace(pace):
    steps = render("footsteps", walkers=1, per_second=pace, pass_s=120.0)
    assert beat_hertz(steps, 0.7, 3.5) == pytest.approx(pace, rel=0.13)


def test_the_drum_turns_at_its_speed():
    assert beat_hertz(render("drum", turns_per_second=1.0), 0.4, 2.0) == pytest.approx(1.0, rel=0.3)


def test_the_clock_ticks_at_its_rate():
    assert beat_hertz(render("clock", per_second=4.0), 3, 5) == pytest.approx(4.0, abs=0.1)


@pytest.mark.parametrize("hertz", [100.0, 300.0])
def test_motors_hum_at_their_frequency(hertz):
    hum = render("motor", hertz=hertz, harmonic_db=12.0, air_db=-30.0)
    assert strongest_hertz(hum, 40, 1000) == pytest.approx(hertz, rel=0.06)


def test_a_bell_has_its_hum_an_octave_below():
    bell = render("bells", prime_hz=400.0)
    low = strongest_hertz(bell, 100, 290)
    assert strongest_hertz(bell, 1.9 * low, 2.1 * low) == pytest.approx(2 * low, rel=0.01)


def test_insects_sing_in_their_range():
    chorus = render("insects", low_tone_hz=4000.0, high_tone_hz=4100.0)
    assert 3950 < strongest_hertz(chorus, 1000, 5000) < 4150


def test_materials_differ_in_brightness():
    shares = [share_above(render("clatter", material=name), 2500) for name in ("trays", "plates", "cutlery")]
    assert shares[0] < shares[1] < shares[2]


def test_children_sound_higher_than_grown_ups():
    grown = render("calls", topic="children", seed=3)
    small = render("calls", topic="children", seed=3, speed=1.4, lowest_pitch=80, highest_pitch=99)
    assert share_above(small, 1500) > share_above(grown, 1500)


def test_diffuse_speech_is_smoother_than_speech():
    def movement(signal):
        power = (signal[: len(signal) // 480 * 480] ** 2).reshape(-1, 480).mean(1)
        return np.std(10 * np.log10(power + 1e-9 * power.mean()))

    assert movement(render("diffuse_speech", voices=1)) < 0.5 * movement(render("conversation", people=1))


def test_more_voices_make_a_steadier_babble():
    def unevenness(voices):
        power = (render("babble", voices=voices, near=1.0) ** 2).reshape(-1, 2400).mean(1)
        return power.std() / power.mean()

    assert unevenness(40) < 0.7 * unevenness(2)


def test_every_topic_is_said_by_every_kind_of_talker():
    for topic in TEXTS:
        languages = {draw_text(rng(seed), topic, 1).isascii() for seed in range(40)}
        assert languages == {True, False}
    talker = draw_talker(rng(), (20, 20), (160, 160))
    for text in ("Good morning.", "早上好。"):
        assert 0.3 < len(talker.say(text)) / SPEECH_RATE < 3
