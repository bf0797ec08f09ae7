"""Paths in a recipe's `mix.noise`: they start from the recipe's folder, like every other path in it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from squtr.plugins import BUILT_IN, join_spec, split_spec

_PATHS = frozenset({"path", "cache", *BUILT_IN["noise"]})


def place_noise(spec: str, base: Path) -> str:
    """Return a noise spec whose relative paths are absolute, from `base` on.

    `path`, `cache` and the options named like a source, such as `demand=FOLDER`, are paths. Any other option
    is one when something lies there: a catalogue, a preset, a source of one's own.
    """
    name, options = split_spec(spec)
    placed = {key: _placed(key, value, base) for key, value in options.items()}
    if placed == options:
        return spec
    return join_spec(name, placed)


def _placed(key: str, value: Any, base: Path) -> Any:
    if not isinstance(value, str) or not value or value.startswith("~") or "\0" in value:
        return value
    place = base.resolve() / value
    return str(place) if key in _PATHS or place.exists() else value
