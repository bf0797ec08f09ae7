"""The words of a text, which of them are left alone, and a share of them drawn."""

from __future__ import annotations

import importlib.metadata
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from squtr.text.segmenter import chinese_words

_TEXT = r"[^\s\u2e80-\u9fff\uf900-\ufaff\uff00-\uffef]"
_PROTECTED = re.compile(
    rf"""
    `[^`]*`                              # code in backticks
    | (?:https?://|www\.){_TEXT}+        # addresses of pages
    | [\w.+-]+@[\w-]+(?:\.[\w-]+)+       # e-mail addresses
    | {_TEXT}*\d{_TEXT}*                 # whatever holds a digit
    | [A-Za-z_\\/.]*[_\\/][\w\\/.]*      # paths and names_with_lines
    | \w+(?:\.\w+)*\(\)                  # calls()
    | [$\#@]\w+                          # $names, #tags, @handles
    """,
    re.VERBOSE,
)
_LETTERS = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_MARKS = ".,;:!?\"'“”‘’«»…"
_LATIN = r"A-Za-zªº\u00c0-\u024f\u1e00-\u1eff\ufb00-\ufb06\uff21-\uff3a\uff41-\uff5a"
_HAN = r"々\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
_OTHER_SCRIPT = {
    **dict.fromkeys(("de", "en", "es", "fr"), re.compile(rf"[^\W\d_{_LATIN}]+")),
    "zh": re.compile(rf"[^\W\d_{_LATIN}{_HAN}]+"),
}
_CHINESE_NUMERALS = frozenset("〇零一二三四五六七八九十百千万亿两")


@dataclass(frozen=True, slots=True)
class Word:
    """A word where it stands: text[start:end]."""

    start: int
    end: int
    text: str


def words_version() -> str:
    """Return what decides where words are: our rules and the segmenter."""
    return f"words-4+jieba-{importlib.metadata.version('jieba')}"


def protected_spans(text: str) -> list[tuple[int, int]]:
    """Return the spans no operator may touch: numbers, e-mail and page addresses, codes.

    Marks of the sentence around them are no part of them.
    """
    return [_without_marks(match) for match in _PROTECTED.finditer(text) if match.group().strip(_MARKS)]


def words(text: str, language: str) -> list[Word]:
    """Return all words of letters that are not protected, in order.

    Those of Chinese come from its segmenter, and none holds a numeral; elsewhere they are runs of letters,
    with apostrophes and hyphens inside. Letters of a script that the language is not written in are no
    part of them.
    """
    return free_and_all(text, language)[0]


def free_and_all(text: str, language: str) -> tuple[list[Word], int]:
    """Return `words`, and how many words the text has in all, a protected span counting as one."""
    found = marked_words(text, language)
    return [word for word, free in found if free], len(found)


def marked_words(text: str, language: str) -> list[tuple[Word, bool]]:
    """Return all words in order, a protected span as one, each with whether it may be changed."""
    kept = protected_spans(text)
    found = _segmented(text) if language == "zh" else _runs(text)
    marked = [
        (part, own and (language != "zh" or not _CHINESE_NUMERALS & set(part.text)))
        for word in found
        if not _meets(word, kept)
        for part, own in _by_script(word, language)
    ]
    marked += [(Word(start, end, text[start:end]), False) for start, end in kept]
    return sorted(marked, key=lambda one: one[0].start)


def drawn(count: int, rate: float, rng: np.random.Generator, among: Sequence[int] | None = None) -> list[int]:
    """Draw positions for a share of `count` words, in order: exact where rate * count is whole.

    Otherwise one more or one less, by chance, so that the share is right over many texts. `among`: the
    positions that can be drawn; fewer than wanted are all taken. A higher rate keeps what a lower one drew.
    """
    offered = list(range(count)) if among is None else list(among)
    wanted = int(np.floor(rate * count + rng.random()))
    order = rng.permutation(len(offered))
    return sorted(offered[place] for place in order[:wanted])


def _without_marks(match: re.Match[str]) -> tuple[int, int]:
    held = match.group().lstrip(_MARKS + "([")
    start = match.end() - len(held)
    return start, start + len(held.rstrip(_MARKS + ("" if "(" in held else ")]")))


def _by_script(word: Word, language: str) -> Iterator[tuple[Word, bool]]:
    """Yield the parts of a word, each with whether the language is written in its script."""
    other = _OTHER_SCRIPT.get(language)
    if other is None:
        yield word, True
        return
    at = 0
    for match in (*other.finditer(word.text), None):
        start, end = match.span() if match else (len(word.text), 0)
        between = word.text[at:start]
        if any(char.isalpha() for char in between):
            yield Word(word.start + at, word.start + start, between), True
        if match:
            yield Word(word.start + start, word.start + end, match.group()), False
        at = end


def _meets(word: Word, spans: Sequence[tuple[int, int]]) -> bool:
    return any(word.start < end and start < word.end for start, end in spans)


def _runs(text: str) -> list[Word]:
    return [Word(*match.span(), match.group()) for match in _LETTERS.finditer(text)]


def _segmented(text: str) -> list[Word]:
    found, at = [], 0
    for piece in chinese_words(text):
        if any(char.isalpha() for char in piece):
            found.append(Word(at, at + len(piece), piece))
        at += len(piece)
    return found
