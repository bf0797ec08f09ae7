"""Sound in and out: files, 16-bit PCM, sample rate; levels, from squtr.levels, are offered here too.

One scale serves both ways: PCM step = sample * 32768, so full scale is 1.0, from_pcm(to_pcm(x)) is x to half
a step, and to_pcm(from_pcm(p)) is p exactly. Only samples above 32767.5 / 32768 are held back to 32767, the
last step there is.
"""

from __future__ import annotations

import io
import math
import struct
from pathlib import Path

import numpy as np
import soundfile
import soxr

from squtr.archive import read_file
from squtr.errors import ItemFailure, UserError
from squtr.levels import (
    BLOCK,
    PCM_FULL_SCALE,
    SILENCE_FLOOR_DBFS,
    Moments,
    Signal,
    Wide,
    active_level_dbfs,
    active_span,
    blocks,
    dbfs,
    frame_powers,
    level_dbfs,
    mean_removed,
    moments,
    peak,
    rms,
)
from squtr.records import Pcm, Samples, Waveform
from squtr.store import write_atomic

__all__ = [
    "BLOCK",
    "CEILING",
    "FULL_SCALE",
    "RESAMPLER",
    "SILENCE_FLOOR_DBFS",
    "Moments",
    "Signal",
    "Wide",
    "active_level_dbfs",
    "active_span",
    "blocks",
    "dbfs",
    "frame_powers",
    "from_pcm",
    "level_dbfs",
    "limit_peak",
    "mean_removed",
    "moments",
    "peak",
    "read_audio",
    "resample",
    "rms",
    "to_pcm",
    "trim_silence",
    "wav_bytes",
    "write_wav",
]

FULL_SCALE = PCM_FULL_SCALE
CEILING = 0.99
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
    A path may lead into an archive: `archive.zip!member`.
    """
    place = "audio bytes" if isinstance(source, bytes) else Path(source).name
    try:
        data = source if isinstance(source, bytes) else read_file(Path(source))
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
    return b"".join((header, np.ascontiguousarray(pcm, dtype="<i2").data))


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
    samples: Samples = pcm.astype(np.float32)
    samples *= np.float32(1 / FULL_SCALE)
    return samples


def resample(waveform: Waveform, sample_rate: int) -> Waveform:
    """Resample with `RESAMPLER`; the same object when the rate is right already.

    The count is within one of seconds * sample_rate. Peaks may rise: limit_peak before to_pcm.
    """
    if waveform.sample_rate == sample_rate:
        return waveform
    samples = np.ascontiguousarray(waveform.samples, dtype=np.float32)
    return Waveform(soxr.resample(samples, waveform.sample_rate, sample_rate, quality="VHQ"), sample_rate)


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


def trim_silence(waveform: Waveform, keep_seconds: float) -> Waveform:
    """Cut the ends down to `keep_seconds` beside the active span. Raises ItemFailure when all is silent."""
    first, end = active_span(waveform.samples, waveform.sample_rate)
    if first == end:
        raise ItemFailure(f"silent: no sound above {SILENCE_FLOOR_DBFS:g} dBFS")
    keep = round(keep_seconds * waveform.sample_rate)
    return Waveform(waveform.samples[max(0, first - keep) : end + keep], waveform.sample_rate)


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
