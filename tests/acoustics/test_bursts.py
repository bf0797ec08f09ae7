from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sounds import RATE, hiss, level_db, speech

from squtr.acoustics.bursts import BurstPattern, Bursts
from squtr.draw import draw


def drawn(seconds: float, seed: int = 0, **changes: object) -> BurstPattern:
    return Bursts(**changes).draw(draw(seed, "bursts", ""), seconds)  # type: ignore[arg-type]


@settings(deadline=None, max_examples=80)
@given(
    seconds=st.floats(0.3, 20),
    duty=st.tuples(st.floats(0.05, 0.95), st.floats(0.05, 0.95)).map(sorted).map(tuple),
    seed=st.integers(0, 10_000),
)
def test_the_duty_cycle_is_realised(seconds: float, duty: tuple[float, float], seed: int) -> None:
    pattern = drawn(seconds, seed, duty=duty)
    count = round(seconds * RATE)
    inside = pattern.inside(count, RATE)
    assert duty[0] - 1e-4 <= pattern.duty <= duty[1] + 1e-4
    assert abs(inside.mean() - pattern.duty) <= (len(pattern.bursts) + 1) / count
    _, realised = pattern.apply(hiss(seconds)[:count], RATE)
    assert realised["realised_duty"] == pytest.approx(inside.mean(), abs=1e-6)


@settings(deadline=None, max_examples=40)
@given(seconds=st.floats(0.3, 10), seed=st.integers(0, 10_000))
def test_bursts_follow_one_another_within_the_utterance(seconds: float, seed: int) -> None:
    edges = np.array(drawn(seconds, seed).bursts).ravel()
    assert (np.diff(edges) >= -1e-6).all()
    assert edges[0] >= -1e-6 and edges[-1] <= seconds + 1e-6


def test_bursts_of_a_long_utterance_are_as_long_as_asked() -> None:
    lengths = np.diff(drawn(60, burst_seconds=(0.2, 0.4)).bursts, axis=1)
    assert 60 < len(lengths) < 110
    assert lengths.min() > 0.17 and lengths.max() < 0.47
    assert lengths.std() > 0.03


def test_noise_is_untouched_inside_and_gone_outside() -> None:
    noise = hiss(2.0)
    pattern = BurstPattern(0.25, ((0.5, 0.75), (1.0, 1.25)))
    bursts, _ = pattern.apply(noise, RATE)
    for start, end in pattern.bursts:
        core = slice(round((start + 0.006) * RATE), round((end - 0.006) * RATE))
        assert (bursts[core] == noise[core]).all()
    for start, end in ((0, 0.494), (0.756, 0.994), (1.256, 2)):
        assert not bursts[round(start * RATE) : round(end * RATE)].any()


def test_edges_fade_and_do_not_click() -> None:
    gated, _ = BurstPattern(0.5, ((0.5, 1.0),)).apply(np.ones(2 * RATE, dtype=np.float32), RATE)
    assert np.abs(np.diff(gated)).max() < 0.01
    assert gated[RATE // 2 - 1 : RATE // 2 + 1] == pytest.approx([0.5, 0.5], abs=0.02)


def test_bursts_that_touch_do_not_add_up() -> None:
    gated, _ = BurstPattern(0.5, ((0.5, 0.75), (0.75, 1.0))).apply(np.ones(2 * RATE, dtype=np.float32), RATE)
    assert gated.max() == 1.0


@pytest.mark.parametrize("duty", [0.1, 0.4, 0.8])
def test_inside_bursts_the_ratio_is_lower_by_the_duty_cycle(duty: float) -> None:
    """For speech and noise that are steady: power in a share of the time is 1 / duty of the mean power."""
    voice, noise = hiss(20, seed=5), hiss(20, seed=6)
    pattern = drawn(20, duty=(duty, duty))
    gated, _ = pattern.apply(noise, RATE)
    gain = voice.std() / gated.std()
    assert pattern.snr_db(voice, gated, gain, RATE) == pytest.approx(10 * np.log10(duty), abs=0.4)


def test_silent_speech_inside_bursts_has_no_ratio() -> None:
    voice = speech(2.0)
    voice[RATE:] = 0
    pattern = BurstPattern(0.25, ((1.2, 1.7),))
    assert pattern.snr_db(voice, hiss(2.0), 1.0, RATE) is None


def test_one_draw_one_pattern() -> None:
    assert drawn(5, 1) == drawn(5, 1) != drawn(5, 2)
    assert level_db(drawn(5, 1).apply(hiss(5), RATE)[0]) < level_db(hiss(5)) - 2


@pytest.mark.parametrize(
    "wrong",
    [{"duty": 0}, {"duty": 1.0}, {"duty": (0.6, 0.3)}, {"burst_seconds": 0.01}, {"duty": "half"}, {"gap": 1}],
)
def test_settings_that_make_no_sense(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError):
        Bursts(**wrong)  # type: ignore[arg-type]
