"""Samples as memory-mapped arrays: plain WAV where it lies, all else converted once into a cache folder."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from squtr.digest import digest
from squtr.errors import ItemFailure
from squtr.noise_sources.decode import Header, read_blocks
from squtr.noise_sources.tree import Entry
from squtr.store import temporary_name, write_atomic

CACHE_VARIABLE = "SQUTR_NOISE_CACHE"
_VERSION = 1


def cache_folder(given: str = "") -> Path:
    """Return the cache folder: the one given, $SQUTR_NOISE_CACHE, or squtr/noise in the user's cache."""
    named = given or os.environ.get(CACHE_VARIABLE, "")
    if named:
        return Path(named).expanduser()
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "squtr" / "noise"


def mapped(folder: Path, entry: Entry, header: Header, channel: int | None, crc: int) -> npt.NDArray[Any]:
    """Return all samples of a channel, memory-mapped, shape (frames,), int16 or float32.

    A WAV file of 16-bit PCM is mapped where it lies. Anything else is converted into `folder`, named by
    `crc`, the CRC-32 of the file's bytes, the first time. Raises ItemFailure for a file that cannot be read.
    """
    if not entry.member and header.pcm_offset is not None and (header.channels == 1 or channel is not None):
        shape = (header.frames, header.channels)
        return np.memmap(entry.file, "<i2", "r", header.pcm_offset, shape)[:, channel or 0]
    key = digest("samples", _VERSION, crc, entry.bytes, Path(entry.path).suffix.lower(), channel)
    target = folder / f"{key}.npy"
    try:
        return _load(target, header)
    except (OSError, ValueError):
        _convert(entry, header, channel, target)
    return _load(target, header)


def remembered(
    folder: Path, entry: Entry, what: str, compute: Callable[[], dict[str, Any]]
) -> dict[str, Any]:
    """Return what `compute` found out about a file, out of `folder` while size and dates of the file stay.

    A folder that cannot be written only costs time.
    """
    state = entry.file.stat()
    dates = [state.st_mtime_ns, state.st_ctime_ns]
    key = digest(what, _VERSION, str(entry.file.resolve()), entry.member, state.st_size, dates)
    path = folder / f"{key}.json"
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
        if isinstance(found, dict):
            return found
    except (OSError, ValueError):
        pass
    fresh = compute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        write_atomic(path, json.dumps(fresh, allow_nan=False))
    except OSError:
        pass
    return fresh


def _load(target: Path, header: Header) -> npt.NDArray[Any]:
    samples: npt.NDArray[Any] = np.load(target, mmap_mode="r", allow_pickle=False)
    if samples.shape != (header.frames,) or samples.dtype not in (np.int16, np.float32):
        raise ValueError(f"{target} is not as it was written")
    return samples


def _convert(entry: Entry, header: Header, channel: int | None, target: Path) -> None:
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = temporary_name(target)
    blocks = read_blocks(entry, header, channel)
    try:
        first = next(blocks, None)
        if first is None:
            raise ItemFailure("holds no frames")
        dtype = np.dtype("<i2" if first.dtype == np.int16 else "<f4")
        with temporary.open("wb") as file:
            facts = {"descr": dtype.str, "fortran_order": False, "shape": (header.frames,)}
            np.lib.format.write_array_header_1_0(file, facts)
            file.write(first.astype(dtype, copy=False).tobytes())
            for block in blocks:
                file.write(block.astype(dtype, copy=False).tobytes())
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)
