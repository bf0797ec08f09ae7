"""key-swap: two keys in a row are struck in the wrong order."""

from __future__ import annotations

import numpy as np

from squtr.channels.changed import Changed
from squtr.channels.slips import slip_in_words, swaps
from squtr.channels.words import words_version
from squtr.digest import digest
from squtr.options import number_option


class KeySwap:
    """Swap two letters that stand side by side, in a share of the words; in Chinese two characters of a word.

    Letters swap only with letters of their case, and only with others than themselves.

    At a rate of 0.3 "how deep is the sea near the islands of Greece" becomes
    "how edep is the sea naer teh islands of Greece".
    """

    languages = ("de", "en", "es", "fr", "zh")

    def __init__(self, rate: float = 0.2) -> None:
        self.rate = number_option("key-swap: rate", rate, 0.0, 1.0)

    @property
    def fingerprint(self) -> str:
        """Version, rate and what decides the words."""
        return digest("key-swap/1", self.rate, words_version())

    def change(self, text: str, language: str, rng: np.random.Generator) -> Changed:
        """Change a text."""
        return slip_in_words(text, language, self.rate, rng, "swap", swaps)
