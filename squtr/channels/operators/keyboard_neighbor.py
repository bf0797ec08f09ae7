"""keyboard-neighbor: the key beside the right one is struck."""

from __future__ import annotations

import numpy as np

from squtr.channels.changed import Changed
from squtr.channels.keyboard import read_keyboard
from squtr.channels.slips import Slip, replacements, slip_in_words
from squtr.channels.words import words_version
from squtr.digest import digest
from squtr.options import number_option, text_option


class KeyboardNeighbor:
    """Put a neighbour on the keyboard in a letter's place, in a share of the words.

    In Chinese one key of the Pinyin is missed, and a character of another syllable comes: 数 (shu) for 是
    (shi).

    At a rate of 0.3 "how deep is the sea near the islands of Greece" becomes
    "how deep is tje sea near the islands lf Greecr".
    """

    languages = ("de", "en", "es", "fr", "zh")
    names_or_paths = ("keyboard",)

    def __init__(self, rate: float = 0.2, keyboard: str = "qwerty") -> None:
        self.rate = number_option("keyboard-neighbor: rate", rate, 0.0, 1.0)
        self.keyboard = text_option("keyboard-neighbor: keyboard", keyboard)
        read_keyboard(self.keyboard, "en")

    @property
    def fingerprint(self) -> str:
        """Version, rate, keys and what decides the words."""
        keys = read_keyboard(self.keyboard, "zh").fingerprint
        return digest("keyboard-neighbor/1", self.rate, keys, words_version())

    def change(self, text: str, language: str, rng: np.random.Generator) -> Changed:
        """Change a text."""
        keys = read_keyboard(self.keyboard, language)

        def slips(word: str, place: int) -> list[Slip]:
            return replacements(place, keys.neighbours(word[place]))

        return slip_in_words(text, language, self.rate, rng, "neighbour", slips)
