"""The words of one text as they are counted, and its fillers and repetitions."""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from squtr.channels.fillers import all_fillers, fillers
from squtr.languages import language_row
from squtr.text.folding import fold
from squtr.text.segmenter import chinese_words

_GLUED = re.compile(r"\b(\w+)-(?=\1\b)")
_DASH = re.compile(r"[–—―]+|-{2,}")
_END = re.compile(r"(?<!\.)\.(?=[\"'”)\]]*(?:\s|$))|[?!。]")
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_RUNS = re.compile(r"(?:\w|(?<=[0-9])\.(?=[0-9]))+|\W+")
_STOP = "\0"


class _Told(NamedTuple):
    """A word, or the end of a sentence. `parted`: a mark stands before it."""

    word: str
    parted: bool = True
    is_filler: bool = False


@dataclass(frozen=True, slots=True)
class Hesitations:
    """Counts of one text. `words` holds the fillers too; `first` is 1 when the first word is a filler."""

    words: int
    fillers: int
    repetitions: int
    first: int

    @property
    def total(self) -> int:
        """Fillers and repetitions."""
        return self.fillers + self.repetitions


def hesitations(text: str, language: str) -> Hesitations:
    """Count a text's fillers and repetitions. Raises UserError for a language without fillers.

    A repetition is a word said again (`the- the`), also behind fillers (`I, uh, I`), or a phrase of two words
    (`are you- are you`), within one sentence. Chinese needs a mark or a filler in between: 看看 is none.
    """
    fillers(language)
    told = _told(text, language)
    words = [one for one in told if one.word != _STOP]
    filled = sum(one.is_filler for one in words)
    return Hesitations(len(words), filled, _repetitions(told), int(bool(words) and words[0].is_filler))


def counted_words(text: str, language: str) -> list[str]:
    """Return the words that are counted, in lower case without the marks around them, fillers included.

    Dashes part words; a hyphen does between equal parts alone (`I-I`). Those of Chinese are its segmenter's;
    in other languages whose errors are counted by character, every letter and digit is one.
    """
    return [one.word for one in _told(text, language) if one.word != _STOP]


def _told(text: str, language: str) -> list[_Told]:
    folded = fold(text)
    if language == "zh":
        return list(_chinese(folded))
    if language_row(language).unit == "character":
        return [_Told(char) for char in folded if char.isalnum()]
    row = all_fillers().get(language)
    return list(_blank_delimited(folded, row.counted if row else frozenset()))


def _blank_delimited(text: str, counted: frozenset[str]) -> Iterator[_Told]:
    parted = _END.sub(f" {_STOP} ", _DASH.sub(" ", _GLUED.sub(r"\1 ", text)))
    for piece in parted.split():
        word = piece if piece == _STOP else _EDGES.sub("", piece)
        if word:
            yield _Told(word, is_filler=word in counted)


def _chinese(text: str) -> Iterator[_Told]:
    whole, parted = fillers("zh").not_counted, True
    for place, piece in enumerate(_splitter().split(text)):
        if place % 2:
            yield _Told(piece, is_filler=piece not in whole)
            parted = piece not in whole
            continue
        for run in _RUNS.findall(piece):
            if run[0].isalnum():
                for word in chinese_words(run):
                    yield _Told(word, parted)
                    parted = False
            elif _END.search(run):
                yield _Told(_STOP)
            parted = not run[0].isalnum()


@functools.cache
def _splitter() -> re.Pattern[str]:
    row = fillers("zh")
    whole, anywhere, alone = map(_either, (row.not_counted, row.counted, row.alone))
    edge = r"\s,;:。、?!.…—-"
    return re.compile(rf"({whole}|{anywhere}|(?<![^{edge}])(?:{alone})(?=[{edge}]))")


def _either(words: Iterable[str]) -> str:
    return "|".join(map(re.escape, sorted(words, key=len, reverse=True)))


def _repetitions(told: Iterable[_Told]) -> int:
    words: list[_Told] = []
    behind = False
    for one in told:
        if not one.is_filler:
            words.append(one._replace(parted=one.parted or behind))
        behind = one.is_filler
    count = place = 0
    while place < len(words):
        step = _said_again(words, place)
        count += bool(step)
        place += step or 1
    return count


def _said_again(words: Sequence[_Told], place: int) -> int:
    """Return how many words from `place` on are said again right behind: 0, 1, or 2 that differ."""
    one, *rest = words[place : place + 4]
    if one.word == _STOP or not rest:
        return 0
    if rest[0].word == one.word:
        return int(rest[0].parted)
    again = [other.word for other in rest[1:]] == [one.word, rest[0].word]
    return 2 if again and rest[0].word != _STOP and rest[1].parted else 0
