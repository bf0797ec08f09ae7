"""Where the content folders are: inside the installed package, or at the top of a checkout."""

from __future__ import annotations

from pathlib import Path

_PACKAGE = Path(__file__).resolve().parent


def content(*parts: str) -> Path:
    """Return the path of a content file or folder, such as content("data_build", "recipes")."""
    installed = _PACKAGE / "content_files"
    root = installed if installed.is_dir() else _PACKAGE.parent
    return root.joinpath(*parts)
