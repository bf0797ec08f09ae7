"""Publish a site to a folder: the whole site takes the place of the earlier one in two renames."""

from __future__ import annotations

import shutil
from pathlib import Path

from squtr.errors import UserError
from squtr.leaderboard.page_files import Files
from squtr.leaderboard.replacing import check_place, replacing


def check_folder(site: Path, target: Path) -> None:
    """Raise UserError for a place that a site cannot be put in, or that holds something else."""
    there, mine = target.resolve(), site.resolve()
    if there == mine or there in mine.parents or mine in there.parents:
        raise UserError(f"{target}: is the site itself, or one lies in the other. Choose another folder.")
    check_place(target)


def send_to_folder(site: Path, files: Files, target: Path) -> None:
    """Put a site in the place of what is at `target`.

    What belongs to the place stays: entries whose names begin with a dot, such as `.git`, and `CNAME`.
    Raises UserError.
    """
    check_folder(site, target)
    try:
        with replacing(target) as fresh:
            copy_files(site, files, fresh)
    except OSError as error:
        raise UserError(f"{target}: cannot be written ({error.strerror}). Choose another folder.") from None


def copy_files(site: Path, files: Files, target: Path) -> None:
    """Copy a site's files to a folder."""
    target.mkdir(exist_ok=True)
    for name, _ in files:
        place = target / name
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(site / name, place)
