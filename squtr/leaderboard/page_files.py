"""A rendered site on disk: the marker that says a folder is one, and its files."""

from __future__ import annotations

import json
from pathlib import Path

from squtr.errors import UserError

SITE_FILE = "site.json"
WHAT = "leaderboard of squtr"

Files = list[tuple[str, int]]


def is_marker(text: bytes) -> bool:
    """Say whether a file's contents are those of the marker."""
    try:
        found = json.loads(text)
    except ValueError:
        return False
    return isinstance(found, dict) and found.get("what") == WHAT


def is_site(folder: Path) -> bool:
    """Say whether a folder has the marker at its root."""
    marker = folder / SITE_FILE
    return marker.is_file() and is_marker(marker.read_bytes())


def site_files(folder: Path) -> Files:
    """Return a site's files, by their names within it, with their sizes in bytes.

    Raises UserError for a folder without the marker, and for anything in it that is neither file nor folder.
    """
    if not folder.is_dir() or not is_site(folder):
        raise UserError(
            f"{folder}: is no site, it has no {SITE_FILE} of one. squtr leaderboard render makes one."
        )
    found = []
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not (path.is_file() or path.is_dir()):
            raise UserError(f"{path}: is a link or a special file; none belongs to a site. Render it again.")
        if path.is_file():
            found.append((path.relative_to(folder).as_posix(), path.stat().st_size))
    return found
