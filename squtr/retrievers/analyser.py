"""Text to index terms: one object for the corpus and the queries, so that they cannot disagree.

A query of which no term is left ("to be or not to be", "🙂", "") has an empty token list and therefore
an empty result; stop words are never brought back for such a query.
"""

from __future__ import annotations

import functools
import re
import unicodedata
from importlib.metadata import version
from typing import Protocol

import Stemmer

from squtr import languages, plugins
from squtr.errors import UserError, did_you_mean
from squtr.text.segmenter import chinese_words

_STOP_WORDS = (
    "a an and are as at be but by for if in into is it no not of on or such that the their then there"
    " these they this to was will with"
)
LUCENE_STOP_WORDS = frozenset(_STOP_WORDS.split())
_TERM = re.compile(r"[^\W_]+")
_KANA = "\u3041-\u3096\u309d-\u309f\u30a1-\u30fa\u30fc-\u30ff"
_KANJI = "\u3005-\u3007\u3400-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_RUNS = re.compile(f"[{_KANA}{_KANJI}]+|[^{_KANA}{_KANJI}]+")
_PAIRED = re.compile(f"[{_KANA}{_KANJI}]")


class Analyser(Protocol):
    """What BM25 asks of a language."""

    @property
    def fingerprint(self) -> str:
        """Everything that decides the tokens: name, version, options, libraries and their versions."""
        ...

    def tokens(self, text: str) -> list[str]:
        """Return the terms of a text in order, with repeats; no term is empty."""
        ...


class English:
    """NFKC, lower case, accents off, runs of letters and digits, 33 stop words, Porter's stemmer.

    One-character terms stay: the `c` of "vitamin c" is what the query is about. Words of one or two letters
    are not stemmed, as in Porter's own program: Snowball's turns "us" into "u" and "s" into nothing.
    """

    def __init__(self) -> None:
        self._stemmer = Stemmer.Stemmer("porter")

    @property
    def fingerprint(self) -> str:
        """Name, version, options and the version of the stemmer."""
        return f"english-1 NFKC+lower+no-accents stop=lucene33 stem=porter PyStemmer-{version('PyStemmer')}"

    def tokens(self, text: str) -> list[str]:
        """Return the stemmed terms of an English text."""
        words = [word for word in _TERM.findall(_fold_accents(text)) if word not in LUCENE_STOP_WORDS]
        stems = self._stemmer.stemWords(words)
        return [word if len(word) <= 2 else stem for word, stem in zip(words, stems, strict=True)]


class Chinese:
    """NFKC (so full-width digits become ASCII), lower case, jieba's words; punctuation and symbols split.

    One-character words stay. The script is left as it is: traditional characters match traditional ones.
    """

    @property
    def fingerprint(self) -> str:
        """Name, version, options and the version of the segmenter."""
        return f"chinese-1 NFKC+lower words=default+HMM jieba-{version('jieba')}"

    def tokens(self, text: str) -> list[str]:
        """Return the words of a Chinese text; Latin words and numbers in it come out whole."""
        words = chinese_words(unicodedata.normalize("NFKC", text).lower())
        return [term for word in words for term in _TERM.findall(word)]


class Snowball:
    """NFKC, lower case, runs of letters and digits, a Snowball stemmer by name; accents go after stemming.

    There is no stop list: BM25 weighs down what stands everywhere. Raises UserError for an unknown stemmer.
    """

    def __init__(self, stemmer: str) -> None:
        known = Stemmer.algorithms()
        if stemmer not in known:
            raise UserError(f"snowball: no stemmer {stemmer!r}.{did_you_mean(str(stemmer), known)}")
        self._name, self._stemmer = stemmer, Stemmer.Stemmer(stemmer)

    @property
    def fingerprint(self) -> str:
        """Name, version, options and the version of the stemmer."""
        options = f"NFKC+lower stem={self._name} then no-accents stop=none"
        return f"snowball-1 {options} PyStemmer-{version('PyStemmer')}"

    def tokens(self, text: str) -> list[str]:
        """Return the stemmed terms of a text."""
        words = _TERM.findall(unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).lower()))
        pairs = zip(words, self._stemmer.stemWords(words), strict=True)
        return [term for word, stem in pairs for term in _TERM.findall(_fold_accents(stem or word))]


class Bigrams:
    """NFKC, lower case; overlapping pairs of kana and kanji, as in Lucene's CJK analysis; no dictionary.

    A character between others that are none of these is a term of its own; Latin words and numbers are
    whole. Hiragana alone, which is mostly grammar, is not left out: BM25 weighs it down.
    """

    fingerprint = "bigrams-1 NFKC+lower kana+kanji in twos"

    def tokens(self, text: str) -> list[str]:
        """Return the pairs and words of a text in order."""
        folded = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", text).lower())
        return [
            term for word in _TERM.findall(folded) for run in _RUNS.findall(word) for term in _in_twos(run)
        ]


def analyser(language: str) -> Analyser:
    """Return the analyser that a language's row names, the same object at each call. Raises UserError."""
    return named_analyser(languages.language_row(language).analyser)


@functools.cache
def named_analyser(spec: str) -> Analyser:
    """Return the analyser of a spec, the same object at each call. Raises UserError."""
    found: Analyser = plugins.load("analyser", spec)
    return found


def _in_twos(run: str) -> list[str]:
    if not _PAIRED.match(run):
        return [run]
    return [run[place : place + 2] for place in range(len(run) - 1)] or [run]


def _fold_accents(text: str) -> str:
    if text.isascii():
        return text.lower()
    spread = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).lower())
    return "".join(char for char in spread if unicodedata.category(char) != "Mn")
