"""Values of settings and rows as they stand in a sentence."""

from __future__ import annotations

import json
import re
from typing import Any

MISSING = "(not there)"
_SAID_BY_THE_KEY = ("name", "judge", "language")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_DIGEST_SHOWN = 12
_MOST = 60
_BEFORE = 12


def pair(a: Any, b: Any) -> str:
    """Return `a -> b`; where both are long, what they share at their start is left out."""
    one, other = words(a), words(b)
    shared = next((n for n, (x, y) in enumerate(zip(one, other, strict=False)) if x != y), 0) - _BEFORE
    if shared > 0 and max(len(one), len(other)) > _MOST:
        one, other = f"…{one[shared:]}", f"…{other[shared:]}"
    return f"{_cut(one)} -> {_cut(other)}"


def words(value: Any) -> str:
    """Return a value without what its key says already; digests are shortened."""
    if value is None:
        return "none"
    if isinstance(value, str):
        return f"{value[:_DIGEST_SHOWN]}…" if _DIGEST.fullmatch(value) else value
    if isinstance(value, dict):
        told = {name: one for name, one in value.items() if name not in _SAID_BY_THE_KEY and one is not None}
        return ", ".join(f"{name} {_inside(one)}" for name, one in told.items()) or "there"
    if isinstance(value, list) and any(isinstance(one, dict) for one in value):
        return "; ".join(_member(one) for one in value)
    return json.dumps(value, ensure_ascii=False)


def _inside(value: Any) -> str:
    return f"({words(value)})" if isinstance(value, dict) else words(value)


def _member(value: Any) -> str:
    """Return a member of a list with its name, such as a judge and its score."""
    name = (
        next((value[key] for key in _SAID_BY_THE_KEY if key in value), "") if isinstance(value, dict) else ""
    )
    told = _inside(value)
    return name if name and told == "(there)" else f"{name} {told}".strip()


def _cut(text: str) -> str:
    return text if len(text) <= _MOST else f"{text[: _MOST - 1]}…"
