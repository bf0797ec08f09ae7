from __future__ import annotations

import numpy as np
import pytest
from wav_builder import hiss, square

from squtr.audio import level_dbfs
from squtr.draw import draw
from squtr.errors import UserError
from squtr.noise_sources.segment import DRAWS, Segment, cut_segment
from squtr.records import Waveform


def cut(samples: np.ndarray, count: int, item: str = "q1") -> Segment:
    return cut_segment(Waveform(samples, 8000), count, 8000, draw(7, "noise", item), "cafe_03")


def zeros(count: int) -> np.ndarray:
    return np.zeros(count, dtype=np.float32)


def test_c29_a_silent_noise_fails_and_is_named() -> None:
    with pytest.raises(UserError, match="cafe_03: the noise is silent in 16 crops"):
        cut(zeros(80_000), 8000)
    with pytest.raises(UserError, match="cafe_03"):
        cut(zeros(4000), 8000)


def test_c29_b_silent_crops_are_drawn_again_and_every_result_is_noise() -> None:
    recording = np.concatenate([zeros(40_000), hiss(40_000)])
    segments = [cut(recording, 8000, f"q{n}") for n in range(40)]
    assert max(segment.redraws for segment in segments) > 0
    assert min(segment.redraws for segment in segments) == 0
    for n, segment in enumerate(segments):
        assert segment.rms_dbfs > -30
        assert (cut(recording, 8000, f"q{n}").samples == segment.samples).all()


def test_c29_b_sound_outside_the_crops_does_not_count() -> None:
    recording = zeros(8_000_000)
    recording[-8:] = 0.5
    with pytest.raises(UserError, match="silent"):
        cut(recording, 8000)


def test_c29_d_the_floor_is_minus_80_dbfs() -> None:
    for amplitude in (1e-9, 0.99e-4):
        with pytest.raises(UserError, match="the floor is -80"):
            cut(square(amplitude, 10, 8000), 8000)
    assert level_dbfs(cut(square(1.01e-4, 10, 8000), 8000).samples) > -80


@pytest.mark.parametrize("rest", [0.0, 1e-5, 5e-4])
def test_a_crop_more_than_half_silent_in_one_stretch_is_refused(rest: float) -> None:
    quiet = hiss(8000, level=rest, seed=1)
    with pytest.raises(UserError, match="silent"):
        cut(np.concatenate([hiss(3800), quiet[:4200]]), 8000)
    assert cut(np.concatenate([hiss(4200), quiet[:3800]]), 8000).redraws == 0


def test_pauses_that_add_up_to_more_than_half_are_no_silence() -> None:
    bursts = np.concatenate([np.concatenate([hiss(800, seed=n), zeros(1200)]) for n in range(4)])
    assert cut(bursts, 8000).redraws == 0


def test_noise_30_db_under_its_bursts_is_no_silence() -> None:
    assert cut(np.concatenate([hiss(2000, 0.3), hiss(6000, 0.01)]), 8000).redraws == 0


def test_the_number_of_draws_is_limited() -> None:
    class Counting:
        calls = 0

        def integers(self, high: int) -> int:
            self.calls += 1
            return 0

    rng = Counting()
    with pytest.raises(UserError):
        cut_segment(Waveform(zeros(80_000), 8000), 8000, 8000, rng)  # type: ignore[arg-type]
    assert rng.calls == DRAWS == 16


def test_noise_that_is_not_finite_is_named() -> None:
    recording = hiss(8000)
    recording[4000] = np.nan
    with pytest.raises(UserError, match="cafe_03: the noise holds NaN"):
        cut(recording, 8000)


@pytest.mark.parametrize("count", [0, 1, 1599])
def test_a_recording_too_short_to_loop_is_refused(count: int) -> None:
    with pytest.raises(UserError, match=r"cafe_03: .* too little"):
        cut(hiss(count), 8000)


def test_the_shortest_loop_and_a_segment_shorter_than_it() -> None:
    assert cut(hiss(1600), 8000).loops >= 6
    assert cut(hiss(1200), 1000).loops == 0


def test_nothing_asked_is_an_error() -> None:
    with pytest.raises(ValueError, match="positive"):
        cut(hiss(8000), 0)
