"""How far a text is from what it was made of: words that survive, edits of words and of characters."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

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
