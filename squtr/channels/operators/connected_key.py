"""connected-key: a neighbour is struck along with the right key."""

from __future__ import annotations

import numpy as np

from squtr.channels.changed import Changed
from squtr.channels.keyboard import read_keyboard
from squtr.channels.slips import Slip, slip_in_words, strays
from squtr.channels.words import words_version
from squtr.digest import digest
from squtr.options import number_option, text_option


class ConnectedKey:
    """Put a neighbour on the keyboard before or after a letter, in a share of the words.

    At a rate of 0.3 "how deep is the sea near the islands of Greece" becomes
    "how deep is the sea neare the isloands odf Greece".
    """

    languages = ("de", "en", "es", "fr")
    names_or_paths = ("keyboard",)

    def __init__(self, rate: float = 0.2, keyboard: str = "qwerty") -> None:
        self.rate = number_option("connected-key: rate", rate, 0.0, 1.0)
        self.keyboard = text_option("connected-key: keyboard", keyboard)
        read_keyboard(self.keyboard, "en")

    @property
    def fingerprint(self) -> str:
        """Version, rate, keys and what decides the words."""
        keys = read_keyboard(self.keyboard, "en").fingerprint
        return digest("connected-key/1", self.rate, keys, words_version())

    def change(self, text: str, language: str, rng: np.random.Generator) -> Changed:
        """Change a text."""
        keys = read_keyboard(self.keyboard, language)

        def slips(word: str, place: int) -> list[Slip]:
            return strays(place, keys.neighbours(word[place]))

        return slip_in_words(text, language, self.rate, rng, "extra key", slips)
