"""Sound in and out: files, 16-bit PCM, sample rate, level.

One scale serves both ways: PCM step = sample * 32768, so full scale is 1.0, from_pcm(to_pcm(x)) is x to half
a step, and to_pcm(from_pcm(p)) is p exactly. Only samples above 32767.5 / 32768 are held back to 32767, the
last step there is.
"""

from __future__ import annotations

import io
import math
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import soundfile
import soxr

from squtr.errors import ItemFailure, UserError
from squtr.records import Pcm, Samples, Waveform
from squtr.store import write_atomic

Signal = npt.NDArray[np.floating[Any]]
Wide = npt.NDArray[np.float64]

FULL_SCALE = 32768
BLOCK = 16_000
CEILING = 0.99
SILENCE_FLOOR_DBFS = -80.0
FRAME_SECONDS = 0.02
ACTIVE_RANGE_DB = 40.0
RESAMPLER = f"soxr VHQ (soxr {soxr.__version__}, libsoxr {soxr.__libsoxr_version__})"

_WAV_HEADER = struct.Struct("<4sI4s4sIHHIIHH4sI")
_FLAC_START = b"fLaC\x00\x00\x00\x22"
_UNSTATED_SIZE = 0x7FFFF000
_MOST_FRAMES = 1 << 40


def read_audio(source: Path | str | bytes, channel: int | None = None) -> Waveform:
    """Read any format libsndfile knows as mono float32 at the file's own rate.

    Several channels are averaged unless `channel` (from 0) picks one. Float files may exceed full scale.
    Raises ItemFailure for what is not whole, finite audio: missing, empty, no audio, cut short, several files
    glued together, rate 0, no frames, NaN or infinity. Raises UserError for a channel the file lacks.
    """
    place = "audio bytes" if isinstance(source, bytes) else Path(source).name
    try:
        data = source if isinstance(source, bytes) else Path(source).read_bytes()
        _refuse_torn(data)
        samples, sample_rate = _decode(data)
    except OSError as error:
        raise ItemFailure(f"{place}: cannot be read ({error.strerror})") from error
    except ItemFailure as error:
        raise ItemFailure(f"{place}: {error}") from error
    if channel is None:
        return Waveform(samples.mean(axis=1) if samples.shape[1] > 1 else samples[:, 0], sample_rate)
    if not 0 <= channel < samples.shape[1]:
        raise UserError(f"{place}: no channel {channel}, it has {samples.shape[1]}. Channels count from 0.")
    return Waveform(np.ascontiguousarray(samples[:, channel]), sample_rate)


def write_wav(path: Path | str, pcm: Pcm, sample_rate: int) -> None:
    """Write a mono 16-bit WAV whole or not at all: temporary name, then rename; no fsync."""
    write_atomic(Path(path), wav_bytes(pcm, sample_rate))


def wav_bytes(pcm: Pcm, sample_rate: int) -> bytes:
    """Return a mono 16-bit WAV: the plain 44-byte header and the samples, the same bytes every time.

    Raises ValueError for anything but a non-empty int16 vector and a positive rate.
    """
    if pcm.dtype.kind != "i" or pcm.dtype.itemsize != 2 or pcm.ndim != 1 or not len(pcm):
        raise ValueError(f"PCM is a non-empty int16 vector, not {pcm.dtype} of shape {pcm.shape}.")
    if sample_rate <= 0:
        raise ValueError(f"A sample rate is positive, not {sample_rate}.")
    size = 2 * len(pcm)
    fmt = (16, 1, 1, sample_rate, 2 * sample_rate, 2, 16)
    header = _WAV_HEADER.pack(b"RIFF", 36 + size, b"WAVE", b"fmt ", *fmt, b"data", size)
    return header + pcm.astype("<i2", copy=False).tobytes()


def to_pcm(samples: Signal) -> Pcm:
    """Round to int16, half to even. Raises ValueError above full scale and on NaN; never clips or wraps."""
    highest = peak(samples)
    if not highest <= 1.0:
        raise ValueError(f"The peak is {highest}, 16-bit PCM holds up to 1.0: call limit_peak first.")
    steps: Signal = samples * samples.dtype.type(FULL_SCALE)
    np.minimum(np.rint(steps, out=steps), FULL_SCALE - 1, out=steps)
    return steps.astype(np.int16)


def from_pcm(pcm: Pcm) -> Samples:
    """Return int16 PCM as float32 in [-1, 1); exact."""
    return pcm.astype(np.float32) / np.float32(FULL_SCALE)


def resample(waveform: Waveform, sample_rate: int) -> Waveform:
    """Resample with `RESAMPLER`; the same object when the rate is right already.

    The count is within one of seconds * sample_rate. Peaks may rise: limit_peak before to_pcm.
    """
    if waveform.sample_rate == sample_rate:
        return waveform
    samples = np.ascontiguousarray(waveform.samples, dtype=np.float32)
    return Waveform(soxr.resample(samples, waveform.sample_rate, sample_rate, quality="VHQ"), sample_rate)


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
    return samples - np.float32(moments(samples).mean)


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
    return max(float(samples.max()), -float(samples.min()))


def limit_peak(samples: Samples, ceiling: float = CEILING) -> tuple[Samples, float]:
    """Scale a peak above `ceiling` down to it. Returns the samples and the gain (1.0: untouched).

    Raises ValueError for samples that are not finite.
    """
    highest = peak(samples)
    if not math.isfinite(highest):
        raise ValueError(f"The peak is {highest}: samples have to be finite.")
    if highest <= ceiling:
        return samples, 1.0
    gain = ceiling / highest
    return samples * np.float32(gain), gain


def frame_powers(samples: Signal, sample_rate: int) -> Wide:
    """Mean square of each 20 ms frame about its own mean, shape (frames,); the last frame is what is left.

    About its own, so that silence stays silence when a constant is added or a mean is removed.
    """
    return _frames(samples, sample_rate)[0]


def active_level_dbfs(samples: Signal, sample_rate: int) -> float:
    """Level in dBFS, mean removed, over the active 20 ms frames: those within 40 dB of the loudest.

    -inf for silence. In the spirit of the active speech level of ITU-T P.56 (pauses do not count), but not
    P.56: there is no envelope filter, no hangover, no 15.9 dB margin.
    """
    powers, *frames = _frames(samples, sample_rate)
    active = powers >= powers.max(initial=0.0) * 10 ** (-ACTIVE_RANGE_DB / 10)
    return dbfs(Moments(*(float(each[active].sum()) for each in frames)).deviation)


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


def trim_silence(waveform: Waveform, keep_seconds: float) -> Waveform:
    """Cut the ends down to `keep_seconds` beside the active span. Raises ItemFailure when all is silent."""
    first, end = active_span(waveform.samples, waveform.sample_rate)
    if first == end:
        raise ItemFailure(f"silent: no sound above {SILENCE_FLOOR_DBFS:g} dBFS")
    keep = round(keep_seconds * waveform.sample_rate)
    return Waveform(waveform.samples[max(0, first - keep) : end + keep], waveform.sample_rate)


def _frame_length(sample_rate: int) -> int:
    return max(1, round(FRAME_SECONDS * sample_rate))


def _frames(samples: Signal, sample_rate: int) -> tuple[Wide, Wide, Wide, Wide]:
    """Return of each frame the power about its own mean, the length, the sum, the sum of squares."""
    frame = _frame_length(sample_rate)
    parts: list[npt.NDArray[Any]] = [np.zeros((2, 0))]
    for block in blocks(samples, frame * max(1, BLOCK // frame)):
        starts = np.arange(0, len(block), frame)
        parts.append(np.stack([np.add.reduceat(each, starts) for each in (block, block * block)]))
    sums, squares = np.concatenate(parts, axis=1)
    lengths = np.diff(np.arange(0, len(samples), frame), append=len(samples)).astype(np.float64)
    return np.maximum(squares / lengths - (sums / lengths) ** 2, 0.0), lengths, sums, squares


def _decode(data: bytes) -> tuple[Samples, int]:
    try:
        with soundfile.SoundFile(io.BytesIO(data)) as file:
            if file.frames > _MOST_FRAMES:
                raise ItemFailure("states no length")
            stated, sample_rate = file.frames, file.samplerate
            samples = file.read(dtype="float32", always_2d=True)
    except soundfile.LibsndfileError as error:
        raise ItemFailure(f"not audio that can be read ({error.error_string.rstrip('.')})") from error
    if not len(samples) or len(samples) != stated:
        raise ItemFailure(f"holds {len(samples)} frames of {stated}" if stated else "holds no frames")
    if not np.isfinite(samples).all():
        raise ItemFailure("holds NaN or infinite samples")
    return samples, sample_rate


def _refuse_torn(data: bytes) -> None:
    """Refuse what libsndfile reads without a word: a cut WAV, a second file behind the first."""
    if not data:
        raise ItemFailure("is empty (0 bytes)")
    if _starts_at(data, 0) and _second_start(data):
        raise ItemFailure("holds several files glued together")
    at = 12 if data[:4] == b"RIFF" else len(data)
    while at + 8 <= len(data):
        name, size = struct.unpack_from("<4sI", data, at)
        at += 8
        if name == b"data" and len(data) - at < size < _UNSTATED_SIZE:
            raise ItemFailure(f"is cut short: {len(data) - at} of {size} bytes of samples")
        at += size + size % 2


def _starts_at(data: bytes, at: int) -> bool:
    wav = data[at : at + 4] == b"RIFF" and data[at + 8 : at + 12] == b"WAVE"
    return wav or data.startswith(_FLAC_START, at)


def _second_start(data: bytes) -> bool:
    at = data.find(data[:4], 4)
    while at >= 0 and not _starts_at(data, at):
        at = data.find(data[:4], at + 1)
    return at >= 0
