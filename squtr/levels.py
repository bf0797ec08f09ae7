"""Level: sums, decibels, 20 ms frames, active speech; float64, in an order that no processor changes."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from squtr.records import Samples

Signal = npt.NDArray[np.floating[Any]]
Wide = npt.NDArray[np.float64]

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
        """Take in one block, shape (n,)."""
        self.count += len(block)
        self.total += float(np.add.reduce(block))
        self.squares += float(np.add.reduce(np.multiply(block, block)))

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
    """Samples, shape (n,), and what one pass over their 20 ms frames tells; the last frame is what is left.

    `powers`: mean square of each frame about its own mean, so that silence stays silence when a constant is
    added. `lengths`, `sums`, `squares`: of each frame. All of shape (frames,).
    """

    samples: Signal
    powers: Wide
    lengths: Wide
    sums: Wide
    squares: Wide

    @property
    def moments(self) -> Moments:
        """The sums of all samples."""
        return self._moments(self.powers >= 0)

    @property
    def active_level_dbfs(self) -> float:
        """Level in dBFS, mean removed, over the frames within 40 dB of the loudest; -inf for silence.

        In the spirit of the active speech level of ITU-T P.56 (pauses do not count), but not P.56: there is
        no envelope filter, no hangover, no 15.9 dB margin.
        """
        active = self.powers >= self.powers.max(initial=0.0) * 10 ** (-ACTIVE_RANGE_DB / 10)
        return dbfs(self._moments(active).deviation)

    def _moments(self, chosen: npt.NDArray[np.bool_]) -> Moments:
        if not np.isfinite(self.powers).all():
            return Moments(len(self.samples), math.nan, math.nan)
        return Moments(*(float(each[chosen].sum()) for each in (self.lengths, self.sums, self.squares)))


def measure(samples: Signal, sample_rate: int) -> Measured:
    """Measure `samples`, shape (n,), frame by frame."""
    frame = _frame_length(sample_rate)
    parts = [np.zeros((2, 0))]
    for block in blocks(samples, frame * max(1, BLOCK // frame)):
        parts.append(_frame_sums(block, frame))
    sums, squares = np.concatenate(parts, axis=1)
    lengths = np.full(len(sums), float(frame))
    if len(samples) % frame:
        lengths[-1] = len(samples) % frame
    powers = np.maximum(squares / lengths - (sums / lengths) ** 2, 0.0)
    return Measured(samples, powers, lengths, sums, squares)


def _frame_sums(block: Wide, frame: int) -> Wide:
    """Return sums and sums of squares of each frame, shape (2, frames); overwrites `block`."""
    whole = len(block) // frame * frame
    sums = np.empty((2, -(-len(block) // frame)))
    for row in sums:
        np.add.reduce(block[:whole].reshape(-1, frame), axis=1, out=row[: whole // frame])
        if whole < len(block):
            row[-1] = np.add.reduce(block[whole:])
        np.multiply(block, block, out=block)
    return sums


def blocks(samples: Signal, size: int = BLOCK) -> Iterator[Wide]:
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


def peak(samples: Signal) -> float:
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
