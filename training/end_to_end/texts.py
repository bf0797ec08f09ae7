"""Texts of our own: templates filled with words, each text drawn by its number.

There are three series: questions and statements about the terms of `en.yaml` and `zh.yaml`, short phrases of
common words, and lists out of many more words, which make the vocabulary wide.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from squtr.draw import draw

SEED = 2604
HELD_OUT_TERMS = 0.1
HELD_OUT_TEXTS = 0.06
PHRASES_FROM, LISTS_FROM = 1_000_000, 2_000_000
_LISTS = {
    "en": (3, ("{0}, {1} and {2}", "{0} {1} {2}", "What is {0}, {1} or {2}?", "{0} and {1}: {2}")),
    "zh": (4, ("{0}、{1}、{2}、{3}", "{0}和{1}，{2}和{3}")),
}
_PHRASES = {
    "en": (
        "{n} {m}",
        "{j} {n} {m}",
        "{n} and {m}",
        "{v} the {n}",
        "{v} a {j} {n}",
        "the {n} of the {m}",
        "why does the {n} {v}",
        "how do you {v} a {j} {n}",
        "is the {n} {j}",
        "where is the {j} {n}",
        "{n} {v} {m}",
        "a {n} with a {m}",
    ),
    "zh": (
        "{n}和{m}",
        "{n}的{m}",
        "{n}、{m}、{j}",
        "哪里有{n}？",
        "{n}与{m}有什么关系？",
        "没有{n}的{m}",
        "{n}，{m}",
        "为什么要{n}？",
    ),
}
_KINDS = {
    "topic": 0.34,
    "pair": 0.22,
    "action": 0.22,
    "action_topic": 0.05,
    "name": 0.06,
    "place": 0.11,
}


@dataclass(frozen=True, slots=True)
class Text:
    """One text. `group` is train, new-text (its terms are taught in other texts) or new-term."""

    number: int
    language: str
    text: str
    group: str


@dataclass(frozen=True)
class Words:
    """The word lists and templates of a language; terms with their domain."""

    topics: tuple[tuple[str, str], ...]
    actions: tuple[tuple[str, str], ...]
    names: tuple[str, ...]
    places: tuple[str, ...]
    settings: tuple[str, ...]
    templates: dict[str, list[str]]


def make_texts(language: str, count: int, skip: frozenset[str] = frozenset()) -> list[Text]:
    """Return the first `count` texts of a language, all different and none in `skip`.

    A longer list begins with the shorter one.
    """
    found: dict[str, Text] = {}
    number = 0
    while len(found) < count:
        text = _text(language, number)
        if text.text not in skip:
            found.setdefault(text.text, text)
        number += 1
    return list(found.values())


def make_phrases(language: str, count: int) -> list[Text]:
    """Return the first `count` phrases of common words; none has a word of a held-out term."""
    found: dict[str, Text] = {}
    number = PHRASES_FROM
    while len(found) < count:
        text = _phrase(language, number)
        found.setdefault(text.text, text)
        number += 1
    return list(found.values())


def make_lists(language: str, count: int) -> list[Text]:
    """Return the first `count` lists of words: all words come once before any comes again, in a new order."""
    size, templates = _LISTS[language]
    words = [word for line in _allowed_words(language, f"wide_{language}.txt") for word in line]
    a_round = len(words) // size
    found: list[Text] = []
    for at in range(count):
        order = _order(language, at // a_round, len(words))
        chosen = [words[place] for place in order[at % a_round * size :][:size]]
        number = LISTS_FROM + at
        template = _pick(draw(SEED, "list", f"{language}-{number}"), templates)
        filled = template.format(*chosen)
        found.append(Text(number, language, filled[0].upper() + filled[1:], _easy_group(language, number)))
    return found


@cache
def _order(language: str, turn: int, count: int) -> tuple[int, ...]:
    return tuple(draw(SEED, "deck", f"{language}-{turn}").permutation(count).tolist())


def _phrase(language: str, number: int) -> Text:
    kinds = _allowed_words(language, f"common_{language}.txt")
    chance = draw(SEED, "phrase", f"{language}-{number}")
    template = _pick(chance, _PHRASES[language])
    nouns, adjectives, verbs = kinds if len(kinds) == 3 else (kinds[0],) * 3
    slots = {"n": nouns, "m": nouns, "j": adjectives, "v": verbs}
    filled = template.format(**{name: _pick(chance, words) for name, words in slots.items()})
    return Text(number, language, filled[0].upper() + filled[1:], _easy_group(language, number))


def _easy_group(language: str, number: int) -> str:
    held_out = draw(SEED, "held-out", f"{language}-{number}").random() < HELD_OUT_TEXTS
    return "new-text" if held_out else "train"


@cache
def _allowed_words(language: str, file: str) -> tuple[tuple[str, ...], ...]:
    """Return the words of each line of a file, less those that stand in a held-out term."""
    path = Path(__file__).with_name(file)
    words = read_words(language)
    terms = [*(term for term, _ in (*words.topics, *words.actions)), *words.names, *words.places]
    hidden = " ".join(term.lower() for term in terms if _is_held_out(language, term))
    return tuple(
        tuple(word for word in line.split() if word not in hidden)
        for line in path.read_text(encoding="utf-8").splitlines()
    )


def _text(language: str, number: int) -> Text:
    words = read_words(language)
    chance = draw(SEED, "text", f"{language}-{number}")
    kind = str(chance.choice(list(_KINDS), p=list(_KINDS.values())))
    template = _pick(chance, words.templates[kind])
    a, domain = _pick(chance, words.topics)
    near = [topic for topic, place in words.topics if place == domain and topic != a]
    b = _pick(chance, near if chance.random() < 0.7 else [topic for topic, _ in words.topics if topic != a])
    v = _pick(chance, words.actions)[0]
    n, p, s = _pick(chance, words.names), _pick(chance, words.places), _pick(chance, words.settings)
    q = _pick(chance, [place for place in words.places if place != p])
    slots = {"a": v if kind.startswith("action") else a, "b": b, "v": v, "n": n, "p": p, "q": q, "s": s}
    used = [value for name, value in slots.items() if f"{{{name}}}" in template and name != "s"]
    filled = template.format(**slots)
    return Text(number, language, filled[0].upper() + filled[1:], _group(language, number, used))


def _group(language: str, number: int, used: list[str]) -> str:
    if any(_is_held_out(language, term) for term in used):
        return "new-term"
    return _easy_group(language, number)


def _is_held_out(language: str, term: str) -> bool:
    return bool(draw(SEED, "word", f"{language} {term}").random() < HELD_OUT_TERMS)


def _pick(chance: np.random.Generator, values: Any) -> Any:
    return values[int(chance.integers(len(values)))]


@cache
def read_words(language: str) -> Words:
    """Return the words of a language, from the YAML file of its name."""
    path = Path(__file__).with_name(f"{language}.yaml")
    tree = yaml.safe_load(path.read_text(encoding="utf-8"))
    return Words(
        tuple(_terms(tree["domains"], "topics")),
        tuple(_terms(tree["domains"], "actions")),
        _listed(tree["names"]),
        _listed(tree["places"]),
        _listed(tree["settings"]),
        tree["templates"],
    )


def _terms(domains: dict[str, Any], kind: str) -> Iterator[tuple[str, str]]:
    for domain, words in domains.items():
        yield from ((term, domain) for term in _listed(words[kind]))


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(","))
