"""typos: slips of the finger at a dialled rate of the characters."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from squtr.channels.changed import Changed, Edit, changed
from squtr.channels.keyboard import Keyboard, read_keyboard
from squtr.channels.slips import pick, swaps
from squtr.channels.typed_runs import Letter, letters_of
from squtr.channels.typo_settings import TypoSettings, typo_settings
from squtr.channels.words import words_version
from squtr.digest import digest
from squtr.options import number_option, text_option

_REACH = 40


class Typos:
    """Make slips at a rate per character: the letters of words that are not protected can carry one.

    Every letter has one uniform number, whatever the rate; it slips when the number is below its chance. The
    chances differ by place (word ends more, first letters less), and their mean is the rate in every text.
    The numbers of a text are spread evenly, one in each n-th of 0 to 1, so that its count of slips is close
    to the rate too.

    A slip that overlaps an earlier one, or undoes a part of it, moves to the nearest letter where it counts
    in full: word by word the Damerau-Levenshtein distance is the number of slips. Raising the rate adds slips
    and changes none.

    Kinds and their shares: channels/typos.yaml. In Chinese a character is dropped, doubled, swapped with the
    next, or replaced by one of the same Pinyin or of a Pinyin with one wrong key.

    At 0.16 "how deep is the sea near the islands of Greece" becomes
    "how dwpe i te sea near the isladns of Greexe".
    """

    languages = ("de", "en", "es", "fr", "zh")
    names_or_paths = ("keyboard",)

    def __init__(self, rate: float = 0.03, keyboard: str = "qwerty") -> None:
        self.rate = number_option("typos: rate", rate, 0.0, 1.0)
        self.keyboard = text_option("typos: keyboard", keyboard)
        read_keyboard(self.keyboard, "en")

    @property
    def fingerprint(self) -> str:
        """Version, rate, settings, keys and what decides the words."""
        keys = read_keyboard(self.keyboard, "zh").fingerprint
        return digest("typos/1", self.rate, typo_settings().model_dump(), keys, words_version())

    def change(self, text: str, language: str, rng: np.random.Generator) -> Changed:
        """Change a text."""
        letters, settings = letters_of(text, language), typo_settings()
        if not letters:
            return Changed(text)
        rolls = rng.random((len(letters), 5))
        rolls[:, 0] = (rng.permutation(len(letters)) + rolls[:, 0]) / len(letters)
        weights = np.array([settings.weight(letter.place, letter.length) for letter in letters])
        arrival = rolls[:, 0] / weights
        slipping = np.flatnonzero(rolls[:, 0] < chances(weights, self.rate))
        hand = _Hand(letters, read_keyboard(self.keyboard, language), settings)
        for number in slipping[np.argsort(arrival[slipping], kind="stable")]:
            hand.slip(int(number), rolls[number])
        runs = {letter.run.start: letter.run for letter in letters}
        return changed(text, [edit for run in runs.values() for edit in run.edits])


def chances(weights: NDArray[np.float64], rate: float) -> NDArray[np.float64]:
    """Return chances in the ratios of the weights, none above 1, whose mean is `rate`."""
    order: NDArray[np.float64] = np.sort(weights)[::-1]
    below = np.cumsum(order[::-1])[::-1]
    for certain in range(len(order)):
        scale = (rate * len(order) - certain) / below[certain]
        if scale * order[certain] <= 1:
            found: NDArray[np.float64] = np.minimum(1.0, scale * weights)
            return found
    return np.ones_like(weights)


class _Hand:
    """Places slips one by one, the likeliest first, so that a higher rate goes on where a lower one ended."""

    def __init__(self, letters: list[Letter], keys: Keyboard, settings: TypoSettings) -> None:
        self._letters, self._keys, self._settings = letters, keys, settings

    def slip(self, number: int, rolls: NDArray[np.float64]) -> None:
        """Make a slip of the drawn kind at a letter, or at the nearest that can carry it."""
        for kind in self._settings.kinds_from(rolls[1]):
            for letter in self._nearest(number):
                if any(letter.run.take(edit) for edit in self._ways(kind, letter, rolls[2:])):
                    return

    def _nearest(self, number: int) -> Iterator[Letter]:
        yield self._letters[number]
        for away in range(1, _REACH):
            if number + away < len(self._letters):
                yield self._letters[number + away]
            if number >= away:
                yield self._letters[number - away]

    def _ways(self, kind: str, letter: Letter, rolls: NDArray[np.float64]) -> list[Edit]:
        """Return the ways to make one slip at a letter, the first choice first; none: it cannot be."""
        at, char, chinese = letter.at, letter.char, bool(self._keys.characters)
        if kind == "deletion":
            return [Edit(kind, at, at + 1, "")] if chinese or letter.length > 1 else []
        if kind == "transposition":
            firsts = [place for place in (letter.place, letter.place - 1) if place >= 0]
            found = [swap for place in firsts for swap in swaps(letter.word, place)]
            return [Edit(kind, letter.start + start, letter.start + end, pair) for start, end, pair in found]
        fork, row, which = rolls
        key = self._wrong_key(char, fork, row, which)
        if kind == "replacement":
            return [Edit(kind, at, at + 1, key)] if key else []
        doubled = chinese or not key or fork < self._settings.doubled
        return [Edit(kind, at + 1, at + 1, char if doubled else key)]

    def _wrong_key(self, char: str, fork: float, row: float, which: float) -> str:
        """Return what is struck in place of a character; nothing for one that is on no key."""
        same = self._keys.same_keys.get(char, "")
        near, far = self._keys.near(char), self._keys.far(char)
        if same and fork < self._settings.same_keys:
            return pick(same, which)
        found = (near if row < self._settings.same_row else far) or near or far or same
        return pick(found, which) if found else ""
