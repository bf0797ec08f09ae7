"""The palette, light and dark, that report and leaderboard share."""

from __future__ import annotations

from pathlib import Path

from squtr.content import content

TEMPLATES = ("eval", "report")


def stylesheet(path: Path) -> str:
    """Return a style sheet behind the palette."""
    return "".join(one.read_text(encoding="utf-8") for one in (content(*TEMPLATES, "palette.css"), path))
