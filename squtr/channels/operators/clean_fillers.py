"""clean+fillers: um, uh and like put into a clean text."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from squtr.channels.changed import Changed, Edit, changed
from squtr.channels.slips import pick
from squtr.channels.spoken_words import languages_with, spoken_words
from squtr.channels.words import Word, drawn, marked_words, words_version
from squtr.digest import digest
from squtr.options import number_option


class CleanFillers:
    """Put a filler before a share of the words; every word of the text stays.

    None stands before a number, address or code, nor between it and what clings to it. Their list:
    channels/spoken_words.yaml.

    At a rate of 0.3 "how deep is the sea near the islands of Greece" becomes
    "how you know, deep um, is the sea I mean, near the islands of Greece".
    """

    def __init__(self, rate: float = 0.2) -> None:
        self.rate = number_option("clean+fillers: rate", rate, 0.0, 1.0)

    @property
    def fingerprint(self) -> str:
        """Version, rate, the list and what decides the words."""
        lists = {code: row.fillers for code, row in spoken_words().items()}
        return digest("clean+fillers/1", self.rate, lists, words_version())

    @property
    def languages(self) -> tuple[str, ...]:
        """Those with a list."""
        return languages_with("fillers")

    def change(self, text: str, language: str, rng: np.random.Generator) -> Changed:
        """Change a text."""
        found = marked_words(text, language)
        able = [place for place in range(len(found)) if found[place][1] and not _is_inside(found, place)]
        chosen, rolls = drawn(len(found), self.rate, rng, able), rng.random(len(found))
        fillers, blank = spoken_words()[language].fillers, "" if language == "zh" else " "
        return changed(
            text,
            [
                Edit("filler", start, start, pick(fillers, rolls[place]) + blank)
                for place, start in ((place, found[place][0].start) for place in chosen)
            ],
        )


def _is_inside(found: Sequence[tuple[Word, bool]], place: int) -> bool:
    """Tell whether a word clings to a number or the like before it, as 年 does to 1999."""
    return place > 0 and not found[place - 1][1] and found[place - 1][0].end == found[place][0].start
