"""The hesitations of each language, as channels/fillers.yaml lists them."""

from __future__ import annotations

import functools
from dataclasses import dataclass

import yaml

from squtr.content import content
from squtr.errors import UserError


@dataclass(frozen=True, slots=True)
class Fillers:
    """One language's row; the file tells of each field."""

    inserted: tuple[str, ...]
    before: str
    pause: str
    counted: frozenset[str]
    not_counted: frozenset[str]
    alone: frozenset[str]


@functools.cache
def all_fillers() -> dict[str, Fillers]:
    """Return the rows by language code."""
    rows = yaml.safe_load(content("channels", "fillers.yaml").read_text(encoding="utf-8"))
    return {
        code: Fillers(
            tuple(row["inserted"]),
            row["before"],
            row["pause"],
            frozenset(row["counted"]),
            frozenset(row["not_counted"]),
            frozenset(row["alone"]),
        )
        for code, row in rows.items()
    }


def fillers(language: str) -> Fillers:
    """Return a language's row. Raises UserError for a language without one."""
    rows = all_fillers()
    if language not in rows:
        raise UserError(f"No fillers are known for {language!r}. Known: {', '.join(sorted(rows))}.")
    return rows[language]
