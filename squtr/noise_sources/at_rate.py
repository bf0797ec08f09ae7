"""Noise at the rate of the speech: a recording is made or resampled once, not once for every utterance."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import soxr

from squtr.audio import FULL_SCALE, RESAMPLER
from squtr.digest import digest
from squtr.errors import UserError
from squtr.noise_sources import NoiseSource
from squtr.noise_sources.cache import CACHE_VARIABLE, cache_folder
from squtr.noise_sources.segment import as_float
from squtr.records import Samples, Waveform
from squtr.store import temporary_name

_VERSION = 1
_BLOCK = 1 << 18


def recording_at_rate(source: NoiseSource, recording_id: str, sample_rate: int) -> Waveform:
    """Return a recording at `sample_rate`, memory-mapped: int16 steps, or float32 where it passes full scale.

    One that is mapped already at that rate stays as it is. Any other is written into the noise cache, so that
    a build makes or resamples it once and its workers share it.
    Raises UserError when the cache cannot be written, and whatever the source raises.
    """
    folder = getattr(source, "cache", None) or cache_folder()
    key = digest("at rate", _VERSION, source.fingerprint, recording_id, sample_rate, RESAMPLER)
    target = folder / f"{key}.npy"
    kept = _load(target)
    if kept is None:
        recording = source.read(recording_id)
        if recording.sample_rate == sample_rate and isinstance(recording.samples, np.memmap):
            return recording
        _keep(recording, sample_rate, target)
        kept = _load(target)
    if kept is None:
        raise UserError(f"{target}: not as it was just written. Is the disk full? See {CACHE_VARIABLE}.")
    return Waveform(kept, sample_rate)


def _load(target: Path) -> npt.NDArray[Any] | None:
    try:
        samples: npt.NDArray[Any] = np.load(target, mmap_mode="r", allow_pickle=False)
    except (OSError, ValueError):
        return None
    return samples if samples.ndim == 1 and samples.dtype in (np.int16, np.float32) else None


def _keep(recording: Waveform, sample_rate: int, target: Path) -> None:
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        if not _write(recording, sample_rate, target, np.dtype("<i2")):
            _write(recording, sample_rate, target, np.dtype("<f4"))
    except OSError as error:
        raise UserError(
            f"{target.parent}: noise cannot be kept there ({error.strerror})."
            f" Set {CACHE_VARIABLE} to a folder with room for it."
        ) from None


def _write(recording: Waveform, sample_rate: int, target: Path, dtype: np.dtype[Any]) -> bool:
    """Write all blocks as `dtype`; return False, and leave nothing, where 16 bit cannot hold one."""
    temporary, count = temporary_name(target), 0
    try:
        with temporary.open("wb") as file:
            start = _header(file, dtype, 0)
            for block in _blocks(recording, sample_rate):
                if dtype.kind == "i":
                    if not np.abs(block).max(initial=0.0) < 1:
                        return False
                    block = np.clip(np.rint(block * FULL_SCALE), -FULL_SCALE, FULL_SCALE - 1)
                file.write(block.astype(dtype).tobytes())
                count += len(block)
            file.seek(0)
            if _header(file, dtype, count) != start:
                raise ValueError("The header of an array grew with its length.")
        temporary.replace(target)
        return True
    finally:
        temporary.unlink(missing_ok=True)


def _header(file: Any, dtype: np.dtype[Any], count: int) -> int:
    facts = {"descr": dtype.str, "fortran_order": False, "shape": (count,)}
    np.lib.format.write_array_header_1_0(file, facts)
    return int(file.tell())


def _blocks(recording: Waveform, sample_rate: int) -> Iterator[Samples]:
    """Yield the whole recording at `sample_rate`, float32, a stretch at a time."""
    whole, rate = recording.samples, recording.sample_rate
    stream = soxr.ResampleStream(rate, sample_rate, 1, dtype="float32", quality="VHQ")
    for start in range(0, len(whole), _BLOCK):
        stretch = np.asarray(whole[start : start + _BLOCK])
        block = as_float(stretch)
        last = start + _BLOCK >= len(whole)
        yield block if rate == sample_rate else stream.resample_chunk(block, last=last)
