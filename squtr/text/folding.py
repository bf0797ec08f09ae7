"""What both languages share: Unicode folding, punctuation by category, and the fixed point."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable

Rule = tuple[re.Pattern[str], "str | Callable[[re.Match[str]], str]"]

_APOSTROPHES = dict.fromkeys(map(ord, "‘’‛ʼʹ′＇`´"), "'")
_SYMBOL_MARK = "\0"
_SYMBOLS = re.compile(r"\s*\0[\0\s]*")
_ARROWS_AND_SHAPES = re.compile("[\u2190-\u21ff\u25a0-\u27bf\u27f0-\u27ff\u2900-\u297f\u2b00-\u2bff]")
_IDEOGRAPH = re.compile("[\u2e80-\u9fff\uff00-\uffef\U00020000-\U000323af]")
_SKIN_TONES = range(0x1F3FB, 0x1F400)
_GLUED = re.compile("(?<=[0-9])(?=[¼-¾⅐-⅞²³¹⁰⁴-⁹])")
_MARKS = re.compile("[\u0300-\u036f]+")


def _is_hidden(code: int) -> bool:
    return (
        unicodedata.category(chr(code)) in ("Cf", "Me")
        or 0xFE00 <= code <= 0xFE0F
        or 0xE0100 <= code <= 0xE01EF
    )


def _is_dropped_symbol(code: int) -> bool:
    """Tell emoji, arrows, shapes and unassigned characters from °, ℃, ㎏ and others that have words."""
    char = chr(code)
    if char == "°" or any(part.isalnum() for part in unicodedata.normalize("NFKC", char)):
        return False
    if _ARROWS_AND_SHAPES.match(char) or code in _SKIN_TONES:
        return True
    return unicodedata.category(char) in ("So", "Cn", "Co")


class _Sayable(dict[int, str]):
    """A `str.translate` table, filled on demand: invisible characters to nothing, symbols to a mark."""

    def __init__(self) -> None:
        super().__init__({0: " "})

    def __missing__(self, code: int) -> str:
        self[code] = "" if _is_hidden(code) else _SYMBOL_MARK if _is_dropped_symbol(code) else chr(code)
        return self[code]


class _Visible(dict[int, str]):
    """A `str.translate` table, filled on demand: invisible characters to nothing, apostrophes to one."""

    def __missing__(self, code: int) -> str:
        self[code] = _APOSTROPHES.get(code, "" if _is_hidden(code) else chr(code))
        return self[code]


class Kept(dict[int, str]):
    """A `str.translate` table, filled on demand: letters, marks, numbers, `others` stay."""

    def __init__(self, others: str = "") -> None:
        super().__init__({ord(char): char for char in others})

    def __missing__(self, code: int) -> str:
        self[code] = chr(code) if unicodedata.category(chr(code))[0] in "LMN" else " "
        return self[code]


_VISIBLE = _Visible()
_SAYABLE = _Sayable()


def fold(text: str) -> str:
    """Return NFKC in lower case with one kind of apostrophe and without invisible characters.

    Superscripts and vulgar fractions are parted from the digit before them, so 2½ is not 21/2.
    """
    if text.isascii():
        return text.lower().replace("`", "'")
    visible = _GLUED.sub(" ", text.translate(_VISIBLE))
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", visible).lower())


def without_symbols(text: str) -> str:
    """Return `text` without what a voice would name and the normalisers drop: emoji, arrows, dingbats.

    Joiners, variation selectors, keycaps, skin tones and flags go with them; °, ℃, % and currencies stay.
    No blank is left before punctuation or between two ideographs.
    """
    if text.isascii():
        return text
    return _SYMBOLS.sub(_gap, text.translate(_SAYABLE))


def _gap(match: re.Match[str]) -> str:
    before, after = match.string[: match.start()][-1:], match.string[match.end() :][:2]
    if not before or not after or re.match(r"[,.!?;:)](?!\w)", after):
        return ""
    closed = _IDEOGRAPH.match(before) or _IDEOGRAPH.match(after)
    return "" if closed and not match[0].strip(_SYMBOL_MARK) else " "


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
