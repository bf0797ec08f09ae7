"""Gzip files of lines: written with the same bytes each time, read within limits and flat memory."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import IO

from squtr.store import write_atomic

LONGEST_LINE = 64 << 10
_PIECE = 16 << 10
LARGEST_UNPACKED = 1 << 30
_GZIP_MAGIC = b"\x1f\x8b"
_SHOWN = 80


class Unreadable(Exception):
    """A file that is not read on, and from which line: `what` is wrong, `how` to mend it."""

    def __init__(self, what: str, how: str, line: int | None = None) -> None:
        super().__init__(what)
        self.what, self.how, self.line = what, how, line


def pack(data: bytes) -> bytes:
    """Return gzip bytes without time or name, so the same data has the same bytes."""
    return gzip.compress(data, compresslevel=9, mtime=0)


def write_lines(path: Path, lines: Iterable[str]) -> None:
    """Write lines, each ended by a line feed, as gzip."""
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, pack("".join(f"{line}\n" for line in lines).encode("utf-8")))


def read_lines(path: Path, most: int) -> Iterator[tuple[int, bytes]]:
    """Yield (number from 1, line without its end); limits and errors as those of `read_blocks`."""
    for number, block in read_blocks(path, most):
        for place, line in enumerate(block.split(b"\n")):
            yield number + place, line.rstrip(b"\r")


def read_blocks(path: Path, most: int) -> Iterator[tuple[int, bytes]]:
    """Yield (number of its first line, whole lines without the last line feed), some at a time.

    Never more than `most` lines, nor longer ones than a limit. At most a piece of the file is in memory.
    Raises Unreadable, after the lines before, for a file that breaks a limit or is no whole gzip file.
    """
    number, rest = 0, b""
    with path.open("rb") as raw:
        if raw.read(2) != _GZIP_MAGIC:
            raise Unreadable("is no gzip file", "Pack it with squtr leaderboard submit.")
        raw.seek(0)
        for piece in _pieces(raw):
            if isinstance(piece, Exception):
                raise Unreadable(f"is no whole gzip file ({piece})", "Pack it again.", number)
            block, ended, rest = (rest + piece).rpartition(b"\n")
            if ended:
                yield from _within_limits(number, block, most)
                number += block.count(b"\n") + 1
            _refuse(rest, number + 1, most if rest else number + 1)
        if rest:
            yield number + 1, rest


def _within_limits(number: int, block: bytes, most: int) -> Iterator[tuple[int, bytes]]:
    """Yield a block whole, or where a limit is broken its lines up to there."""
    if len(block) < LONGEST_LINE and number + block.count(b"\n") < most:
        yield number + 1, block
        return
    for place, line in enumerate(block.split(b"\n"), start=number + 1):
        _refuse(line, place, most)
        yield place, line


def _pieces(raw: IO[bytes]) -> Iterator[bytes | Exception]:
    """Yield what a gzip file unpacks to, a piece at a time, or at last the error that ended it."""
    unpacked = 0
    with gzip.GzipFile(fileobj=raw) as file:
        while True:
            try:
                piece = file.read1(_PIECE)
            except (OSError, EOFError, zlib.error) as error:
                yield error
                return
            if not piece:
                return
            unpacked += len(piece)
            if unpacked > LARGEST_UNPACKED:
                raise Unreadable(
                    f"unpacks to more than {LARGEST_UNPACKED:,} bytes", "Leave out what is no ranking."
                )
            yield piece


def shown(text: object) -> str:
    """Return an id or a name as a message has it: quoted, escaped, and not longer than a line."""
    found = repr(text)
    return found if len(found) <= _SHOWN else f"{found[: _SHOWN - 3]}..."


def _refuse(line: bytes, number: int, most: int) -> None:
    if number > most:
        raise Unreadable(
            f"has more than {most:,} lines, all that its queries can have; it was not read further",
            "Cut every ranking to the depth of the board, and leave out everything else.",
            number,
        )
    if len(line) >= LONGEST_LINE:
        raise Unreadable(f"has a line of more than {LONGEST_LINE:,} bytes", "Write one entry a line.", number)
