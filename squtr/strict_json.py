"""JSON from elsewhere, strictly: each key of an object once, and no NaN or infinity."""

from __future__ import annotations

import json
from typing import Any, NoReturn


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a key stands twice")
    return found


def _no_constant(word: str) -> NoReturn:
    raise ValueError(f"{word} is no finite number")


STRICT = json.JSONDecoder(object_pairs_hook=_once, parse_constant=_no_constant)
