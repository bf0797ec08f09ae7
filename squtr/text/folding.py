"""What both languages share: Unicode folding, punctuation by category, and the fixed point."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

Rule = tuple[re.Pattern[str], "str | Callable[[re.Match[str]], str]"]

_APOSTROPHES = dict.fromkeys(map(ord, "‘’‛ʼʹ′＇`´"), "'")
_GLUED = re.compile("(?<=[0-9])(?=[¼-¾⅐-⅞²³¹⁰⁴-⁹])")
_MARKS = re.compile("[\u0300-\u036f]+")


class _Visible(dict[int, str]):
    """A `str.translate` table, filled on demand: invisible characters to nothing, apostrophes to one."""

    def __missing__(self, code: int) -> str:
        category = unicodedata.category(chr(code))
        hidden = category in ("Cf", "Me") or 0xFE00 <= code <= 0xFE0F or 0xE0100 <= code <= 0xE01EF
        self[code] = _APOSTROPHES.get(code, "" if hidden else chr(code))
        return self[code]


class Kept(dict[int, str]):
    """A `str.translate` table, filled on demand: letters, marks, numbers, `others` stay."""

    def __init__(self, others: str = "") -> None:
        super().__init__({ord(char): char for char in others})

    def __missing__(self, code: int) -> str:
        self[code] = chr(code) if unicodedata.category(chr(code))[0] in "LMN" else " "
        return self[code]


_VISIBLE = _Visible()


def fold(text: str) -> str:
    """Return NFKC in lower case with one kind of apostrophe and without invisible characters.

    Superscripts and vulgar fractions are parted from the digit before them, so 2½ is not 21/2.
    """
    if text.isascii():
        return text.lower().replace("`", "'")
    visible = _GLUED.sub(" ", text.translate(_VISIBLE))
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", visible).lower())


def without_accents(text: str) -> str:
    """Return `text` without the combining marks U+0300 to U+036F: café becomes cafe."""
    if text.isascii():
        return text
    return unicodedata.normalize("NFC", _MARKS.sub("", unicodedata.normalize("NFD", text)))


def apply(rules: tuple[Rule, ...], text: str) -> str:
    """Apply substitutions in their order."""
    for pattern, replacement in rules:
        text = pattern.sub(replacement, text)
    return text


def settle(step: Callable[[str], str], text: str) -> str:
    """Return where repeated steps end, so that normalising twice changes nothing.

    Should the steps run in a circle, its smallest text is the end, wherever the circle was entered.
    """
    trail = [text]
    while (text := step(text)) != trail[-1]:
        if text in trail:
            return min(trail[trail.index(text) :])
        trail.append(text)
    return text


def ascending(low: str, high: str) -> bool:
    """Tell a range such as 5-10 or 1914-1918 from a score, a telephone number or a part number."""
    return int(low) < int(high) and low[0] != "0" and (len(low), len(high)) != (3, 4)
