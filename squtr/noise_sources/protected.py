"""Noise that must not be passed on, known by its ids where nothing else tells of its terms."""

from __future__ import annotations

import functools
from collections.abc import Iterable

from squtr.noise_sources.catalogue import built_in, read_catalogue


def protected_by_id(noise_ids: Iterable[str]) -> str | None:
    """Return the terms of the first built-in source that has one of these ids and must not be passed on."""
    for noise_id in sorted(noise_ids):
        for start, terms in _starts():
            if f"{noise_id.lower()}_".startswith(start):
                return terms
    return None


@functools.cache
def _starts() -> tuple[tuple[str, str], ...]:
    """Return (start of an id with an underscore behind it, terms) of every category with files of its own."""
    catalogues = [read_catalogue(path) for path in built_in().values()]
    return tuple(
        (f"{start}_", f"{one.title}: {one.terms}")
        for one in catalogues
        if not one.redistribute
        for category in one.categories
        if one.globs(category)
        and (start := one.id.format(category=category, path="", stem="").strip("_").lower())
    )
