"""Publish a site to a folder: the whole site takes the place of the earlier one in two renames."""

from __future__ import annotations

import shutil
import tempfile
from pathlib import Path

from squtr.errors import UserError
from squtr.leaderboard.page_files import SITE_FILE, Files, is_site

_OWNERS = ("CNAME",)


def check_folder(site: Path, target: Path) -> None:
    """Raise UserError for a place that a site cannot be put in, or that holds something else."""
    there, mine = target.resolve(), site.resolve()
    if there == mine or there in mine.parents or mine in there.parents:
        raise UserError(f"{target}: is the site itself, or one lies in the other. Choose another folder.")
    if target.exists() and not target.is_dir():
        raise UserError(f"{target}: is no folder. Choose another place.")
    if target.is_dir() and any(target.iterdir()) and not is_site(target):
        raise UserError(
            f"{target}: holds files and no {SITE_FILE} of an earlier site, so it was left as it is. Choose an"
            " empty or new folder."
        )


def send_to_folder(site: Path, files: Files, target: Path) -> None:
    """Put a site in the place of what is at `target`.

    What belongs to the place stays: entries whose names begin with a dot, such as `.git`, and `CNAME`.
    Raises UserError.
    """
    check_folder(site, target)
    there = target.resolve()
    try:
        there.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(prefix=f".{there.name}.", dir=there.parent) as work:
            fresh, old = Path(work) / "new", Path(work) / "old"
            copy_files(site, files, fresh)
            _swap(there, fresh, old)
    except OSError as error:
        raise UserError(f"{target}: cannot be written ({error.strerror}). Choose another folder.") from None


def copy_files(site: Path, files: Files, target: Path) -> None:
    """Copy a site's files to a new folder."""
    target.mkdir()
    for name, _ in files:
        place = target / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(site / name, place)


def _swap(there: Path, fresh: Path, old: Path) -> None:
    if not there.exists():
        fresh.rename(there)
        return
    shutil.copymode(there, fresh)
    there.rename(old)
    try:
        fresh.rename(there)
    except OSError:
        old.rename(there)
        raise
    for kept in old.iterdir():
        if (kept.name.startswith(".") or kept.name in _OWNERS) and not (there / kept.name).exists():
            kept.replace(there / kept.name)
