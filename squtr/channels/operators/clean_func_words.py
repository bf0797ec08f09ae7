"""clean-func-words: articles and prepositions are dropped."""

from __future__ import annotations

import numpy as np

from squtr.channels.changed import Changed
from squtr.channels.cuts import cut
from squtr.channels.spoken_words import languages_with, spoken_words
from squtr.channels.words import drawn, marked_words, words_version
from squtr.digest import digest
from squtr.options import number_option


class CleanFuncWords:
    """Drop articles and prepositions; `rate` is the share of them, all by default.

    A text of nothing else stays as it is. Their list: channels/spoken_words.yaml.

    "how deep is the sea near the islands of Greece" becomes "how deep is sea islands Greece".
    """

    def __init__(self, rate: float = 1.0) -> None:
        self.rate = number_option("clean-func-words: rate", rate, 0.0, 1.0)

    @property
    def fingerprint(self) -> str:
        """Version, rate, the list and what decides the words."""
        lists = {code: row.function_words for code, row in spoken_words().items()}
        return digest("clean-func-words/1", self.rate, lists, words_version())

    @property
    def languages(self) -> tuple[str, ...]:
        """Those with a list."""
        return languages_with("function_words")

    def change(self, text: str, language: str, rng: np.random.Generator) -> Changed:
        """Change a text."""
        known = set(spoken_words()[language].function_words.split())
        found = marked_words(text, language)
        able = [place for place, (word, free) in enumerate(found) if free and word.text.lower() in known]
        chosen = [able[place] for place in drawn(len(able), self.rate, rng)]
        return cut(text, [word for word, _ in found], dict.fromkeys(chosen, "function word"))
