"""A small site, as the renderer leaves one."""

from __future__ import annotations

import json
from pathlib import Path

from squtr.leaderboard.page_files import SITE_FILE, WHAT

PAGES = {
    "index.html": b"<!doctype html>\n<title>Board</title>\n",
    "systems/a-system.html": b"<p>\r\nA system\n",
    "data/board.csv": b"system,score\r\nA,0.5\r\n",
    "assets/.hidden.woff2": bytes(range(256)),
}


def write_site(folder: Path, **pages: bytes) -> Path:
    """Write a site; `pages` are added to it, `_` in their names for `/`."""
    for name, data in {**PAGES, **{name.replace("_", "/"): data for name, data in pages.items()}}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    (folder / SITE_FILE).write_text(json.dumps({"what": WHAT}))
    return folder


def bytes_of(folder: Path) -> dict[str, bytes]:
    """Return all files by their names."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
