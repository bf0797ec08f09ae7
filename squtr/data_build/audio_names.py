"""Which audio files belong to a data set, in a byte a file: millions of names would not stay in memory."""

from __future__ import annotations

import os
import re
from pathlib import Path

_NUMBERED = re.compile(r"(.*?)([1-9][0-9]*)\.wav")


class AudioNames:
    """A set of paths such as en/nq/audio_noise_snr_0/noise_snr0_12.wav: numbers by all that stands before."""

    def __init__(self) -> None:
        self._numbers: dict[str, bytearray] = {}

    def add(self, path: str) -> None:
        """Add a path relative to the data set. Raises ValueError for one that is not numbered."""
        start, number = _parts(path) or (path, -1)
        if number < 0:
            raise ValueError(f"{path}: no number.wav at its end")
        known = self._numbers.setdefault(start, bytearray())
        known.extend(bytes(max(0, number + 1 - len(known))))
        known[number] = 1

    def __contains__(self, path: str) -> bool:
        start, number = _parts(path) or (path, -1)
        known = self._numbers.get(start, b"")
        return 0 <= number < len(known) and known[number] == 1


def remove_leftovers(out: Path, subset: Path, known: AudioNames) -> None:
    """Remove the WAV files of a subset's audio folders that are not known."""
    for folder in (place for place in subset.glob("audio_*") if place.is_dir()):
        start = folder.relative_to(out).as_posix()
        with os.scandir(folder) as entries:
            strange = [
                entry.path
                for entry in entries
                if entry.name.endswith(".wav") and f"{start}/{entry.name}" not in known
            ]
        for path in strange:
            Path(path).unlink()


def _parts(path: str) -> tuple[str, int] | None:
    found = _NUMBERED.fullmatch(path)
    return (found[1], int(found[2])) if found else None
