"""How far a text is from what it was made of: words that survive, edits of words and of characters."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import astuple, dataclass, fields

from rapidfuzz.distance import DamerauLevenshtein, LCSseq

from squtr.channels.hesitations import counted_words
from squtr.channels.typed_runs import letters_of


@dataclass(frozen=True, slots=True)
class Distance:
    """Counts of one pair. Sizes are those of the source; edits are Damerau-Levenshtein distances.

    `kept`: words of the source that the text holds, each as often as both have it, in any order;
    `kept_in_order`: those of the longest common subsequence. `letters`: what a slip of the finger can touch,
    the letters of the source outside numbers, addresses and codes.
    """

    words: int
    kept: int
    kept_in_order: int
    word_edits: int
    characters: int
    character_edits: int
    letters: int

    @property
    def survival(self) -> float | None:
        """Share of the source's words that the text holds; None without words."""
        return self.kept / self.words if self.words else None

    @property
    def edits_per_word(self) -> float | None:
        """Edits of words over words of the source; None without words."""
        return self.word_edits / self.words if self.words else None

    @property
    def slips(self) -> int:
        """Edits of characters, at most as many as there are letters to touch."""
        return min(self.character_edits, self.letters)


def pooled(pairs: Iterable[tuple[str, str]], language: str) -> Distance:
    """Return the counts of all (source, text), added up; equal pairs are compared once."""
    totals = [0] * len(fields(Distance))
    for (source, text), times in Counter(pairs).items():
        found = astuple(distance(source, text, language))
        totals = [total + times * count for total, count in zip(totals, found, strict=True)]
    return Distance(*totals)


def distance(source: str, text: str, language: str) -> Distance:
    """Compare a text with its source: words as they are counted, characters as they are written."""
    before, after = counted_words(source, language), counted_words(text, language)
    return Distance(
        len(before),
        sum((Counter(before) & Counter(after)).values()),
        LCSseq.similarity(before, after),
        DamerauLevenshtein.distance(before, after),
        len(source),
        DamerauLevenshtein.distance(source, text),
        len(letters_of(source, language)),
    )
