"""repeated-key: a key is held too long."""

from __future__ import annotations

import numpy as np

from squtr.channels.changed import Changed
from squtr.channels.slips import repetitions, slip_in_words
from squtr.channels.words import words_version
from squtr.digest import digest
from squtr.options import number_option


class RepeatedKey:
    """Double a letter in a share of the words; in Chinese a character.

    At a rate of 0.3 "how deep is the sea near the islands of Greece" becomes
    "hoow deep is the sea neaar the islands oof Greece".
    """

    languages = ("de", "en", "es", "fr", "zh")

    def __init__(self, rate: float = 0.2) -> None:
        self.rate = number_option("repeated-key: rate", rate, 0.0, 1.0)

    @property
    def fingerprint(self) -> str:
        """Version, rate and what decides the words."""
        return digest("repeated-key/1", self.rate, words_version())

    def change(self, text: str, language: str, rng: np.random.Generator) -> Changed:
        """Change a text."""
        return slip_in_words(text, language, self.rate, rng, "repeat", repetitions)
