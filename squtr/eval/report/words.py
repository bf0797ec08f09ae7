"""Values as the report shows them: numbers, names and conditions; what is undefined is a dash."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from squtr.data_build.layout import channel_of, without_channel
from squtr.languages import languages

DASH = "–"
NAME_LENGTH = 40
TEXT_LENGTH = 600
_NARROW_BLANK = "\u202f"
_UNSEEN = ("Cc", "Cs", "Zl", "Zp")
_DIRECTIONS = frozenset("\u061c\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_SNR = "snr_"


@dataclass(frozen=True, slots=True)
class Label:
    """A name as it is printed; `full` holds the whole of it where it was cut."""

    text: str
    full: str = ""


def label(name: str, length: int = NAME_LENGTH) -> Label:
    """Return any string as a name on one line of at most `length` characters, cut in its middle."""
    whole = visible(name)
    if not whole.strip():
        return Label("(no name)")
    if len(whole) <= length:
        return Label(whole)
    tail = length // 4
    return Label(f"{whole[: length - tail - 1]}…{whole[-tail:]}", whole)


def visible(text: str) -> str:
    """Return text without anything that acts unseen: controls and turns of direction become ⟨U+202E⟩."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(f"⟨U+{ord(char):04X}⟩" if _acts_unseen(char) else char for char in text)


def prose(text: str) -> str:
    """Return a query or a transcript for display: white space as blanks, the rest as `visible`."""
    return visible(" ".join(text.split()))


def language_name(language: str) -> str:
    """Return the English name of a language, or its code where none is known."""
    known = languages()
    return known[language].name if language in known else visible(language)


def snr_of(condition: str) -> float | None:
    """Return 10.0 for snr_10; None for text, clean and anything else."""
    try:
        return float(condition.removeprefix(_SNR)) if condition.startswith(_SNR) else None
    except ValueError:
        return None


def condition_label(condition: str) -> str:
    """Return `10 dB` for snr_10, `disfluent@0.5, 10 dB` behind a channel, other conditions as they are."""
    if channel := channel_of(condition):
        return f"{visible(channel)}, {condition_label(without_channel(condition))}"
    snr_db = snr_of(condition)
    return visible(condition) if snr_db is None else f"{_minus(f'{snr_db:g}')}{_NARROW_BLANK}dB"


def ordered(conditions: Iterable[str]) -> list[str]:
    """Return conditions as they get harder: text, clean, then falling SNR; those behind channels last."""
    return sorted(
        dict.fromkeys(conditions),
        key=lambda name: (channel_of(name) or "", *_difficulty(without_channel(name))),
    )


def score(value: float | None, digits: int = 3) -> str:
    """Return a number with a fixed count of decimals."""
    return DASH if value is None else number(value, digits)


def number(value: float, digits: int) -> str:
    """Return a number with a true minus sign and no negative zero."""
    text = f"{value:,.{digits}f}"
    if not text.startswith("-"):
        return text
    return text.removeprefix("-") if float(text.replace(",", "")) == 0 else _minus(text)


def percent(value: float | None, digits: int = 1) -> str:
    """Return a share of 1 as per cent."""
    return DASH if value is None else f"{number(100 * value, digits)}{_NARROW_BLANK}%"


def count(value: float) -> str:
    """Return a whole number with its thousands parted."""
    return f"{value:,.0f}"


def amount(value: float, noun: str) -> str:
    """Return `1 query`, `2 queries`: a count with its noun."""
    if value == 1:
        return f"1 {noun}"
    return f"{count(value)} {noun[:-1]}ies" if noun.endswith("y") else f"{count(value)} {noun}s"


def listed(items: Iterable[str], word: str = "and") -> str:
    """Return `a, b and c`."""
    *most, last = list(items) or [""]
    return f"{', '.join(most)} {word} {last}" if most else last


def _acts_unseen(char: str) -> bool:
    return char in _DIRECTIONS or unicodedata.category(char) in _UNSEEN


def _minus(text: str) -> str:
    return text.replace("-", "\u2212")


def _difficulty(condition: str) -> tuple[int, float, str]:
    snr_db = snr_of(condition)
    if snr_db is not None:
        return 2, -snr_db, ""
    return {"text": 0, "clean": 1}.get(condition, 3), 0.0, condition


def slice_words(slice_facts: dict[str, Any] | None) -> str:
    """Return what a reader must know of results on a slice, nothing for those on a whole data set."""
    if slice_facts is None:
        return ""
    return f"Measured on a slice of {visible(str(slice_facts['of']))}. {slice_facts['warning']}"
