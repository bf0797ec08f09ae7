"""Slips of the finger: one in each of a share of the words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

import numpy as np

from squtr.channels.changed import Changed, Edit, changed
from squtr.channels.words import drawn, free_and_all

Slip = tuple[int, int, str]
"""word[start:end] becomes a text."""
Slips = Callable[[str, int], Sequence[Slip]]
"""All slips there can be at one character of a word; none: it cannot carry one."""

ItemT = TypeVar("ItemT")


def slip_in_words(
    text: str, language: str, rate: float, rng: np.random.Generator, kind: str, slips: Slips
) -> Changed:
    """Draw a share of the words, a character of each, and one of the slips there can be at it.

    The share is of all words; protected ones and those that can carry no slip are not drawn. A higher rate
    keeps what a lower one did.
    """
    free, count = free_and_all(text, language)
    places = [[place for place in range(len(word.text)) if slips(word.text, place)] for word in free]
    chosen = drawn(count, rate, rng, [number for number, able in enumerate(places) if able])
    rolls = rng.random((len(free), 2))
    edits = []
    for number in chosen:
        word = free[number]
        place = pick(places[number], rolls[number, 0])
        start, end, after = pick(slips(word.text, place), rolls[number, 1])
        edits.append(Edit(kind, word.start + start, word.start + end, after))
    return changed(text, edits)


def pick(items: Sequence[ItemT], roll: float) -> ItemT:
    """Return the item that `roll`, from 0 to below 1, falls on."""
    return items[int(roll * len(items))]


def replacements(place: int, characters: str) -> list[Slip]:
    """Return what puts one of `characters` in a character's place."""
    return [(place, place + 1, char) for char in characters]


def swaps(word: str, place: int) -> list[Slip]:
    """Return what swaps a character with the next: two letters of one case that differ."""
    pair = word[place : place + 2]
    if len(pair) < 2 or not pair.isalpha() or pair[0] == pair[1] or pair[0].isupper() != pair[1].isupper():
        return []
    return [(place, place + 2, pair[::-1])]


def repetitions(word: str, place: int) -> list[Slip]:
    """Return what strikes a letter twice."""
    return [(place + 1, place + 1, word[place])] if word[place].isalpha() else []


def strays(place: int, keys: str) -> list[Slip]:
    """Return what strikes one of `keys` as well, just before a character or just after it."""
    return [(at, at, key) for at in (place, place + 1) for key in keys]
