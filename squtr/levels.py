"""Level: sums, decibels, 20 ms frames, active speech; float64, in an order that no processor changes."""

from __future__ import annotations

import functools
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
_SHORT_ROW = 500
_STRAY = 1e-8
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
        variance = self.squares / max(1, self.count) - self.mean * self.mean
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
    def of(cls, samples: Samples) -> Steps:
        """Take the sums of whole numbers, float32."""
        wide = samples.astype(np.float64)
        return cls(wide, _whole_sum(samples), _whole_product(wide, wide))

    def difference(self, other: Steps, gain: float = 1.0) -> Moments:
        """Return the sums over what is in `self` and not in `gain` times `other`."""
        product = _whole_product(self.samples, other.samples)
        squares = self.squares + gain * gain * other.squares - 2 * gain * product
        return Moments(len(self.samples), self.total - gain * other.total, squares)


@dataclass(frozen=True)
class Frames:
    """Sums over 20 ms frames of a sound less its mean, each of shape (frames,); the last is what is left."""

    lengths: Wide
    sums: Wide
    squares: Wide
    full_scale: float

    @functools.cached_property
    def powers(self) -> Wide:
        """Mean square of each frame about its own mean: silence stays silence when a constant is added."""
        powers: Wide = self.squares / self.lengths - (self.sums / self.lengths) ** 2
        return np.maximum(powers, 0.0, out=powers) / self.full_scale**2

    @functools.cached_property
    def deviation(self) -> float:
        """Root mean square about the mean; NaN where samples are not finite."""
        return self._deviation(slice(None))

    @functools.cached_property
    def active_level_dbfs(self) -> float:
        """Level over the frames within 40 dB of the loudest, -inf for silence.

        In the spirit of the active speech level of ITU-T P.56 (pauses do not count), but without its envelope
        and hangover.
        """
        powers = self.powers
        return dbfs(self._deviation(powers >= powers.max(initial=0.0) * 10 ** (-ACTIVE_RANGE_DB / 10)))

    def _deviation(self, chosen: slice | npt.NDArray[np.bool_]) -> float:
        sums = (float(np.add.reduce(each[chosen])) for each in (self.lengths, self.sums, self.squares))
        return Moments(*sums).deviation / self.full_scale


@dataclass(frozen=True, slots=True)
class Measured:
    """A sound less its mean, and its levels, full scale 1.0.

    `samples`, shape (n,), are `full_scale` times as large; none is larger than `bound`, full scale 1.0.
    `deviation`: root mean square about the mean, NaN where samples are not finite. `pcm`: the steps with
    their mean, where 16-bit PCM was measured.
    """

    full_scale: float
    samples: Samples
    pcm: Steps | None
    bound: float
    mean: float
    frames: Frames
    deviation: float


def measure(samples: Signal | Pcm, sample_rate: int) -> Measured:
    """Measure `samples`, shape (n,), once for all that is mixed with them; int16 is taken as PCM."""
    is_pcm = samples.dtype == np.int16
    full_scale, count = float(PCM_FULL_SCALE) if is_pcm else 1.0, len(samples)
    frame, wide = _frame_length(sample_rate), samples.astype(np.float64)
    lengths = np.full(-(-count // frame), float(frame))
    if count % frame:
        lengths[-1] = count % frame
    sums, squares = _whole_frames(wide, frame) if is_pcm else _frames(wide, frame)
    total = float(np.add.reduce(sums))
    pcm = Steps(wide, total, float(np.add.reduce(squares))) if is_pcm else None
    mean = total / max(1, count)
    squares += lengths * (mean * mean) - 2 * mean * sums
    sums -= lengths * mean
    frames = Frames(lengths, sums, squares, full_scale)
    centred = _less(samples.astype(np.float32), mean, frames.deviation * full_scale)
    bound = (peak(samples) + abs(mean)) / full_scale if count else 0.0
    return Measured(full_scale, centred, pcm, bound, mean / full_scale, frames, frames.deviation)


def _less(samples: Samples, mean: float, deviation: float) -> Samples:
    """Take the mean out in place, in two steps where what float32 keeps of it would be heard after a gain."""
    rough = np.float32(mean)
    samples -= rough
    if abs(mean - float(rough)) > _STRAY * deviation:
        samples -= np.float32(mean - float(rough))
    return samples


def _frames(samples: Wide, frame: int) -> tuple[Wide, Wide]:
    """Return sum and sum of squares of each frame, shape (frames,); the last frame is what is left."""
    return _frame_sums(samples, frame), _frame_sums(np.multiply(samples, samples), frame)


def _frame_sums(samples: Wide, frame: int) -> Wide:
    whole = len(samples) // frame * frame
    sums = np.empty(-(-len(samples) // frame))
    np.add.reduce(samples[:whole].reshape(-1, frame), axis=1, out=sums[: whole // frame])
    if whole < len(samples):
        sums[-1] = np.add.reduce(samples[whole:])
    return sums


def _whole_frames(samples: Wide, frame: int) -> tuple[Wide, Wide]:
    """Return the same of whole numbers, whose sums are exact in any order: BLAS may add them up."""
    whole = len(samples) // frame * frame
    sums, squares = np.empty((2, -(-len(samples) // frame)))
    frames, rest = samples[:whole].reshape(-1, 1, frame), samples[whole:]
    sums[: whole // frame] = frames[:, 0] @ np.ones(frame)
    squares[: whole // frame] = np.matmul(frames, frames.transpose(0, 2, 1))[:, 0, 0]
    if len(rest):
        sums[-1], squares[-1] = np.add.reduce(rest), rest.dot(rest)
    return sums, squares


def _whole_sum(samples: Samples) -> float:
    """Return the sum of whole numbers, in rows too short for a float32 to lose one: 511 times 2**15."""
    whole = len(samples) // _SHORT_ROW * _SHORT_ROW
    rows = samples[:whole].reshape(-1, _SHORT_ROW) @ np.ones(_SHORT_ROW, dtype=np.float32)
    return float(np.add.reduce(rows, dtype=np.float64)) + float(np.add.reduce(samples[whole:]))


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


def mean_removed(samples: Signal) -> Samples:
    """Return float32 samples less their mean."""
    total, removed = 0.0, samples.astype(np.float32)
    for wide in blocks(samples):
        total += float(np.add.reduce(wide))
    removed -= np.float32(total / max(1, len(samples)))
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
    return measure(samples, sample_rate).frames.powers


def active_level_dbfs(samples: Signal, sample_rate: int) -> float:
    """Level in dBFS over the active frames, see `Frames.active_level_dbfs`."""
    return measure(samples, sample_rate).frames.active_level_dbfs


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
