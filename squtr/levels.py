"""Level: sums, decibels, 20 ms frames, active speech; float64, in an order that no processor changes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from squtr.records import Pcm, Samples

Signal = npt.NDArray[np.floating[Any]]
Wide = npt.NDArray[np.float64]

PCM_FULL_SCALE = 32768
BLOCK = 16_000
SILENCE_FLOOR_DBFS = -80.0
FRAME_SECONDS = 0.02
ACTIVE_RANGE_DB = 40.0


class Moments:
    """Sums over float64 blocks, added in an order that no processor changes (so never by BLAS)."""

    def __init__(self, count: float = 0, total: float = 0.0, squares: float = 0.0) -> None:
        self.count = count
        self.total = total
        self.squares = squares

    def add(self, block: Wide) -> None:
        """Take in one block, shape (n,); it holds the squares afterwards."""
        self.count += len(block)
        self.total += float(np.add.reduce(block))
        self.squares += float(np.add.reduce(np.multiply(block, block, out=block)))

    @property
    def mean(self) -> float:
        """The mean; 0 of nothing."""
        return self.total / max(1, self.count)

    @property
    def rms(self) -> float:
        """Root mean square; 0 of nothing."""
        return math.sqrt(self.squares / max(1, self.count))

    @property
    def deviation(self) -> float:
        """Root mean square about the mean; NaN if any sample is not finite."""
        variance = self.squares / max(1, self.count) - self.mean**2
        return 0.0 if variance < 0 else math.sqrt(variance)


@dataclass(frozen=True, slots=True)
class Measured:
    """A sound less its mean, and its levels, full scale 1.0.

    `blocks` are float64 samples, `full_scale` times as large, together `count`; none is larger than `bound`,
    full scale 1.0. `powers`: mean square of each
    20 ms frame about its own mean, so that silence stays silence when a constant is added; the last frame is
    what is left. `deviation`: root mean square about the mean. Both are NaN where samples are not finite.
    `active_level_dbfs`: level over the frames within 40 dB of the loudest, -inf for silence; in the spirit of
    the active speech level of ITU-T P.56 (pauses do not count), but without its envelope and hangover.
    """

    count: int
    full_scale: float
    blocks: tuple[Wide, ...]
    bound: float
    mean: float
    powers: Wide
    deviation: float
    active_level_dbfs: float


def measure(samples: Signal | Pcm, sample_rate: int) -> Measured:
    """Measure `samples`, shape (n,), once for all that is mixed with them; int16 is taken as PCM."""
    full_scale = float(PCM_FULL_SCALE) if samples.dtype == np.int16 else 1.0
    frame = _frame_length(sample_rate)
    parts = tuple(blocks(samples, frame * max(1, BLOCK // frame)))
    lengths = np.full(-(-len(samples) // frame), float(frame))
    if len(samples) % frame:
        lengths[-1] = len(samples) % frame
    sums, squares = np.concatenate([np.zeros((2, 0)), *(_frame_sums(part, frame) for part in parts)], axis=1)
    mean = float(sums.sum()) / max(1, len(samples))
    squares += lengths * mean**2 - 2 * mean * sums
    sums -= lengths * mean
    for part in parts:
        part -= mean
    powers = np.maximum(squares / lengths - (sums / lengths) ** 2, 0.0) / full_scale**2
    active = powers >= powers.max(initial=0.0) * 10 ** (-ACTIVE_RANGE_DB / 10)
    whole, active_part = (
        Moments(*(float(each[chosen].sum()) for each in (lengths, sums, squares))).deviation / full_scale
        for chosen in (slice(None), active)
    )
    bound = (peak(samples) + abs(mean)) / full_scale if len(samples) else 0.0
    mean /= full_scale
    return Measured(len(samples), full_scale, parts, bound, mean, powers, whole, dbfs(active_part))


def _frame_sums(block: Wide, frame: int) -> Wide:
    """Return sums and sums of squares of each frame, shape (2, frames)."""
    whole = len(block) // frame * frame
    sums = np.empty((2, -(-len(block) // frame)))
    for row, values in zip(sums, (block, np.multiply(block, block)), strict=True):
        np.add.reduce(values[:whole].reshape(-1, frame), axis=1, out=row[: whole // frame])
        if whole < len(block):
            row[-1] = np.add.reduce(values[whole:])
    return sums


def blocks(samples: Signal | Pcm, size: int = BLOCK) -> Iterator[Wide]:
    """Yield float64 copies of at most `size` samples.

    The default fits the cache and stays under the 128 KiB from which malloc asks for fresh pages each time.
    """
    for start in range(0, len(samples), size):
        yield samples[start : start + size].astype(np.float64)


def moments(samples: Signal) -> Moments:
    """Return the sums of all `samples`."""
    sums = Moments()
    for block in blocks(samples):
        sums.add(block)
    return sums


def mean_removed(samples: Samples) -> Samples:
    """Return samples less their mean."""
    total = 0.0
    for block in blocks(samples):
        total += float(np.add.reduce(block))
    removed: Samples = samples - np.float32(total / max(1, len(samples)))
    return removed


def rms(samples: Signal) -> float:
    """Root mean square, summed in float64; 0 of nothing."""
    return moments(samples).rms


def dbfs(amplitude: float) -> float:
    """Amplitude in decibels, full scale 1.0; -inf for 0."""
    return 20 * math.log10(amplitude) if amplitude else -math.inf


def level_dbfs(samples: Signal) -> float:
    """RMS level in dBFS: 0 for a full-scale square wave, -3.01 for a sine, -inf for silence."""
    return dbfs(rms(samples))


def peak(samples: Signal | Pcm) -> float:
    """The largest absolute sample; NaN if any is NaN."""
    return max(float(np.maximum.reduce(samples)), -float(np.minimum.reduce(samples)))


def frame_powers(samples: Signal, sample_rate: int) -> Wide:
    """Mean square of each 20 ms frame about its own mean, shape (frames,); the last frame is what is left."""
    return measure(samples, sample_rate).powers


def active_level_dbfs(samples: Signal, sample_rate: int) -> float:
    """Level in dBFS over the active frames, see `Measured.active_level_dbfs`."""
    return measure(samples, sample_rate).active_level_dbfs


def active_span(samples: Signal, sample_rate: int) -> tuple[int, int]:
    """Return (first, end) so that samples[first:end] runs from the first to the last active 20 ms frame.

    Active: within 40 dB of the loudest frame and not below the silence floor of -80 dBFS. (0, 0) for silence.
    """
    powers = frame_powers(samples, sample_rate)
    floor = 10 ** (SILENCE_FLOOR_DBFS / 10)
    active = np.flatnonzero(powers >= max(floor, powers.max(initial=0.0) * 10 ** (-ACTIVE_RANGE_DB / 10)))
    if not len(active):
        return 0, 0
    frame = _frame_length(sample_rate)
    return int(active[0]) * frame, min((int(active[-1]) + 1) * frame, len(samples))


def _frame_length(sample_rate: int) -> int:
    return max(1, round(FRAME_SECONDS * sample_rate))
