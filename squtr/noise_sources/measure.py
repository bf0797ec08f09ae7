"""What a recording is like: level, peak, clipping and silence, measured in blocks."""

from __future__ import annotations

import zlib
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from squtr.audio import from_pcm
from squtr.levels import FRAME_SECONDS, SILENCE_FLOOR_DBFS, Moments, dbfs
from squtr.levels import measure as measure_levels
from squtr.noise_sources.decode import Header, read_blocks
from squtr.noise_sources.segment import QUIET_RANGE_DB
from squtr.noise_sources.tree import Entry, open_entry

_TOP = 32767 / 32768
_READ = 1 << 20
_BLOCK = 1 << 18


@dataclass(frozen=True, slots=True)
class Facts:
    """Levels in dBFS about the mean (None: digital silence), lengths in seconds, shares of 1.

    A 20 ms frame is quiet below -80 dBFS or 40 dB under the recording's own level, as for a crop. A sample is
    clipped when it stands at full scale beside another one that does.
    """

    level_dbfs: float | None
    peak: float
    clipped_share: float
    quiet_share: float
    longest_quiet_seconds: float

    @property
    def is_silent(self) -> bool:
        """True below the floor of -80 dBFS."""
        return self.level_dbfs is None or self.level_dbfs < SILENCE_FLOOR_DBFS


def measure(entry: Entry, header: Header, channel: int | None, sample_rate: int) -> Facts:
    """Read a whole recording once. Raises ItemFailure for one that cannot be read to its end."""
    frame = max(1, round(FRAME_SECONDS * sample_rate))
    powers = [np.zeros(0)]
    total = squares = peak = 0.0
    clipped, last_at_top = 0, False
    for block in read_blocks(entry, header, channel, frame * max(1, _BLOCK // frame)):
        levels = measure_levels(block, sample_rate)
        total += levels.mean * len(block)
        squares += (levels.deviation * levels.deviation + levels.mean * levels.mean) * len(block)
        powers.append(levels.frames.powers)
        sizes = np.abs(from_pcm(block) if block.dtype == np.int16 else block)
        peak = max(peak, float(sizes.max()))
        at_top = np.concatenate([[last_at_top], sizes >= _TOP])
        clipped += int(np.count_nonzero(at_top[1:] & at_top[:-1]))
        last_at_top = bool(at_top[-1])
    level = dbfs(Moments(header.frames, total, squares).deviation)
    quiet = _quiet(np.concatenate(powers), level)
    return Facts(
        level_dbfs=round(level, 2) if level > -np.inf else None,
        peak=round(peak, 6),
        clipped_share=clipped / header.frames,
        quiet_share=float(np.mean(quiet)),
        longest_quiet_seconds=round(_longest(quiet) * frame / sample_rate, 2),
    )


def crc_of(entry: Entry) -> int:
    """Return the CRC-32 of a file's bytes; an archive states that of its members."""
    if entry.crc is not None:
        return entry.crc
    crc = 0
    with open_entry(entry) as stream:
        while data := stream.read(_READ):
            crc = zlib.crc32(data, crc)
    return crc


def _quiet(powers: npt.NDArray[np.float64], level: float) -> npt.NDArray[np.bool_]:
    floor = max(SILENCE_FLOOR_DBFS, level - QUIET_RANGE_DB)
    return powers < 10 ** (floor / 10)


def _longest(quiet: npt.NDArray[np.bool_]) -> int:
    loud = np.flatnonzero(~quiet)
    return int((np.diff(loud, prepend=-1, append=len(quiet)) - 1).max())
