"""Recognition errors by kind of edit and by the word they stand in: number, name, content or stop word."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache

from squtr.records import Document
from squtr.retrievers.analyser import LUCENE_STOP_WORDS, analyser
from squtr.text import align, normaliser, units
from squtr.text.folding import without_accents

EDITS = ("substitution", "deletion", "insertion")
CLASSES = {
    "number": "has a digit in the normalised text",
    "stop word": "one of Lucene's English stop words, or in more than a tenth of the documents read or of"
    " the queries, where they are 20 or more",
    "name or rare word": "in none of the documents read, or written with a capital after the first word"
    " (not in German, where every noun is)",
    "content word": "any other",
}
KINDS = tuple((edit, name) for edit in EDITS for name in CLASSES)
CHARACTERS_READ = 2_000_000
_OFTEN, _ENOUGH = 0.1, 20
_LONGEST = 8
_CAPITALISED = re.compile(r"[^\W\d_]*[A-Z]\w+")
_NOUNS_HAVE_CAPITALS = frozenset({"de"})

ErrorKinds = dict[tuple[str, str], int]


@dataclass(frozen=True)
class Words:
    """What a collection tells of words in their normalised form; `documents` of it were read for it."""

    language: str
    common: frozenset[str]
    known: frozenset[str]
    documents: int

    def word_class(self, word: str, names: Iterable[str] = ()) -> str:
        """Return the name in CLASSES that a word goes under; `names` are capitalised words of its text."""
        if any(char.isdigit() for char in word):
            return "number"
        if word in self.common:
            return "stop word"
        return "name or rare word" if word not in self.known or word in names else "content word"


def read_words(
    documents: Iterable[Document], queries: Mapping[str, str], transcripts: Iterable[str], language: str
) -> Words:
    """Look up the words of queries and transcripts in the first CHARACTERS_READ characters of a corpus."""
    asked = [set(words_of(text, language)) for text in queries.values()]
    wanted = set().union(*asked, *(words_of(text, language) for text in set(transcripts)))
    found: Counter[str] = Counter()
    read = characters = 0
    for document in documents:
        text = document.full_text[: CHARACTERS_READ - characters]
        found.update(_words_in(text, wanted, language))
        read, characters = read + 1, characters + len(text)
        if characters >= CHARACTERS_READ:
            break
    common = _often(found, read) | _often(Counter(word for words in asked for word in words), len(asked))
    if language == "en":
        common |= LUCENE_STOP_WORDS
    return Words(language, frozenset(common), frozenset(found), read)


def error_kinds(text: str, transcript: str, words: Words) -> ErrorKinds:
    """Return {(edit, class of word): errors} between a query's text and what was heard, in error units.

    A substituted or deleted unit counts under the word of the text it stands in, an inserted one under its
    word of the transcript. The counts add up to those of `squtr.text.count_errors`.
    """
    names = capitalised(text, words.language)
    said, heard = (_classes(one, words, names) for one in (text, transcript))
    found: Counter[tuple[str, str]] = Counter()
    for edit in align(text, transcript, words.language):
        if edit.kind == "insertion":
            start, end, classes = edit.hypothesis_start, edit.hypothesis_start + len(edit.hypothesis), heard
        else:
            start, end, classes = edit.reference_start, edit.reference_start + len(edit.reference), said
        if edit.kind in EDITS:
            found.update((edit.kind, name) for name in classes[start:end])
    return dict(found)


@lru_cache(maxsize=4096)
def words_of(text: str, language: str) -> tuple[str, ...]:
    """Split a text in its normalised form into words whose letters together are its error units.

    Languages of words: the units. Others: the terms of the language's analyser where it parts the text and
    leaves nothing out, as that for Chinese does, and single units otherwise.
    """
    found = units(normaliser(language).clean(text), language)
    if normaliser(language).unit == "word":
        return tuple(found)
    terms = analyser(language).tokens("".join(found))
    return tuple(terms if "".join(terms) == "".join(found) else found)


def capitalised(text: str, language: str) -> frozenset[str]:
    """Return the normalised words that are written with a capital after a text's first word."""
    if language in _NOUNS_HAVE_CAPITALS:
        return frozenset()
    later = [word for word in text.split()[1:] if _CAPITALISED.match(word)]
    return frozenset(part for word in later for part in words_of(word, language) if len(part) > 1)


def _classes(text: str, words: Words, names: frozenset[str]) -> list[str]:
    """Return the class of each error unit of a text."""
    whole = normaliser(words.language).unit == "word"
    return [
        name
        for word in words_of(text, words.language)
        for name in [words.word_class(word, names)] * (1 if whole else len(word))
    ]


def _words_in(text: str, wanted: set[str], language: str) -> set[str]:
    raw = normaliser(language).raw(text)
    if normaliser(language).unit == "word":
        return wanted.intersection([*raw.split(), *without_accents(raw).split()])
    joined = "".join(without_accents(raw).split())
    sizes = {len(word) for word in wanted if len(word) <= _LONGEST}
    return {
        joined[start : start + size] for size in sizes for start in range(len(joined) - size + 1)
    } & wanted


def _often(counts: Mapping[str, int], of: int) -> set[str]:
    return {word for word, count in counts.items() if count > _OFTEN * of} if of >= _ENOUGH else set()
