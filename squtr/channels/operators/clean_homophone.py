"""clean+homophone: a word becomes one that sounds like it, as dictation mishears."""

from __future__ import annotations

import numpy as np

from squtr.channels.changed import Changed, Edit, changed
from squtr.channels.keyboard import sounds_like
from squtr.channels.slips import pick
from squtr.channels.spoken_words import homophone_languages, homophones
from squtr.channels.words import drawn, free_and_all, words_version
from squtr.digest import digest
from squtr.options import number_option


class CleanHomophone:
    """Put a homophone in the place of a share of the words, as far as there are words that have one.

    Numbers, in digits or words, are neither changed nor put in. In Chinese a word of two characters becomes
    another with the same Pinyin and tones; where there is none, one character does. The lists:
    channels/homophones.

    At a rate of 0.3 "how deep is the sea near the islands of Greece" becomes
    "how deep is the see near the islands of Grease".
    """

    def __init__(self, rate: float = 0.2) -> None:
        self.rate = number_option("clean+homophone: rate", rate, 0.0, 1.0)

    @property
    def fingerprint(self) -> str:
        """Version, rate, the lists and what decides the words."""
        lists = {code: homophones(code) for code in self.languages}
        return digest("clean+homophone/1", self.rate, lists, sounds_like(), words_version())

    @property
    def languages(self) -> tuple[str, ...]:
        """Those with a list."""
        return homophone_languages()

    def change(self, text: str, language: str, rng: np.random.Generator) -> Changed:
        """Change a text."""
        free, count = free_and_all(text, language)
        alike = [_alike(word.text, language) for word in free]
        chosen = drawn(count, self.rate, rng, [place for place, found in enumerate(alike) if found])
        rolls = rng.random(len(free))
        return changed(
            text,
            [
                Edit("homophone", free[place].start, free[place].end, pick(alike[place], rolls[place]))
                for place in chosen
            ],
        )


def _alike(word: str, language: str) -> list[str]:
    """Return what sounds like a word, in its case where the lists have it in small letters."""
    known, plain = homophones(language), word.replace("’", "'")
    if plain in known:
        return list(known[plain])
    if language == "zh":
        chars = sounds_like()
        return [
            word[:place] + other + word[place + 1 :]
            for place, char in enumerate(word)
            for other in chars.get(char, "")
        ]
    found = known.get(plain.lower(), ())
    if len(word) > 1 and word.isupper():
        return [other.upper() for other in found]
    return [other[0].upper() + other[1:] for other in found]
