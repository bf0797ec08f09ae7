"""Gzip files of lines: written with the same bytes each time, read within limits and flat memory."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path

from squtr.store import write_atomic

LONGEST_LINE = 64 << 10
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
    """Yield (number from 1, line without its end), never more than `most` lines nor longer ones than a limit.

    At most a line is in memory. Raises Unreadable for a file that breaks a limit or is no whole gzip file.
    """
    number, unpacked = 0, 0
    with path.open("rb") as raw:
        if raw.read(2) != _GZIP_MAGIC:
            raise Unreadable("is no gzip file", "Pack it with squtr leaderboard submit.")
        raw.seek(0)
        with gzip.GzipFile(fileobj=raw) as file:
            while True:
                try:
                    line = file.readline(LONGEST_LINE)
                except (OSError, EOFError, zlib.error) as error:
                    raise Unreadable(f"is no whole gzip file ({error})", "Pack it again.", number) from None
                if not line:
                    return
                number, unpacked = number + 1, unpacked + len(line)
                _refuse(line, number, unpacked, most)
                yield number, line.rstrip(b"\r\n")


def shown(text: object) -> str:
    """Return an id or a name as a message has it: quoted, escaped, and not longer than a line."""
    found = repr(text)
    return found if len(found) <= _SHOWN else f"{found[: _SHOWN - 3]}..."


def _refuse(line: bytes, number: int, unpacked: int, most: int) -> None:
    if number > most:
        raise Unreadable(
            f"has more than {most:,} lines, all that its queries can have; it was not read further",
            "Cut every ranking to the depth of the board, and leave out everything else.",
            number,
        )
    if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
        raise Unreadable(f"has a line of more than {LONGEST_LINE:,} bytes", "Write one entry a line.", number)
    if unpacked > LARGEST_UNPACKED:
        raise Unreadable(
            f"unpacks to more than {LARGEST_UNPACKED:,} bytes", "Leave out what is no ranking.", number
        )
