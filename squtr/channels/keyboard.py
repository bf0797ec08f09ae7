"""Keyboards: which characters a finger that slips strikes instead, by language."""

from __future__ import annotations

import functools
import itertools
import re
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from squtr.content import content
from squtr.digest import digest
from squtr.errors import UserError, did_you_mean
from squtr.recipe_file import line_of, plain_yaml
from squtr.section import Section, check_section

_FIRST_CHARACTER = "\u2e80"
_ADJACENT, _MOST_ALIKE, _MOST_A_SYLLABLE = 1.0, 8, 3


class Row(Section):
    """A row of keys; `offset` is where its first begins, in widths of a key."""

    keys: Annotated[str, Field(min_length=1)]
    offset: float


class Board(Section):
    """A file of channels/keyboards."""

    rows: Annotated[tuple[Row, ...], Field(min_length=1)]


@dataclass(frozen=True)
class Keyboard:
    """What stands beside each small letter, and what the same keys give besides it (Pinyin alone).

    `letters` are all letters of the board; `characters` all that an alphabet of characters has.
    """

    same_row: dict[str, str]
    other_rows: dict[str, str]
    letters: str
    same_keys: dict[str, str]
    characters: str

    @property
    def fingerprint(self) -> str:
        """Digest of all there is."""
        return digest(self.same_row, self.other_rows, self.letters, self.same_keys, self.characters)

    def neighbours(self, char: str) -> str:
        """Return the keys beside a letter, in its case; none for what is on no key."""
        return self.near(char) + self.far(char)

    def near(self, char: str) -> str:
        """Return its neighbours in the same row."""
        return _cased(self.same_row.get(char.lower(), ""), char)

    def far(self, char: str) -> str:
        """Return its neighbours in the rows above and below."""
        return _cased(self.other_rows.get(char.lower(), ""), char)

    def others(self, char: str) -> str:
        """Return every other letter, in its case; for a Chinese character every other character."""
        known = self.characters if self.characters and char >= _FIRST_CHARACTER else self.letters
        return _cased(known.replace(char.lower(), ""), char)


def read_keyboard(name: str, language: str) -> Keyboard:
    """Return channels/keyboards/NAME.yaml, or the file at that path; in Chinese it types Pinyin.

    Raises UserError for an unknown name, and with file and line for a fault of the file.
    """
    letters = _board(name)
    return _pinyin(name) if language == "zh" else letters


@functools.cache
def _board(name: str) -> Keyboard:
    path = _file(name)
    plain, tree = plain_yaml(path)
    board = check_section(
        Board,
        plain if isinstance(plain, dict) else {},
        str(path),
        lambda location: line_of(tree, location) if tree is not None else 1,
    )
    places = {
        key: (row.offset + place, number)
        for number, row in enumerate(board.rows)
        for place, key in enumerate(row.keys.lower())
    }
    same: dict[str, str] = defaultdict(str)
    other: dict[str, str] = defaultdict(str)
    for (one, (x, row)), (key, (x_key, row_key)) in itertools.permutations(places.items(), 2):
        across = abs(x - x_key)
        if row == row_key and across <= _ADJACENT:
            same[one] += key
        elif abs(row - row_key) == 1 and across < _ADJACENT:
            other[one] += key
    return Keyboard(dict(same), dict(other), "".join(places), {}, "")


def _file(name: str) -> Path:
    folder = content("channels", "keyboards")
    known = {path.stem: path for path in folder.glob("*.yaml")}
    if name in known:
        return known[name]
    if not Path(name).is_file():
        raise UserError(f"No keyboard {name!r}, and no file.{did_you_mean(name, known)}")
    return Path(name)


@functools.cache
def _pinyin(name: str) -> Keyboard:
    """Map characters through the letters of their syllables: one wrong key must give a syllable again."""
    letters, syllables = _board(name), _syllables()
    same_row, other_rows, same_keys = dict(letters.same_row), dict(letters.other_rows), {}
    for syllable, chars in syllables.items():
        near = _struck(syllable, letters.same_row, syllables)
        far = _struck(syllable, letters.other_rows, syllables)
        for char in chars:
            same_row[char], other_rows[char] = near, far
            same_keys[char] = _besides(chars, char)
    return Keyboard(same_row, other_rows, letters.letters, same_keys, "".join(syllables.values()))


def _struck(syllable: str, keys: dict[str, str], syllables: dict[str, str]) -> str:
    wrong = (
        syllable[:place] + key + syllable[place + 1 :]
        for place, letter in enumerate(syllable)
        for key in keys.get(letter, "")
    )
    return "".join(syllables.get(one, "")[:_MOST_A_SYLLABLE] for one in dict.fromkeys(wrong))


@functools.cache
def sounds_like() -> dict[str, str]:
    """Return the common Chinese characters, each with others of its syllable and tone."""
    found = {}
    for chars in _sounds().values():
        for char, tone in chars:
            found[char] = _besides("".join(other for other, its_tone in chars if its_tone == tone), char)
    return found


def _syllables() -> dict[str, str]:
    """Return the characters of each syllable whatever their tone, the commonest first."""
    return {syllable: "".join(char for char, _ in chars) for syllable, chars in _sounds().items()}


def _sounds() -> dict[str, list[tuple[str, str]]]:
    lines = content("channels", "syllables", "zh.txt").read_text(encoding="utf-8").splitlines()
    rows = (line.split() for line in lines if not line.startswith("#"))
    return {syllable: re.findall(r"(\D)(\d)", chars) for syllable, chars in rows}


def _besides(chars: str, char: str) -> str:
    return chars[: _MOST_ALIKE + 1].replace(char, "")[:_MOST_ALIKE]


def _cased(keys: str, char: str) -> str:
    return keys.upper() if char.isupper() else keys
