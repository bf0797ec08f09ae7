"""Fetch the archives of a catalogue: downloaded, checked, and taken down in a lock file."""

from __future__ import annotations

import hashlib
import json
import zipfile
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import filelock

from squtr.archive import open_archive
from squtr.errors import UserError, did_you_mean
from squtr.noise_sources.catalogue import Archive, Catalogue
from squtr.noise_sources.download import Patience, Progress, download
from squtr.store import write_atomic

LOCK_FILE = "noise-lock.json"
_PATIENCE = Patience()
_READ = 1 << 20
_TRIES = 2


@dataclass(frozen=True, slots=True)
class Fetched:
    """One archive in the folder; `status` is fetched, or kept: it was there and is the right one."""

    file: str
    category: str
    rate: str
    bytes: int
    sha256: str
    status: str


@dataclass(frozen=True, slots=True)
class _Sums:
    bytes: int
    md5: str
    sha256: str


def wanted_archives(catalogue: Catalogue, categories: Sequence[str], rate: str) -> list[Archive]:
    """Return an archive for each category (all of them when none is named), at `rate` where there is one.

    Raises UserError for a catalogue without a download, an unknown category, and an unknown rate.
    """
    if catalogue.download is None:
        raise UserError(f"{catalogue.name} has no download. Licence: {catalogue.terms}. Use your own copy.")
    archives = catalogue.download.archives
    offered = {archive.category.lower(): archive.category for archive in archives}
    for name in categories:
        if name.lower() not in offered:
            raise UserError(
                f"{catalogue.name}: no archive of {name!r}.{did_you_mean(name, offered.values())}"
            )
    if rate not in {archive.rate for archive in archives}:
        raise UserError(
            f"{catalogue.name}: no rate {rate!r}.{did_you_mean(rate, {a.rate for a in archives})}"
        )
    names = {name.lower() for name in categories} or set(offered)
    found: dict[str, Archive] = {}
    for archive in sorted(archives, key=lambda archive: archive.rate != rate):
        if archive.category.lower() in names:
            found.setdefault(archive.category, archive)
    return sorted(found.values(), key=lambda archive: archive.file)


def fetch(
    catalogue: Catalogue,
    archives: Sequence[Archive],
    folder: Path,
    base_url: str = "",
    patience: Patience = _PATIENCE,
    progress_of: Callable[[Archive], Progress] = lambda archive: lambda there, total: None,
) -> list[Fetched]:
    """Bring archives into `folder`. Each appears only when it is whole, and a zip archive throughout.

    `base_url` takes the place of the catalogue's: an address to which `/FILE` is added, or one with `{file}`.
    Raises UserError when an archive cannot be had, or is not the one that the catalogue or noise-lock.json
    knows, and when there is no address. What was fetched before then stays.
    """
    if not (base_url or (catalogue.download and catalogue.download.url)):
        raise UserError(
            f"{catalogue.name}: its catalogue has no address for the archives. Name one: --base-url takes"
            " what stands before /FILE, or an address with {file} in it."
        )
    folder.mkdir(parents=True, exist_ok=True)
    try:
        with filelock.FileLock(folder / ".noise-fetch.lock", timeout=0):
            return [
                _fetch(catalogue, each, folder, base_url, patience, progress_of(each)) for each in archives
            ]
    except filelock.Timeout:
        raise UserError(f"{folder}: another squtr noise fetch is at work there. Wait for it.") from None


def _fetch(
    catalogue: Catalogue,
    archive: Archive,
    folder: Path,
    base_url: str,
    patience: Patience,
    progress: Progress,
) -> Fetched:
    target = folder / archive.file
    known = _read_lock(folder).get(archive.file, {}).get("sha256")
    if target.is_file():
        sums = _sums(target)
        if wrong := _wrong(archive, known, sums):
            raise UserError(f"{target}: {wrong}. Delete it to have it fetched anew.")
        status = "kept"
    else:
        sums = _downloaded(catalogue, archive, target, base_url, known, patience, progress)
        status = "fetched"
    _write_lock(catalogue, archive, folder, base_url, sums)
    return Fetched(archive.file, archive.category, archive.rate, sums.bytes, sums.sha256, status)


def _downloaded(
    catalogue: Catalogue,
    archive: Archive,
    target: Path,
    base_url: str,
    known: str | None,
    patience: Patience,
    progress: Progress,
) -> _Sums:
    url, part = url_of(catalogue, archive, base_url), target.with_name(target.name + ".part")
    for _ in range(_TRIES):
        download(url, part, archive.bytes, patience, progress)
        sums = _sums(part)
        wrong = _wrong(archive, known, sums)
        if wrong is None:
            _refuse_damaged(part)
            part.replace(target)
            return sums
        part.unlink()
    raise UserError(
        f"{url}: {wrong} (downloaded {_TRIES} times, thrown away). Name a mirror with --base-url; if the"
        " archive was changed on purpose, correct a copy of the catalogue and name that."
    )


def url_of(catalogue: Catalogue, archive: Archive, base_url: str = "") -> str:
    """Return the address of an archive."""
    base = base_url or (catalogue.download.url if catalogue.download else "")
    return base.replace("{file}", archive.file) if "{file}" in base else f"{base.rstrip('/')}/{archive.file}"


def _wrong(archive: Archive, known: str | None, sums: _Sums) -> str | None:
    if archive.bytes not in (None, sums.bytes):
        return f"{sums.bytes} bytes, the catalogue says {archive.bytes}"
    if archive.sha256 not in (None, sums.sha256):
        return f"SHA-256 is {sums.sha256}, the catalogue says {archive.sha256}"
    if archive.md5 not in (None, sums.md5):
        return f"MD5 is {sums.md5}, the catalogue says {archive.md5}"
    if known not in (None, sums.sha256):
        return f"SHA-256 is {sums.sha256}, {LOCK_FILE} says {known}"
    return None


def _sums(path: Path) -> _Sums:
    md5, sha256, size = hashlib.md5(usedforsecurity=False), hashlib.sha256(), 0
    with path.open("rb") as file:
        while block := file.read(_READ):
            md5.update(block)
            sha256.update(block)
            size += len(block)
    return _Sums(size, md5.hexdigest(), sha256.hexdigest())


def _refuse_damaged(part: Path) -> None:
    """Raise UserError, and throw the file away, unless it is a zip archive whose every member is whole."""
    try:
        with open_archive(part).file as archive:
            bad = archive.testzip()
    except UserError as error:
        part.unlink()
        raise UserError(f"{error} It was thrown away.") from None
    except (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError) as error:
        bad = str(error)
    if bad is not None:
        part.unlink()
        raise UserError(
            f"{part.name}: a damaged zip archive ({bad}), thrown away. Fetch it again, or elsewhere."
        )


def _read_lock(folder: Path) -> dict[str, dict[str, Any]]:
    path = folder / LOCK_FILE
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
        return {str(name): dict(facts) for name, facts in plain["archives"].items()}
    except FileNotFoundError:
        return {}
    except (ValueError, TypeError, KeyError, AttributeError):
        raise UserError(f"{path}: not as squtr wrote it. Restore it, or delete it to begin anew.") from None


def _write_lock(catalogue: Catalogue, archive: Archive, folder: Path, base_url: str, sums: _Sums) -> None:
    archives = _read_lock(folder)
    facts = {"bytes": sums.bytes, "md5": sums.md5, "sha256": sums.sha256}
    if all(archives.get(archive.file, {}).get(key) == value for key, value in facts.items()):
        return
    archives[archive.file] = facts | {"url": url_of(catalogue, archive, base_url)}
    plain = {
        "source": catalogue.name,
        "licence": catalogue.licence,
        "archives": dict(sorted(archives.items())),
    }
    write_atomic(folder / LOCK_FILE, json.dumps(plain, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
