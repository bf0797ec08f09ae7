"""Files that may lie in a zip archive: `folder/archive.zip!member` is a path like any other.

An archive is never unpacked: a member is read when it is asked for, and whole or not at all. What could
lead out of the archive, or blow up, is refused before anything is read.
"""

from __future__ import annotations

import functools
import os
import re
import stat
import zipfile
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from squtr.errors import ItemFailure, UserError

_MARK = re.compile(r"\.zip!", re.IGNORECASE)
_METHODS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
_ENCRYPTED = 0x1
_DRIVE = re.compile(r"^[A-Za-z]:")
_MOST_RATIO = 100
_RATIO_FROM_BYTES = 1 << 20
_FAULTS = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError)


@dataclass(frozen=True)
class Archive:
    """An open archive that was found harmless; `members` are its files by name, folders left out."""

    path: Path
    file: zipfile.ZipFile
    members: dict[str, zipfile.ZipInfo]

    def open(self, name: str) -> IO[bytes]:
        """Open a member for reading; its checksum is compared when its end is reached."""
        return self.file.open(self.members[name])


def open_archive(path: Path) -> Archive:
    """Return the archive at `path`, opened once a process.

    Raises UserError for what is no zip archive, and for members that are named twice, lead out of the
    archive, are links, encrypted, packed by another method than deflate, or unpack to over 100 times their
    size.
    """
    facts = path.stat()
    return _opened(str(path), facts.st_size, facts.st_mtime_ns, os.getpid())


def member_path(archive: Path, name: str) -> Path:
    """Return the path of a member, or of a folder of members."""
    return Path(f"{archive}!{name}")


def is_file(path: Path) -> bool:
    """Tell whether a file or a member is there."""
    place = _split(path)
    if place is None:
        return path.is_file()
    return place[1] in open_archive(place[0]).members


def read_file(path: Path) -> bytes:
    """Return the whole content of a file or a member.

    Raises OSError as reading a file does, and ItemFailure for a member whose checksum is wrong or that cannot
    be unpacked.
    """
    place = _split(path)
    if place is None:
        return path.read_bytes()
    archive = open_archive(place[0])
    if place[1] not in archive.members:
        raise FileNotFoundError(2, "no such member", str(path))
    try:
        with archive.open(place[1]) as member:
            return member.read()
    except _FAULTS as error:
        raise ItemFailure(f"{path.name}: cannot be unpacked from {place[0].name} ({error})") from error


def is_member(path: Path) -> bool:
    """Tell whether a path leads into an archive."""
    return _split(path) is not None


def damaged(path: Path, error: Exception) -> UserError:
    """Return the error to raise when a member that is needed cannot be read."""
    return UserError(f"{path}: cannot be read ({error}). Fetch the archive again.")


def _split(path: Path) -> tuple[Path, str] | None:
    text = str(path)
    found = _MARK.search(text)
    if found is None:
        return None
    archive = Path(text[: found.end() - 1])
    if not archive.is_file():
        return None
    return archive, text[found.end() :].replace(os.sep, "/").lstrip("/")


@functools.lru_cache(maxsize=4)
def _opened(path: str, size: int, mtime_ns: int, process: int) -> Archive:
    """Size and time are in the key for a file that is replaced, the process for one that is forked."""
    try:
        file = zipfile.ZipFile(path)
    except _FAULTS as error:
        raise UserError(f"{path}: not a whole zip archive ({error}). Fetch it again.") from error
    infos = file.infolist()
    _refuse_dangerous(path, infos, size)
    return Archive(Path(path), file, {info.filename: info for info in infos if not info.is_dir()})


def _refuse_dangerous(path: str, infos: Iterable[zipfile.ZipInfo], size: int) -> None:
    seen: set[str] = set()
    packed = 0
    for info in infos:
        fault = "stands twice" if info.filename in seen else _fault(info)
        if fault:
            raise UserError(f"{path}: member {info.filename!r} {fault}. This archive is not safe to read.")
        seen.add(info.filename)
        packed += info.compress_size
    if packed > size:
        raise UserError(f"{path}: members share their bytes. This archive is not safe to read.")


def _fault(info: zipfile.ZipInfo) -> str | None:
    name = info.orig_filename
    if name.startswith("/") or "\\" in name or "\0" in name or _DRIVE.match(name):
        return "has no plain relative name"
    if any(part in ("..", ".") for part in name.split("/")):
        return "leads out of its folder"
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind not in (0, stat.S_IFREG, stat.S_IFDIR):
        return "is a link or no plain file"
    if info.flag_bits & _ENCRYPTED:
        return "is encrypted"
    if info.compress_type not in _METHODS:
        return "is packed by another method than deflate"
    if info.file_size > max(_RATIO_FROM_BYTES, _MOST_RATIO * info.compress_size):
        return f"unpacks to over {_MOST_RATIO} times its size"
    return None
