from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sounds import RATE, hiss, lag, level_db, speech, tone

from squtr.acoustics.telephone import Telephone, TelephoneLine
from squtr.draw import draw

MU, A = TelephoneLine("mu"), TelephoneLine("a")


def passed_db(hertz: float, line: TelephoneLine = MU) -> float:
    """Return by how much the line changes a tone, away from its ends."""
    said = tone(hertz)
    heard, _ = line.apply(said, RATE)
    return level_db(heard[4000:-4000]) - level_db(said[4000:-4000])


@pytest.mark.parametrize("hertz", [50, 100, 150, 3900, 5000, 8000])
def test_outside_the_band_nothing_comes_through(hertz: float) -> None:
    assert passed_db(hertz) < -20


@pytest.mark.parametrize("hertz", [400, 1000, 2000, 3200])
def test_inside_the_band_everything_does(hertz: float) -> None:
    assert passed_db(hertz) == pytest.approx(0, abs=0.3)


@pytest.mark.parametrize("hertz", [300, 3400])
def test_the_band_ends_at_half_the_amplitude(hertz: float) -> None:
    assert passed_db(hertz) == pytest.approx(-6, abs=0.3)


@pytest.mark.parametrize("line", [MU, A])
@pytest.mark.parametrize("amplitude", [0.5, 0.05])
def test_the_codec_is_as_good_as_8_bits_can_be_loud_or_quiet(line: TelephoneLine, amplitude: float) -> None:
    said = tone(1013, amplitude=amplitude)
    heard, realised = line.apply(said, RATE)
    rest = heard - realised["line_gain"] * line.band(said, RATE)
    assert 33 < level_db(heard) - level_db(rest) < 43


def test_the_two_laws_differ() -> None:
    said = speech()
    assert not np.array_equal(MU.apply(said, RATE)[0], A.apply(said, RATE)[0])


@settings(deadline=None, max_examples=25)
@given(
    rate=st.sampled_from([8000, 11025, 16000, 19980, 22050, 24000, 44056, 44100, 48000]),
    count=st.integers(4000, 20_000),
)
def test_length_and_time_are_kept_at_any_rate(rate: int, count: int) -> None:
    said = hiss(count / rate, rate)
    heard, _ = MU.apply(said, rate)
    assert heard.shape == said.shape
    assert lag(heard, said) == 0


def test_the_end_is_not_silenced() -> None:
    said = hiss(1.0)
    heard, _ = MU.apply(said, RATE)
    assert level_db(heard[-240:]) > level_db(heard) - 6
    assert heard[-1] != 0


def test_the_band_alone_is_linear() -> None:
    one, other = speech(seed=1), hiss(3.0)
    both = MU.band(one + other, RATE)
    assert both == pytest.approx(MU.band(one, RATE) + MU.band(other, RATE), abs=1e-6)


@pytest.mark.parametrize("scale", [1.0, 3.0])
def test_the_line_never_passes_full_scale(scale: float) -> None:
    loud = np.sign(tone(500)) * np.float32(scale)
    heard, realised = MU.apply(loud, RATE)
    assert np.abs(heard).max() <= 0.99 + 1e-6
    assert realised["line_gain"] < 1
    assert level_db(heard) == pytest.approx(level_db(MU.band(loud, RATE) * realised["line_gain"]), abs=0.1)


def test_settings_and_draw() -> None:
    assert Telephone().draw(draw(0, "telephone", "")) == MU
    assert Telephone(law="a").draw(draw(0, "telephone", "")) == A
    with pytest.raises(ValueError, match="'mu' or 'a'"):
        Telephone(law="alaw")  # type: ignore[arg-type]
