"""A number and its noun, as they stand in a sentence."""

from __future__ import annotations

from squtr.collection.findings import plural


def counted(count: int, noun: str) -> str:
    """Return `1 take`, `2,000 takes`, `0 queries`."""
    return f"{count:,} {plural(noun, count)}"
