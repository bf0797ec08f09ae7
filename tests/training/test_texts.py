"""The texts that are taught: the same every time, all different, and apart from what is tested on."""

from __future__ import annotations

import json
import re
from collections import Counter

import pytest

from squtr.content import content
from training.end_to_end.texts import (
    LISTS_FROM,
    PHRASES_FROM,
    Text,
    make_lists,
    make_phrases,
    make_texts,
    read_words,
)

LANGUAGES = ("en", "zh")


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_longer_list_begins_with_the_shorter_one(language: str) -> None:
    for make in (make_texts, make_phrases, make_lists):
        assert make(language, 120)[:50] == make(language, 50)


@pytest.mark.parametrize("language", LANGUAGES)
def test_texts_are_different_and_filled(language: str) -> None:
    texts = [*make_texts(language, 1300), *make_phrases(language, 500), *make_lists(language, 200)]
    assert len({text.text for text in texts}) == 2000
    assert len({text.number for text in texts}) == 2000
    assert not any("{" in text.text or "  " in text.text for text in texts)
    assert all((text.number >= PHRASES_FROM) == (place >= 1300) for place, text in enumerate(texts))
    assert all((text.number >= LISTS_FROM) == (place >= 1800) for place, text in enumerate(texts))


def test_every_word_of_the_lists_comes_once_before_any_comes_again() -> None:
    said = [word for text in make_lists("zh", 200) for word in re.split("[、和，]", text.text)]
    assert len(said) >= 800
    assert max(Counter(said).values()) <= 2 and sum(count > 1 for count in Counter(said).values()) < 20


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_query_of_the_pocket_collection_is_taught(language: str) -> None:
    path = content("data_build", "pocket", language, "queries.jsonl")
    lines = path.read_text(encoding="utf-8").splitlines()
    asked = {json.loads(line)["text"].lower().rstrip("?？。. ") for line in lines}
    assert asked.isdisjoint(text.text.lower().rstrip("?？。. ") for text in make_texts(language, 5000))


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_held_out_term_is_in_no_text_that_is_taught(language: str) -> None:
    texts = make_texts(language, 3000)
    words = read_words(language)
    terms = [term for term, _ in (*words.topics, *words.actions)]
    held = {term for term in terms if _is_held(term, texts)}
    assert 0.04 < len(held) / len(terms) < 0.2
    taught = " ".join(
        text.text
        for text in (*texts, *make_phrases(language, 2000), *make_lists(language, 2000))
        if text.group == "train"
    )
    unique = [term for term in held if sum(term in other for other in terms) == 1]
    assert len(unique) > 10
    assert [term for term in unique if f" {term} " in f" {taught} " and " " in term] == []


def test_groups_have_the_stated_shares() -> None:
    texts = make_texts("en", 3000)
    share = {group: sum(text.group == group for text in texts) / 3000 for group in ("new-text", "new-term")}
    assert 0.03 < share["new-text"] < 0.08
    assert 0.1 < share["new-term"] < 0.25


def _is_held(term: str, texts: list[Text]) -> bool:
    groups = {text.group for text in texts if term in text.text}
    return groups == {"new-term"}
