"""The files of a published data set, in a zip archive or a folder: names, sizes, and what is in them."""

from __future__ import annotations

import zipfile
from pathlib import Path, PurePosixPath
from typing import IO, Protocol

from squtr.archive import Archive, open_archive
from squtr.errors import UserError

_ASIDE = ("__MACOSX", ".")


class Listing(Protocol):
    """Files by name relative to the source, `/` between the parts."""

    source: Path
    sizes: dict[str, int]

    def open(self, name: str) -> IO[bytes]:
        """Open a file for reading."""
        ...


class ZipListing:
    """The members of an archive, in the order they lie in it."""

    def __init__(self, source: Path) -> None:
        self.source = source
        self._archive: Archive = open_archive(source)
        infos: list[zipfile.ZipInfo] = sorted(
            self._archive.members.values(), key=lambda one: one.header_offset
        )
        self.sizes = {one.filename: one.file_size for one in infos if not _is_aside(one.filename)}

    def open(self, name: str) -> IO[bytes]:
        return self._archive.open(name)


class FolderListing:
    """The files below a folder, sorted; links are left out."""

    def __init__(self, source: Path) -> None:
        self.source = source
        self.sizes = {
            name: path.stat().st_size
            for path in sorted(source.rglob("*"))
            if path.is_file()
            and not path.is_symlink()
            and not _is_aside(name := path.relative_to(source).as_posix())
        }

    def open(self, name: str) -> IO[bytes]:
        return (self.source / name).open("rb")


def list_files(source: Path) -> Listing:
    """Return the files of an archive or a folder. Raises UserError when it is neither."""
    if source.is_dir():
        return FolderListing(source)
    if not source.is_file():
        raise UserError(f"{source}: no such folder or archive.")
    if source.suffix.lower() != ".zip":
        raise UserError(f"{source}: is no folder and no .zip archive.")
    return ZipListing(source)


def subset_places(listing: Listing) -> tuple[str, list[str]]:
    """Return what all subsets lie below, and each subset as {language}/{subset}.

    Raises UserError when there is none, or they lie below different folders.
    """
    found = {
        PurePosixPath(name).parent
        for name in listing.sizes
        if PurePosixPath(name).match("*/*/queries_with_audio_*.jsonl")
    }
    prefixes = {place.parent.parent.as_posix() for place in found}
    if not found:
        raise UserError(
            f"{listing.source}: no {{language}}/{{subset}}/queries_with_audio_*.jsonl in it, so this is not"
            " SQuTR's layout."
        )
    if len(prefixes) > 1:
        raise UserError(
            f"{listing.source}: subsets lie below {' and '.join(sorted(prefixes))}. Name one of the folders."
        )
    prefix = prefixes.pop()
    return "" if prefix == "." else prefix, sorted("/".join(place.parts[-2:]) for place in found)


def _is_aside(name: str) -> bool:
    return any(part.startswith(_ASIDE) for part in name.split("/"))
