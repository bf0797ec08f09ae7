from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from wav_builder import hiss, loudest_frequency, tone

from squtr.audio import level_dbfs
from squtr.draw import draw
from squtr.mixing import mix
from squtr.noise_sources.segment import Segment, cut_segment
from squtr.records import Waveform

RATES = st.sampled_from([8000, 11025, 16000, 19980, 24000, 44056, 44100, 48000])


def cut(samples: Any, rate: int, count: int, to: int = 8000, item: str = "q1") -> Segment:
    return cut_segment(Waveform(samples, rate), count, to, draw(7, "noise", item), "cafe_03")


@settings(deadline=None, max_examples=60)
@given(rate=RATES, to=RATES, count=st.integers(1000, 9000), available=st.integers(12_000, 20_000))
def test_the_length_is_exact_at_any_pair_of_rates(rate: int, to: int, count: int, available: int) -> None:
    segment = cut(hiss(available), rate, count, to)
    assert segment.samples.shape == (count,)
    assert segment.samples.dtype == np.float32
    assert abs(segment.samples.mean(dtype=np.float64)) < 1e-8
    assert segment.rms_dbfs == pytest.approx(level_dbfs(segment.samples), abs=1e-6) and segment.rms_dbfs < -17
    assert level_dbfs(segment.samples[:100]) > -40 and level_dbfs(segment.samples[-100:]) > -40


def test_c06_the_recordings_own_rate_is_used() -> None:
    segment = cut(tone(1000, 8000, 3.0), 8000, 24000, to=24000)
    assert loudest_frequency(segment.samples, 24000) == pytest.approx(1000, abs=2)
    assert 0 <= segment.crop_start_seconds <= 2.0


def test_the_crop_is_where_it_says() -> None:
    recording = hiss(80_000)
    segment = cut(recording, 8000, 8000)
    start = round(segment.crop_start_seconds * 8000)
    expected = recording[start : start + 8000]
    assert segment.samples == pytest.approx(expected - expected.mean(), abs=1e-7)
    assert (segment.loops, segment.redraws) == (0, 0)


def test_the_draw_alone_decides_and_reaches_every_place() -> None:
    recording = hiss(8003)
    first, again = cut(recording, 8000, 8000), cut(recording, 8000, 8000)
    assert (first.samples == again.samples).all()
    starts = {round(cut(recording, 8000, 8000, item=f"q{n}").crop_start_seconds * 8000) for n in range(60)}
    assert starts == {0, 1, 2, 3}


def test_a_recording_of_the_very_length_is_not_looped() -> None:
    segment = cut(hiss(24000), 24000, 8000)
    assert (segment.loops, segment.crop_start_seconds) == (0, 0.0)


def test_only_the_needed_stretch_is_read_at_its_own_rate() -> None:
    asked: list[int] = []

    class Mapped:
        dtype = np.dtype(np.float32)

        def __len__(self) -> int:
            return 10_000_000_000

        def __getitem__(self, place: slice) -> np.ndarray:
            asked.append(place.stop - place.start)
            return hiss(place.stop - place.start)

    assert len(cut(Mapped(), 48000, 8000).samples) == 8000
    assert asked == [48000]


def test_mapped_int16_is_taken_as_pcm(tmp_path: Path) -> None:
    pcm = np.round(hiss(40_000) * 32768).astype(np.int16)
    pcm.tofile(tmp_path / "noise.pcm")
    mapped = np.memmap(tmp_path / "noise.pcm", dtype=np.int16, mode="r")
    expected = cut(pcm.astype(np.float32) / 32768, 16000, 8000)
    assert (cut(mapped, 16000, 8000).samples == expected.samples).all()


def test_short_noise_is_looped_to_the_end_without_padding() -> None:
    segment = cut(hiss(8000), 8000, 24_000)
    assert segment.loops in (3, 4)
    assert len(segment.samples) == 24_000
    frames = segment.samples.reshape(-1, 400)
    assert np.sqrt((frames**2).mean(axis=1)).min() > 0.07
    assert (segment.samples[:7600] == segment.samples[7600:15200]).all()


def test_equal_power_cross_fade_keeps_the_level_at_the_seam() -> None:
    faded = []
    for seed in range(100):
        segment = cut(hiss(2000, seed=seed), 8000, 8000)
        place = (np.arange(8000) + round(segment.crop_start_seconds * 8000)) % 1600
        faded.append(segment.samples[place < 400])
    assert level_dbfs(np.concatenate(faded)) == pytest.approx(-20, abs=0.15)


def test_seams_do_not_click() -> None:
    recording = tone(100, 8000, 0.305)
    steepest = np.abs(np.diff(recording)).max()
    offset = tone(100, 8000, 0.3025)[:-1]
    tiled = np.abs(np.diff(np.tile(offset, 5))).max()
    assert tiled > 5 * steepest
    for piece in (recording, offset):
        assert np.abs(np.diff(cut(piece, 8000, 24_000).samples)).max() < 1.6 * steepest


def test_c31_a_constant_leaves_no_bump_at_the_seams() -> None:
    segment = cut(hiss(8000, level=0.01) + np.float32(0.5), 8000, 24_000)
    assert np.abs(segment.samples).max() < 0.06
    assert segment.rms_dbfs == pytest.approx(-40, abs=0.5)


def test_levels_are_measured_after_looping() -> None:
    uneven = np.concatenate([hiss(4000, 0.2), hiss(5000, 0.02)])
    segment = cut(uneven, 8000, 12_000)
    assert segment.rms_dbfs == pytest.approx(level_dbfs(segment.samples), abs=1e-6)
    assert abs(segment.rms_dbfs - level_dbfs(uneven)) > 0.1
    mixed = mix(tone(300, 8000, 1.5), segment.samples, 10, sample_rate=8000)
    assert mixed.realised_snr_db_before_quantisation == pytest.approx(10, abs=1e-9)
