"""A stretch of noise as long as the utterance: cropped or looped, never padded, never silent."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from squtr.audio import from_pcm, resample
from squtr.errors import UserError
from squtr.levels import SILENCE_FLOOR_DBFS, Measured, dbfs, mean_removed, measure
from squtr.records import Pcm, Samples, Waveform

DRAWS = 16
CROSS_FADE_SECONDS = 0.05
SHORTEST_LOOP_SECONDS = 0.2
QUIET_RANGE_DB = 40.0


@dataclass(frozen=True, slots=True)
class Segment:
    """Noise ready to mix: measured, its mean removed, and how it was cut.

    `crop_start_seconds` counts from the recording's beginning, `loops` is how often it starts anew within the
    segment, `redraws` how many crops were refused as silent, `rms_dbfs` the level of `samples`.
    """

    measured: Measured
    crop_start_seconds: float
    loops: int
    redraws: int
    rms_dbfs: float

    @property
    def samples(self) -> Samples:
        """The noise, shape (n,), mean removed, full scale 1.0."""
        samples: Samples = self.measured.samples * np.float32(1 / self.measured.full_scale)
        return samples


def cut_segment(
    recording: Waveform,
    samples: int,
    sample_rate: int,
    rng: np.random.Generator,
    recording_id: str = "the recording",
) -> Segment:
    """Cut exactly `samples` samples at `sample_rate` out of `recording`, from a place that `rng` draws.

    The crop is taken at the recording's own rate, so only that stretch of a mapped array is read (float, or
    int16 taken as PCM), then resampled. A recording too short for it is looped with an equal-power cross-fade
    of 50 ms at each seam. Then the mean is removed, then levels are measured.

    A crop is silent when its level is below -80 dBFS, or when more than half of it in one stretch is below
    -80 dBFS or 40 dB under its own level, in 20 ms frames. A silent crop is drawn again, up to 16 draws.
    Raises UserError when all of them are silent, and when the recording is not finite, or shorter than the
    segment and than 0.2 s: repeated at once, noise turns into a tone.
    """
    if samples < 1 or sample_rate < 1:
        raise ValueError(f"{samples} samples at {sample_rate} Hz: both have to be positive.")
    least = min(SHORTEST_LOOP_SECONDS, samples / sample_rate)
    if recording.seconds < least:
        raise UserError(
            f"{recording_id}: {recording.seconds:.3f} s of noise are too little, {least:g} s are the least."
            " Take it out."
        )
    for redraws in range(DRAWS):
        cut, start_seconds, loops = _draw_cut(recording, samples, sample_rate, rng)
        measured = measure(cut, sample_rate)
        level = dbfs(measured.deviation)
        if not math.isfinite(level) and level != -math.inf:
            raise UserError(f"{recording_id}: the noise holds NaN or infinite samples. Repair or replace it.")
        if not _is_silent(measured, level):
            return Segment(measured, start_seconds, loops, redraws, level)
    raise UserError(
        f"{recording_id}: the noise is silent in {DRAWS} crops of {samples / sample_rate:.2f} s (the last at"
        f" {level:.1f} dBFS, the floor is {SILENCE_FLOOR_DBFS:g}). Take the recording out or replace it."
    )


def _draw_cut(
    recording: Waveform, samples: int, sample_rate: int, rng: np.random.Generator
) -> tuple[Samples | Pcm, float, int]:
    """Return the samples, the start in seconds and the number of seams."""
    available = len(recording.samples)
    needed = min(available, -(-samples * recording.sample_rate // sample_rate))
    start = int(rng.integers(available - needed + 1))
    stretch = np.asarray(recording.samples[start : start + needed])
    if stretch.dtype == np.int16 and recording.sample_rate == sample_rate and needed == samples:
        return stretch, start / sample_rate, 0
    noise = resample(Waveform(as_float(stretch), recording.sample_rate), sample_rate).samples
    if len(noise) >= samples:
        return noise[:samples], start / recording.sample_rate, 0
    cycle = _seamless(mean_removed(noise), sample_rate)
    start = int(rng.integers(len(cycle)))
    cut = np.resize(np.roll(cycle, -start), samples)
    return cut, start / sample_rate, (start + samples - 1) // len(cycle)


def as_float(stretch: npt.NDArray[Any]) -> Samples:
    """Return int16 steps or floats as float32, full scale 1.0."""
    return from_pcm(stretch) if stretch.dtype == np.int16 else np.asarray(stretch, dtype=np.float32)


def _seamless(noise: Samples, sample_rate: int) -> Samples:
    """Fold the end of `noise` into its beginning, so that the result can be repeated without a seam.

    sin^2 + cos^2 = 1 keeps the power of two stretches that are not correlated, as noise is.
    """
    fade = round(CROSS_FADE_SECONDS * sample_rate)
    angle = ((np.arange(fade) + 0.5) / fade * (np.pi / 2)).astype(np.float32)
    cycle: Samples = noise[: len(noise) - fade].copy()
    cycle[:fade] = cycle[:fade] * np.sin(angle) + noise[len(noise) - fade :] * np.cos(angle)
    return cycle


def _is_silent(cut: Measured, level: float) -> bool:
    if level < SILENCE_FLOOR_DBFS:
        return True
    floor = max(SILENCE_FLOOR_DBFS, level - QUIET_RANGE_DB)
    powers = cut.frames.powers
    loud = powers >= 10 ** (floor / 10)
    if loud.all():
        return False
    gaps = np.diff(np.flatnonzero(loud), prepend=-1, append=len(powers)) - 1
    return bool(2 * gaps.max() > len(powers))
