"""Audio read in blocks out of a file or an archive's member: WAV, MATLAB .mat, and what libsndfile knows."""

from __future__ import annotations

import io
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import IO, Any

import numpy as np
import numpy.typing as npt
import soundfile

from squtr.errors import ItemFailure
from squtr.noise_sources.tree import Entry, open_entry

Block = npt.NDArray[Any]  # (n,), int16 steps or float32

_UNSTATED_SIZE = 0x7FFFF000
_FORMAT_BYTES = 1024
_PCM, _EXTENSIBLE = 1, 0xFFFE
_PCM_GUID = bytes.fromhex("0100000000001000800000aa00389b71")
_STEPS = 32768.0


@dataclass(frozen=True, slots=True)
class Header:
    """What a file states. A .mat states no sample rate; plain 16-bit samples begin at `pcm_offset` bytes."""

    frames: int
    channels: int
    sample_rate: int | None
    pcm_offset: int | None = None


def read_header(entry: Entry) -> Header:
    """Read the beginning of a file. Raises ItemFailure for what is no audio, empty or cut short."""
    with open_entry(entry) as stream:
        if entry.path.lower().endswith(".mat"):
            return Header(_mat_variable(stream, entry)[1], 1, None)
        header = _plain_wav(stream, entry.bytes)
        if header is not None:
            return header
        stream.seek(0)
        with _sound_file(stream) as file:
            if not file.frames:
                raise ItemFailure("holds no frames")
            return Header(file.frames, file.channels, file.samplerate)


def read_blocks(entry: Entry, header: Header, channel: int | None, frames: int = 1 << 18) -> Iterator[Block]:
    """Yield the samples of one channel (from 0; None: the mean of all) in blocks of `frames`.

    int16 where the file has 16-bit samples and no mean is taken, else float32. Raises ItemFailure for samples
    that are not there, not finite, or not as the header says.
    """
    if channel is not None and channel >= header.channels:
        raise ItemFailure(f"has no channel {channel + 1}, it has {header.channels}")
    seen = 0
    for block in _raw_blocks(entry, header, frames):
        seen += len(block)
        mono = _one_channel(block, channel)
        if mono.dtype != np.int16 and not np.isfinite(mono).all():
            raise ItemFailure("holds NaN or infinite samples")
        yield mono
    if seen != header.frames:
        raise ItemFailure(f"holds {seen} frames of {header.frames}")


def _raw_blocks(entry: Entry, header: Header, frames: int) -> Iterator[Block]:
    """Yield blocks of shape (n, channels)."""
    with open_entry(entry) as stream:
        if header.sample_rate is None:
            vector = _read_mat(stream, entry)
            yield from (vector[start : start + frames, None] for start in range(0, len(vector), frames))
        elif header.pcm_offset is not None:
            yield from _plain_blocks(stream, header, frames)
        else:
            with _sound_file(stream) as file:
                dtype = "int16" if file.subtype == "PCM_16" else "float32"
                yield from file.blocks(frames, dtype=dtype, always_2d=True)


def _plain_blocks(stream: IO[bytes], header: Header, frames: int) -> Iterator[Block]:
    stream.seek(header.pcm_offset or 0)
    width = 2 * header.channels
    left = header.frames * width
    while left and (data := stream.read(min(left, frames * width))):
        left -= len(data)
        while len(data) % width and (more := stream.read(width - len(data) % width)):
            data, left = data + more, left - len(more)
        whole = len(data) // width * width
        yield np.frombuffer(data[:whole], dtype="<i2").reshape(-1, header.channels)


def _one_channel(block: Block, channel: int | None) -> Block:
    if block.shape[1] == 1 or channel is not None:
        return block[:, channel or 0]
    scale = np.float32(1 / _STEPS) if block.dtype == np.int16 else np.float32(1)
    mean: Block = block.mean(axis=1, dtype=np.float32) * scale
    return mean


def _sound_file(stream: IO[bytes]) -> Any:
    try:
        return soundfile.SoundFile(stream)
    except soundfile.LibsndfileError as error:
        raise ItemFailure(f"not audio that can be read ({error.error_string.rstrip('.')})") from error
    except TypeError as error:  # soundfile asks for the parameters of headerless audio
        raise ItemFailure("not audio that can be read") from error


def _plain_wav(stream: IO[bytes], size: int) -> Header | None:
    """Return the header of a RIFF file of 16-bit PCM; None for anything else."""
    start = stream.read(12)
    if not start:
        raise ItemFailure("is empty (0 bytes)")
    if start[:4] != b"RIFF" or start[8:] != b"WAVE":
        return None
    form = b""
    at = 12
    while len(chunk := stream.read(8)) == 8:
        name, length = struct.unpack("<4sI", chunk)
        at += 8
        if name == b"data":
            return _data_chunk(form, at, length, size)
        padded = length + length % 2
        if name == b"fmt ":
            form = stream.read(min(padded, _FORMAT_BYTES))
        else:
            stream.seek(padded, io.SEEK_CUR)
        at += padded
    raise ItemFailure("is a WAV file without samples")


def _data_chunk(form: bytes, at: int, length: int, size: int) -> Header | None:
    there = size - at
    if there < length < _UNSTATED_SIZE:
        raise ItemFailure(f"is cut short: {there} of {length} bytes of samples")
    if len(form) < 16:
        raise ItemFailure("is a WAV file that does not state its format")
    tag, channels, sample_rate, _, width, bits = struct.unpack("<HHIIHH", form[:16])
    if tag == _EXTENSIBLE and form[24:40] == _PCM_GUID and form[18:20] == b"\x10\x00":
        tag = _PCM
    if tag != _PCM or bits != 16 or width != 2 * channels:
        return None
    frames = min(length, there) // width if channels else 0
    if not frames or not sample_rate:
        raise ItemFailure("holds no frames" if sample_rate else "states a sample rate of 0")
    return Header(frames, channels, sample_rate, at)


def _mat_variable(stream: IO[bytes], entry: Entry) -> tuple[str, int]:
    """Return name and length of the vector to read: the one named like the file, or the only one."""
    from scipy.io import whosmat

    with _told():
        shapes = {name: shape for name, shape, _ in whosmat(stream)}
    vectors = {name: max(shape) for name, shape in shapes.items() if _is_vector(shape)}
    stem = PurePosixPath(entry.path).stem.lower()
    wanted = [name for name in vectors if name.lower() == stem] or (
        list(vectors) if len(vectors) == 1 else []
    )
    if not wanted:
        raise ItemFailure(f"has no vector named {stem}; it has {', '.join(sorted(shapes)) or 'nothing'}")
    return wanted[0], vectors[wanted[0]]


@contextmanager
def _told() -> Iterator[None]:
    """Turn what scipy raises into ItemFailure; of a broken file that is nearly any error."""
    try:
        yield
    except NotImplementedError as error:
        raise ItemFailure("a MATLAB 7.3 file: save it with -v7, or as WAV") from error
    except MemoryError:
        raise
    except Exception as error:
        raise ItemFailure(f"not a MATLAB file that can be read ({error})") from error


def _is_vector(shape: tuple[int, ...]) -> bool:
    return len(shape) <= 2 and min(shape, default=0) == 1 and max(shape) > 1


def _read_mat(stream: IO[bytes], entry: Entry) -> Block:
    from scipy.io import loadmat

    data = io.BytesIO(stream.read())
    name, _ = _mat_variable(data, entry)
    data.seek(0)
    with _told():
        vector = np.ravel(loadmat(data, variable_names=[name])[name])
    if vector.dtype.kind not in "iuf":
        raise ItemFailure(f"the vector {name} holds no plain numbers")
    low, high = float(vector.min()), float(vector.max())
    beyond = low < -1 or high > 1
    whole = vector.dtype.kind in "iu" or (beyond and np.array_equal(vector, np.rint(vector)))
    if whole and low >= -_STEPS and high < _STEPS:
        return vector.astype(np.int16)
    if beyond:
        raise ItemFailure(f"{name} goes from {low:g} to {high:g}: neither 16-bit steps nor within ±1")
    return vector.astype(np.float32)
