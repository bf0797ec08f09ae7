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
_ROW = 8_000
_INT32_STEPS = 1 << 16
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
class Steps:
    """Whole numbers, shape (n,) within 16 bit, held as float64, with their sum and their sum of squares.

    Every sum is a whole number below 2**53 and so exact, in whatever order it is added: here BLAS may.
    """

    samples: Wide
    total: float
    squares: float

    @classmethod
    def of(cls, samples: Wide) -> Steps:
        """Take the sums of whole numbers."""
        return cls(samples, float(np.add.reduce(samples)), _whole_product(samples, samples))

    def difference(self, other: Steps) -> Moments:
        """Return the sums over what is in `self` and not in `other`."""
        squares = self.squares + other.squares - 2 * _whole_product(self.samples, other.samples)
        return Moments(len(self.samples), self.total - other.total, squares)


@dataclass(frozen=True, slots=True)
class Measured:
    """A sound less its mean, and its levels, full scale 1.0.

    `samples`, shape (n,), are `full_scale` times as large; none is larger than `bound`, full scale 1.0.
    `powers`: mean square of each 20 ms frame about its own mean, so that silence stays silence when a
    constant is added; the last frame is what is left. `deviation`: root mean square about the mean. Both are
    NaN where samples are not finite. `active_level_dbfs`: level over the frames within 40 dB of the loudest,
    -inf for silence; in the spirit of the active speech level of ITU-T P.56 (pauses do not count), but
    without its envelope and hangover. `pcm`: the steps with their mean, where 16-bit PCM was measured.
    """

    full_scale: float
    samples: Wide
    pcm: Steps | None
    bound: float
    mean: float
    powers: Wide
    deviation: float
    active_level_dbfs: float


def measure(samples: Signal | Pcm, sample_rate: int) -> Measured:
    """Measure `samples`, shape (n,), once for all that is mixed with them; int16 is taken as PCM."""
    is_pcm = samples.dtype == np.int16
    full_scale, count = float(PCM_FULL_SCALE) if is_pcm else 1.0, len(samples)
    frame, wide = _frame_length(sample_rate), samples.astype(np.float64)
    lengths = np.full(-(-count // frame), float(frame))
    if count % frame:
        lengths[-1] = count % frame
    sums, squares = _frame_sums(wide, frame), _frame_squares(wide, frame, is_pcm)
    total = float(sums.sum())
    pcm = Steps(wide, total, float(squares.sum())) if is_pcm else None
    mean = total / max(1, count)
    squares += lengths * mean**2 - 2 * mean * sums
    sums -= lengths * mean
    centred = np.subtract(wide, mean, out=None if pcm else wide)
    powers = np.maximum(squares / lengths - (sums / lengths) ** 2, 0.0) / full_scale**2
    active = powers >= powers.max(initial=0.0) * 10 ** (-ACTIVE_RANGE_DB / 10)
    whole, active_part = (
        Moments(*(float(each[chosen].sum()) for each in (lengths, sums, squares))).deviation / full_scale
        for chosen in (slice(None), active)
    )
    bound = (peak(samples) + abs(mean)) / full_scale if count else 0.0
    return Measured(full_scale, centred, pcm, bound, mean / full_scale, powers, whole, dbfs(active_part))


def _frame_sums(samples: Wide, frame: int) -> Wide:
    """Return the sum of each frame, shape (frames,); the last frame is what is left."""
    whole = len(samples) // frame * frame
    sums = np.empty(-(-len(samples) // frame))
    np.add.reduce(samples[:whole].reshape(-1, frame), axis=1, out=sums[: whole // frame])
    if whole < len(samples):
        sums[-1] = np.add.reduce(samples[whole:])
    return sums


def _frame_squares(samples: Wide, frame: int, are_whole_numbers: bool) -> Wide:
    """Return the sum of squares of each frame, shape (frames,)."""
    if not are_whole_numbers:
        return _frame_sums(np.multiply(samples, samples), frame)
    whole = len(samples) // frame * frame
    sums = np.empty(-(-len(samples) // frame))
    frames = samples[:whole].reshape(-1, 1, frame)
    sums[: whole // frame] = np.matmul(frames, frames.transpose(0, 2, 1))[:, 0, 0]
    if whole < len(samples):
        sums[-1] = samples[whole:].dot(samples[whole:])
    return sums


def _whole_product(left: Wide, right: Wide) -> float:
    """Return the sum of products of whole numbers, in rows too short for BLAS to start threads over them."""
    whole = len(left) // _ROW * _ROW
    rows = np.matmul(left[:whole].reshape(-1, 1, _ROW), right[:whole].reshape(-1, _ROW, 1))
    return float(np.add.reduce(rows, axis=None)) + float(left[whole:].dot(right[whole:]))


def blocks(samples: Signal | Pcm, size: int = BLOCK) -> Iterator[Wide]:
    """Yield float64 copies of at most `size` samples.

    The default fits the cache and stays under the 128 KiB from which malloc asks for fresh pages each time.
    """
    for start in range(0, len(samples), size):
        yield samples[start : start + size].astype(np.float64)


def moments(samples: Signal | Pcm) -> Moments:
    """Return the sums of all `samples`."""
    sums = Moments()
    for block in blocks(samples):
        sums.add(block)
    return sums


def mean_removed(samples: Signal | Pcm) -> Samples:
    """Return float32 samples less their mean; int16 is taken as PCM."""
    total, count, removed = 0.0, max(1, len(samples)), samples.astype(np.float32)
    if samples.dtype == np.int16:
        for start in range(0, len(samples), _INT32_STEPS):
            block = samples[start : start + _INT32_STEPS].astype(np.int32)
            total += int(np.add.reduce(block, dtype=np.int32)) / PCM_FULL_SCALE
        removed *= np.float32(1 / PCM_FULL_SCALE)
    else:
        for wide in blocks(samples):
            total += float(np.add.reduce(wide))
    removed -= np.float32(total / count)
    return removed


def rms(samples: Signal) -> float:
    """Root mean square, summed in float64; 0 of nothing."""
    return moments(samples).rms


def dbfs(amplitude: float) -> float:
    """Amplitude in decibels, full scale 1.0; -inf for 0."""
    return 20 * math.log10(amplitude) if amplitude else -math.inf


def level_dbfs(samples: Signal | Pcm) -> float:
    """RMS level in dBFS: 0 for a full-scale square wave, -3.01 for a sine, -inf for silence.

    int16 is taken as PCM, with the same result to the last bit.
    """
    if samples.dtype != np.int16:
        return dbfs(moments(samples).rms)
    wide = samples.astype(np.float64)
    return dbfs(Moments(len(wide), 0.0, _whole_product(wide, wide)).rms / PCM_FULL_SCALE)


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
