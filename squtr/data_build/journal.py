"""The journal: what each finished block of queries came to, so that a later run need not go over it again.

An entry holds for the code, the engines, the inputs and the blocks before it that it was written under, and
while the block's audio files have the size and time they had then. Where it does not, the block is made again
from the store, which reads and compares every sample.
"""

from __future__ import annotations

import gzip
import json
import os
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from squtr.digest import digest, to_plain
from squtr.environment import code_digest
from squtr.store import write_atomic

_FOLDER = "blocks"
_FAST = 1


@dataclass(frozen=True, slots=True)
class Finished:
    """A finished block: the state of the build after it, items by stage, audio files, lines by file.

    `audio` has (path relative to the data set, bytes, time of change in ns).
    """

    after: dict[str, Any]
    items: dict[str, int]
    audio: list[tuple[str, int, int]]
    lines: dict[str, str]


class Journal:
    """The entries of one data set; `made_by` is everything that decides all of its blocks."""

    def __init__(self, out: Path, work: Path, made_by: Any) -> None:
        self._out, self._folder = out, work / _FOLDER
        self._made_by = digest(made_by, code_digest())

    def find(self, subset: str, start: int, before: dict[str, Any]) -> Finished | None:
        """Return the entry of a subset's block at `start` if it holds; `before` is the state before it."""
        try:
            plain = json.loads(gzip.decompress(self._path(subset, start).read_bytes()))
            key, found = plain.pop("key"), Finished(**plain)
        except (OSError, EOFError, ValueError, TypeError, KeyError, AttributeError, zlib.error):
            return None
        if key != self._key(subset, start, before) or not self._stands(found.audio):
            return None
        return found

    def keep(self, subset: str, start: int, before: dict[str, Any], found: Finished) -> None:
        """Write the entry of a block."""
        self._folder.mkdir(exist_ok=True)
        plain = {"key": self._key(subset, start, before), **to_plain(found)}
        text = json.dumps(plain, ensure_ascii=False, allow_nan=False)
        write_atomic(self._path(subset, start), gzip.compress(text.encode("utf-8"), _FAST, mtime=0))

    def facts(self, paths: Iterable[str]) -> list[tuple[str, int, int]]:
        """Return audio files as an entry holds them; one that is not there has no bytes."""
        return [(path, *_size_and_time(f"{self._out}/{path}")) for path in paths]

    def _stands(self, audio: list[tuple[str, int, int]]) -> bool:
        return all(
            size and (size, time) == _size_and_time(f"{self._out}/{path}") for path, size, time in audio
        )

    def _key(self, subset: str, start: int, before: dict[str, Any]) -> str:
        return digest(self._made_by, subset, start, before)

    def _path(self, subset: str, start: int) -> Path:
        return self._folder / f"{subset.replace('/', '-')}-{start}.json.gz"


def _size_and_time(path: str) -> tuple[int, int]:
    try:
        found = os.stat(path)  # noqa: PTH116 (a million times)
    except OSError:
        return 0, 0
    return found.st_size, found.st_mtime_ns
