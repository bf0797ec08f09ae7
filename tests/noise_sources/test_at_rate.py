"""A recording at the rate of the speech: made once, mapped from then on."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import soxr

from squtr.audio import from_pcm, to_pcm
from squtr.errors import UserError
from squtr.noise_sources.at_rate import recording_at_rate
from squtr.noise_sources.segment import as_float, cut_segment
from squtr.records import NoiseRecording, Waveform


class One:
    """A source of one recording that counts how often it is read."""

    fingerprint = "one"

    def __init__(self, samples: np.ndarray, rate: int, cache: Path) -> None:
        self.waveform, self.cache, self.reads = Waveform(samples, rate), cache, 0

    def recordings(self) -> list[NoiseRecording]:
        return [NoiseRecording("one", "hum", False)]

    def read(self, recording_id: str) -> Waveform:
        self.reads += 1
        return self.waveform


def hum(seconds: float, rate: int, height: float = 0.5) -> np.ndarray:
    times = np.arange(int(seconds * rate)) / rate
    return to_pcm((height * np.sin(2 * np.pi * 440 * times)).astype(np.float32))


def test_it_is_resampled_once_and_mapped(tmp_path: Path) -> None:
    pcm = hum(12, 48_000)
    source = One(pcm, 48_000, tmp_path / "new")
    first, again = (recording_at_rate(source, "one", 24_000) for _ in range(2))
    assert source.reads == 1 and isinstance(again.samples, np.memmap) and first.sample_rate == 24_000
    whole = soxr.resample(from_pcm(pcm), 48_000, 24_000, quality="VHQ")
    assert (first.samples == to_pcm(whole)).all() and (again.samples == first.samples).all()
    assert len(list((tmp_path / "new").iterdir())) == 1


def test_each_rate_is_a_recording_of_its_own(tmp_path: Path) -> None:
    source = One(hum(1, 48_000), 48_000, tmp_path)
    lengths = [len(recording_at_rate(source, "one", rate).samples) for rate in (16_000, 22_050, 24_000)]
    assert lengths == [16_000, 22_050, 24_000]


def test_what_is_mapped_at_that_rate_stays_where_it_is(tmp_path: Path) -> None:
    np.save(tmp_path / "own.npy", hum(1, 24_000))
    own = np.load(tmp_path / "own.npy", mmap_mode="r")
    found = recording_at_rate(One(own, 24_000, tmp_path / "cache"), "one", 24_000)
    assert found.samples is own and not (tmp_path / "cache").exists()


def test_what_is_mapped_at_another_rate_is_resampled(tmp_path: Path) -> None:
    np.save(tmp_path / "own.npy", hum(1, 48_000))
    own = np.load(tmp_path / "own.npy", mmap_mode="r")
    found = recording_at_rate(One(own, 48_000, tmp_path / "cache"), "one", 24_000)
    whole = soxr.resample(from_pcm(hum(1, 48_000)), 48_000, 24_000, quality="VHQ")
    assert (found.samples == to_pcm(whole)).all()


def test_what_was_rendered_is_kept_to_the_last_bit(tmp_path: Path) -> None:
    floats = from_pcm(hum(1, 24_000))
    found = recording_at_rate(One(floats, 24_000, tmp_path), "one", 24_000)
    assert found.samples.dtype == np.int16 and (as_float(found.samples) == floats).all()


def test_what_passes_full_scale_is_kept_as_floats(tmp_path: Path) -> None:
    loud = np.sign(from_pcm(hum(1, 48_000)))
    found = recording_at_rate(One(loud, 48_000, tmp_path), "one", 24_000)
    assert found.samples.dtype == np.float32 and np.abs(found.samples).max() > 1
    assert len(list(tmp_path.iterdir())) == 1


def test_a_broken_copy_is_made_anew(tmp_path: Path) -> None:
    source = One(hum(1, 48_000), 48_000, tmp_path)
    right = np.array(recording_at_rate(source, "one", 24_000).samples)
    (kept,) = tmp_path.iterdir()
    kept.write_bytes(kept.read_bytes()[:100])
    assert (recording_at_rate(source, "one", 24_000).samples == right).all() and source.reads == 2


def test_nan_reaches_the_check_of_the_crop(tmp_path: Path) -> None:
    spoiled = from_pcm(hum(1, 24_000)).copy()
    spoiled[7_000:] = np.nan
    found = recording_at_rate(One(spoiled, 24_000, tmp_path), "one", 24_000)
    with pytest.raises(UserError, match="NaN or infinite"):
        cut_segment(found, 24_000, 24_000, np.random.default_rng(1))


def test_a_cache_that_cannot_be_written_is_named(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(UserError, match=r"file: noise cannot be kept there .* SQUTR_NOISE_CACHE"):
        recording_at_rate(One(hum(1, 48_000), 48_000, tmp_path / "file"), "one", 24_000)
