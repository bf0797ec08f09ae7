"""missed-space: the blank between two words is left out."""

from __future__ import annotations

import re

import numpy as np

from squtr.channels.changed import Changed, Edit, changed
from squtr.channels.words import drawn, protected_spans, words_version
from squtr.digest import digest
from squtr.options import number_option

_GAP = re.compile(r"(?<=\S)[ \t]+(?=\S)")


class MissedSpace:
    """Leave out the blanks before a share of the words; those beside numbers, addresses and codes stay.

    At a rate of 0.3 "how deep is the sea near the islands of Greece" becomes
    "howdeep isthe sea near theislands of Greece".
    """

    languages = ("de", "en", "es", "fr")

    def __init__(self, rate: float = 0.2) -> None:
        self.rate = number_option("missed-space: rate", rate, 0.0, 1.0)

    @property
    def fingerprint(self) -> str:
        """Version, rate and what decides the words."""
        return digest("missed-space/1", self.rate, words_version())

    def change(self, text: str, language: str, rng: np.random.Generator) -> Changed:
        """Change a text; a share of its gaps is the share of its words."""
        if not any(char.isalpha() for char in text):
            return Changed(text)
        kept = protected_spans(text)
        gaps = [match.span() for match in _GAP.finditer(text)]
        free = [
            place
            for place, (start, end) in enumerate(gaps)
            if not any(start <= last and first <= end for first, last in kept)
        ]
        chosen = drawn(len(gaps) + 1, self.rate, rng, free)
        return changed(text, [Edit("missed space", *gaps[place], "") for place in chosen])
