"""The form a text is read aloud in: numbers, money, dates and units in words.

The words come from the reader that a language's row names (`readers`, `plain`).
"""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass
from itertools import pairwise

from rapidfuzz.distance import Levenshtein

from squtr.errors import ItemFailure
from squtr.text.folding import without_symbols
from squtr.text.readers import Reader

Span = tuple[int, int, int, int]

_UNREADABLE = re.compile("[\x00-\x1f\x7f\ud800-\udfff]+")
_IDEOGRAPH = "\u3400-\u9fff\U00020000-\U000323af"
_TOKENS = re.compile(f"[{_IDEOGRAPH}]|[0-9]+|[^\\W0-9_{_IDEOGRAPH}]+(?:'[a-z]+)?|[^\\w\\s]|_")


@dataclass(frozen=True, slots=True)
class Reading:
    """A written text and how it is spoken.

    `spans` holds (written start, written end, spoken start, spoken end) in characters, in order, for every
    stretch that differs: putting the spoken stretches in place of the written ones gives `spoken`.
    """

    written: str
    spoken: str
    spans: tuple[Span, ...]


def read_aloud(text: str, language: str) -> Reading:
    """Return the text as it is read aloud; punctuation stays, blanks become one, emoji go.

    Raises ItemFailure when nothing in it can be said, UserError for an unknown language.
    """
    spoken = _reader(language).spoken(" ".join(_UNREADABLE.sub(" ", without_symbols(text)).split()))
    if not any(char.isalnum() for char in spoken):
        raise ItemFailure("nothing in the text can be read aloud")
    return Reading(text, spoken, _spans(text, spoken))


def reading_fingerprint(language: str) -> str:
    """Return what decides the spoken form: rules, package, version and options. Raises UserError."""
    return _reader(language).fingerprint


@functools.cache
def _reader(language: str) -> Reader:
    from squtr import languages, plugins

    row = languages.language_row(language)
    found: Reader = plugins.load("reading", row.reading, language=row)
    return found


def _spans(written: str, spoken: str) -> tuple[Span, ...]:
    source, target = list(_TOKENS.finditer(written)), list(_TOKENS.finditer(spoken))
    blocks = Levenshtein.opcodes([m[0] for m in source], [m[0] for m in target])
    kept = [(0, 0, 0, 0)]
    for op in blocks:
        if op.tag == "equal":
            pairs = zip(source[op.src_start : op.src_end], target[op.dest_start : op.dest_end], strict=True)
            kept += [(*a.span(), *b.span()) for a, b in pairs]
    kept.append((len(written), len(written), len(spoken), len(spoken)))
    gaps = [(a[1], b[0], a[3], b[2]) for a, b in pairwise(kept)]
    return tuple(
        _trimmed(written, spoken, gap) for gap in gaps if written[gap[0] : gap[1]] != spoken[gap[2] : gap[3]]
    )


def _trimmed(written: str, spoken: str, gap: Span) -> Span:
    """Leave blanks that both sides share at the ends out of a span."""
    w_start, w_end, s_start, s_end = gap
    while w_start < w_end and s_start < s_end and written[w_start] == spoken[s_start] == " ":
        w_start, s_start = w_start + 1, s_start + 1
    while w_start < w_end and s_start < s_end and written[w_end - 1] == spoken[s_end - 1] == " ":
        w_end, s_end = w_end - 1, s_end - 1
    return w_start, w_end, s_start, s_end
