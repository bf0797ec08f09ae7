"""Archives of submissions: unpacked to a folder of their own, within limits, or refused."""

from __future__ import annotations

import gzip
import re
import tarfile
import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO, cast

from squtr.leaderboard.lines import shown
from squtr.leaderboard.schema import SUBMISSION_FILE

SUFFIXES = (".zip", ".tar.gz", ".tgz")
MOST_MEMBERS = 5_000
MOST_BYTES = 1 << 30
_RATIO_FROM_BYTES, _MOST_RATIO = 8 << 20, 100
_BLOCK = 1 << 20
_DRIVE = re.compile(r"^[A-Za-z]:")
_FAULTS = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    EOFError,
    NotImplementedError,
    RuntimeError,
    OSError,
)


class Refused(Exception):
    """An archive that is not unpacked: `member` is to blame, or the archive as a whole."""

    def __init__(self, what: str, member: str | None = None) -> None:
        super().__init__(what)
        self.what, self.member = what, member


def unpack(archive: Path, target: Path) -> Path:
    """Unpack an archive into the empty folder `target`; return the folder that holds the submission.

    Nothing is written outside `target`: members must be plain files under plain relative names. Bytes are
    counted as they come, whatever the archive says of itself. Raises Refused.
    """
    size = archive.stat().st_size
    if size > MOST_BYTES:
        raise Refused(f"has {size:,} bytes, more than {MOST_BYTES:,}")
    budget = min(MOST_BYTES, max(_RATIO_FROM_BYTES, _MOST_RATIO * size))
    written, seen = 0, set[str]()
    try:
        for name, content in _members(archive, budget):
            _check_name(name, seen)
            path = target / name
            path.parent.mkdir(parents=True, exist_ok=True)
            with path.open("xb") as file:
                while block := content.read(_BLOCK):
                    written += len(block)
                    if written > budget:
                        raise Refused(
                            f"unpacks to more than {budget:,} bytes; it was not unpacked further", name
                        )
                    file.write(block)
    except _FAULTS as error:
        raise Refused(f"cannot be unpacked ({type(error).__name__}: {error})") from None
    return _top(target)


class _Limited:
    """What tarfile reads from: a gzip file that ends with an error beyond `budget` bytes."""

    def __init__(self, file: IO[bytes], budget: int) -> None:
        self._file, self._left, self._budget = file, 2 * budget, budget

    def read(self, size: int) -> bytes:
        block = self._file.read(min(size, self._left + 1))
        self._left -= len(block)
        if self._left < 0:
            raise Refused(f"unpacks to more than {self._budget:,} bytes; it was not unpacked further")
        return block


def _members(archive: Path, budget: int) -> Iterator[tuple[str, IO[bytes]]]:
    if archive.name.endswith(".zip"):
        with zipfile.ZipFile(archive) as file:
            for info in file.infolist():
                kind = info.external_attr >> 28
                if kind not in (0, 4, 8):
                    raise Refused("is a link or no plain file", info.filename)
                if info.is_dir():
                    continue
                with file.open(info) as content:
                    yield info.orig_filename, content
        return
    with gzip.open(archive) as raw:
        limited = cast(IO[bytes], _Limited(cast(IO[bytes], raw), budget))
        yield from _tar_members(limited)


def _tar_members(limited: IO[bytes]) -> Iterator[tuple[str, IO[bytes]]]:
    with tarfile.open(fileobj=limited, mode="r|") as tar:
        for member in tar:
            if not member.isreg() and not member.isdir():
                raise Refused("is a link or no plain file", member.name)
            if plain := tar.extractfile(member):
                yield member.name, plain


def _check_name(name: str, seen: set[str]) -> None:
    parts = name.split("/")
    if name.startswith("/") or "\\" in name or "\0" in name or _DRIVE.match(name):
        raise Refused("has no plain relative name", name)
    if any(part in ("", ".", "..") for part in (parts[1:] if parts[0] == "." else parts)):
        raise Refused("leads out of its folder", name)
    if name.casefold() in seen:
        raise Refused("stands twice", name)
    seen.add(name.casefold())
    if len(seen) > MOST_MEMBERS:
        raise Refused(f"is one of more than {MOST_MEMBERS:,} members", name)


def _top(target: Path) -> Path:
    """Return the folder itself, or the only one within it."""
    inner = sorted(target.iterdir())
    if (target / SUBMISSION_FILE).exists() or not inner:
        return target
    if len(inner) > 1:
        raise Refused(f"holds {shown(inner[0].name)} and {shown(inner[1].name)}, not the files of one folder")
    return inner[0] if inner[0].is_dir() else target


def told(refused: Refused, archive: Path) -> tuple[str, str]:
    """Return where and what, for a message."""
    where = archive.name if refused.member is None else f"{archive.name}, member {shown(refused.member)}"
    return where, refused.what
