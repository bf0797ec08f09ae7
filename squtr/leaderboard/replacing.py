"""A site's folder whose files change all at once, and what stays in it."""

from __future__ import annotations

import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from squtr.errors import UserError
from squtr.leaderboard.page_files import SITE_FILE, is_site
from squtr.publish.fresh import part_folder
from squtr.store import temporary_name

_OWNERS = ("CNAME",)
_ANOTHER = "Choose another folder."


def resolved(target: Path) -> Path:
    """Return where a path leads. Raises UserError for a link to itself and the like."""
    try:
        return target.resolve()
    except (OSError, RuntimeError) as error:
        raise UserError(f"{target}: leads nowhere ({error}). {_ANOTHER}") from None


def check_place(target: Path) -> None:
    """Raise UserError where a site cannot be put: a file, or a folder that holds something else."""
    there, here = resolved(target), Path.cwd()
    if target.exists() and not target.is_dir():
        raise UserError(f"{target}: is a file, and a site is a folder. Choose another place.")
    if there == here or there in here.parents:
        raise UserError(f"{target}: is where this was called, and would be replaced. Call it from elsewhere.")
    if os.path.ismount(there):
        raise UserError(f"{target}: is a mount point, which cannot be replaced. Choose a folder in it.")
    if not there.is_dir():
        return
    if not os.access(there, os.W_OK | os.X_OK):
        raise UserError(f"{target}: cannot be written. {_ANOTHER}")
    if is_site(there):
        _refuse_strangers(target, there)
    elif any(not _stays(one) for one in there.iterdir()):
        raise UserError(
            f"{target}: holds files and no {SITE_FILE} of an earlier site, so it was left as it is. Choose an"
            " empty or new folder."
        )


def _refuse_strangers(target: Path, there: Path) -> None:
    """Raise UserError for entries that the site does not count as its own; older sites do not say."""
    own = json.loads((there / SITE_FILE).read_bytes()).get("holds")
    strange = [one.name for one in there.iterdir() if own and one.name not in own and not _stays(one)]
    if strange:
        raise UserError(
            f"{target}: holds {min(strange)!r} beside the site, which would be lost. Move it elsewhere."
        )


@contextmanager
def replacing(target: Path) -> Iterator[Path]:
    """Yield a folder that takes the place of the site at `target` in two renames.

    What belongs to the place stays: entries whose names begin with a dot, such as `.git`, and `CNAME`. A
    killed run is finished or taken back by the next. Raises UserError where it cannot be written.
    """
    there = target.resolve()
    old = there.with_name(f".{there.name}.replaced")
    with part_folder(target) as part:
        _recover(there, old)
        yield part
        check_place(target)
        try:
            _swap(there, part, old)
        except OSError as error:
            raise UserError(f"{target}: cannot be replaced ({error.strerror}). {_ANOTHER}") from None
    _clear(old)


def _recover(there: Path, old: Path) -> None:
    if not old.exists():
        return
    if not old.is_dir() or not is_site(old):
        raise UserError(f"{old}: is in the way. Move it elsewhere.")
    if not there.exists():
        old.rename(there)
        return
    _keep(old, there)
    _clear(old)


def _clear(old: Path) -> None:
    """Remove a site that was replaced, under a name that stands for nothing where it is cut short."""
    if old.exists():
        gone = temporary_name(old)
        old.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)


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
    _keep(old, there)


def _keep(old: Path, there: Path) -> None:
    for kept in old.iterdir():
        if _stays(kept) and not (there / kept.name).exists():
            kept.replace(there / kept.name)


def _stays(entry: Path) -> bool:
    return entry.name.startswith(".") or entry.name in _OWNERS
