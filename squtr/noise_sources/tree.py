"""The files below a folder, with the members of its zip archives as if each were unpacked beside itself."""

from __future__ import annotations

import os
import re
import warnings
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from squtr.archive import open_archive
from squtr.errors import ItemFailure, UserError

_JUNK = ("__MACOSX",)


@dataclass(frozen=True, slots=True)
class Entry:
    """One file: `path` from the folder, and where its bytes are. `crc` is known of an archive's members."""

    path: str
    file: Path
    bytes: int
    member: str = ""
    crc: int | None = None

    @property
    def place(self) -> str:
        """How a message names it."""
        return f"{self.file}: {self.member}" if self.member else str(self.file)


def list_tree(root: Path, refused: list[UserError] | None = None) -> list[Entry]:
    """Return all files below a folder, or within one zip archive, by path; hidden ones are passed over.

    Raises UserError for an archive that is damaged or not safe to read (see `open_archive`); with a list for
    these errors, such an archive is passed over.
    """
    entries: list[Entry] = []
    for file in [root] if root.is_file() else _files(root):
        path = "" if file == root else file.relative_to(root).as_posix()
        if path and file.suffix.lower() != ".zip":
            entries.append(Entry(path, file, file.stat().st_size))
            continue
        try:
            entries += _members(file, path and path[: -len(".zip")] + "/")
        except UserError as error:
            if refused is None:
                raise
            refused.append(error)
    return sorted(entries, key=lambda entry: entry.path)


@contextmanager
def open_entry(entry: Entry) -> Iterator[IO[bytes]]:
    """Open a file or an archive's member for reading. Raises ItemFailure for what cannot be read."""
    try:
        if not entry.member:
            with entry.file.open("rb") as stream:
                yield stream
            return
        with open_archive(entry.file).open(entry.member) as member:
            yield member
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        raise ItemFailure(f"damaged, or packed in an unknown way ({error})") from error
    except OSError as error:
        raise ItemFailure(f"cannot be read ({error.strerror or error})") from error


def glob_pattern(glob: str) -> re.Pattern[str]:
    """Return the pattern of a glob: `**/` any folders, `*` and `?` within a name, `[...]`; case is even.

    Raises ValueError for a range that runs backwards.
    """
    parts = re.findall(r"\*\*/|\*\*|\*|\?|\[!?[^\]]+\]|.", glob, re.DOTALL)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # what it says of [!--0] and the like
            return re.compile("".join(map(_translated, parts)), re.IGNORECASE | re.DOTALL)
    except re.error as error:
        raise ValueError(f"no glob: {error}") from None


def _translated(part: str) -> str:
    fixed = {"**/": "(?:.*/)?", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    if part in fixed:
        return fixed[part]
    if len(part) > 1:
        inner = part[1:-1].replace("\\", "\\\\").replace("[", "\\[")
        return f"[^/{inner[1:]}]" if inner.startswith("!") else f"[{inner}]"
    return re.escape(part)


def _files(root: Path) -> Iterator[Path]:
    seen: set[str] = set()
    for folder, folders, names in os.walk(root, followlinks=True):
        real = os.path.realpath(folder)
        if real in seen:
            folders.clear()
            continue
        seen.add(real)
        folders[:] = sorted(filter(_is_wanted, folders))
        yield from (Path(folder, name) for name in sorted(names) if _is_wanted(name))


def _is_wanted(name: str) -> bool:
    return not name.startswith(".") and name not in _JUNK


def _members(archive: Path, prefix: str) -> Iterator[Entry]:
    for name, member in open_archive(archive).members.items():
        if all(map(_is_wanted, PurePosixPath(name).parts)):
            yield Entry(prefix + name, archive, member.file_size, name, member.CRC)
