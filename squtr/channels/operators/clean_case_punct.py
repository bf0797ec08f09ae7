"""clean-case/punct: small letters without punctuation, as a recogniser writes."""

from __future__ import annotations

import itertools
import re
import unicodedata

import numpy as np

from squtr.channels.changed import Changed, Edit, changed
from squtr.channels.words import protected_spans
from squtr.digest import digest

_SIGNS = "%‰&@#§"
_AREA_CODE = re.compile(r"\([0-9]+\)(?= ?[0-9])")
_INITIALS = re.compile(r"(?<![^\W\d_])[^\W\d_]\.[^\W\d_](?![^\W\d_])")


class CleanCasePunct:
    """Make capitals small and take punctuation out, except in numbers, addresses and codes.

    A mark between two letters, such as a hyphen, becomes a blank; an apostrophe and the points of U.S. go,
    and so does a mark that stands free, with one of its blanks. A text without letters stays as it is.

    "What's the U.S. well-known for in 2024?" becomes "whats the us well known for in 2024".
    """

    fingerprint = digest("clean-case/punct/2", unicodedata.unidata_version)
    languages = ()

    def change(self, text: str, language: str, rng: np.random.Generator) -> Changed:
        """Change a text; there is no chance in it."""
        if not any(char.isalpha() for char in text):
            return Changed(text)
        spans = [*protected_spans(text), *(match.span() for match in _AREA_CODE.finditer(text))]
        kept = {place for span in spans for place in range(*span)}
        runs = _runs(text, kept)
        return changed(text, [edit for start, end in runs for edit in _edits(text, start, end)])


def _runs(text: str, kept: set[int]) -> list[tuple[int, int]]:
    """Return the stretches of text between protected characters, and within, of joints and of the rest."""
    sorts = [
        "" if place in kept else "joint" if _is_joint(char) else "word" for place, char in enumerate(text)
    ]
    bounds = [0, *(place for place in range(1, len(text)) if sorts[place] != sorts[place - 1]), len(text)]
    return [(start, end) for start, end in itertools.pairwise(bounds) if sorts[start]]


def _edits(text: str, start: int, end: int) -> list[Edit]:
    run = text[start:end]
    if not _is_joint(run[0]):
        return [
            Edit("case", start + place, start + place + 1, char.lower())
            for place, char in enumerate(run)
            if char.lower() != char
        ]
    return [] if run.isspace() else [Edit("punctuation", start, end, _joint(text, start, end))]


def _joint(text: str, start: int, end: int) -> str:
    """Return what stays of marks and blanks: nothing at the ends, beside Chinese, for apostrophes."""
    run = text[start:end]
    if start == 0 or end == len(text) or run in ("'", "’") or _INITIALS.match(text, start - 1):
        return ""
    if any(char.isspace() for char in run):
        return " "
    return "" if _is_wide(text[start - 1]) or _is_wide(text[end]) else " "


def _is_joint(char: str) -> bool:
    return char.isspace() or (unicodedata.category(char)[0] == "P" and char not in _SIGNS)


def _is_wide(char: str) -> bool:
    return unicodedata.east_asian_width(char) == "W"
