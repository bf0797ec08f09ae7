"""BM25 as Lucene computes it (Kamphuis et al., ECIR 2020), on bm25s."""

from __future__ import annotations

from array import array
from collections.abc import Mapping, Sequence
from importlib.metadata import version
from typing import Any

import bm25s
import numpy as np

from squtr.errors import UserError
from squtr.languages import FIRST
from squtr.records import Document
from squtr.retrievers import Ranking
from squtr.retrievers.analyser import Analyser, analyser, named_analyser
from squtr.retrievers.order import best, checked_depth, tie_ranks

_Bag = tuple[int, ...]


class Bm25:
    """Lucene's BM25 without the constant factor k1 + 1; title and text are one field.

    `language` overrides the language of the corpus. `analyser` names an analyser of the registry for every
    language, or by language as in `{en: english, zh: bigrams}`; elsewhere the language's row names it. A
    document that shares no term with the query has no evidence and is never returned, so a query without a
    usable term gets an empty ranking.
    """

    def __init__(
        self,
        k1: float = 0.9,
        b: float = 0.4,
        language: str | None = None,
        analyser: str | Mapping[str, str] | None = None,
    ) -> None:
        for name, value, highest in (("k1", k1, float("inf")), ("b", b, 1.0)):
            if isinstance(value, bool) or not isinstance(value, (int, float)) or not 0 <= value <= highest:
                raise UserError(f"bm25: {name}={value!r} is not a number from 0 to {highest:g}.")
        self.k1, self.b, self.language = float(k1), float(b), language
        self._choice = _checked_choice(analyser)
        if language is not None:
            self._analyser_of(language)
        self._others: set[str] = set()
        self._analyser: Analyser | None = None
        self._index: Any = None
        self._ids: list[str] = []
        self._vocabulary: dict[str, int] = {}

    @property
    def fingerprint(self) -> str:
        """Parameters, analysers and the version of bm25s.

        English and Chinese are always named, so it is the same before and after indexing these; another
        language is named once a corpus in it was indexed.
        """
        languages = [*FIRST, *sorted(self._others)] if self.language is None else [self.language]
        analysers = "; ".join(f"{name}: {self._analyser_of(name).fingerprint}" for name in languages)
        return f"bm25 lucene k1={self.k1} b={self.b} bm25s-{version('bm25s')} ({analysers})"

    def index(self, documents: Sequence[Document], language: str) -> None:
        """Take in the corpus. Raises UserError when it is empty or the language has no analyser."""
        if not documents:
            raise UserError("bm25: the corpus is empty. Check corpus.jsonl.")
        self._analyser = self._analyser_of(self.language or language)
        self._others |= {language} - set(FIRST)
        self._ids = [document.id for document in documents]
        self._ties = tie_ranks(self._ids)
        self._vocabulary = {}
        rows = [self._numbered(document.full_text) for document in documents]
        self._index = None
        if self._vocabulary:
            self._index = bm25s.BM25(k1=self.k1, b=self.b, method="lucene", backend="numpy")
            self._index.index((rows, self._vocabulary), create_empty_token=False, show_progress=False)

    def search(self, queries: Sequence[str], k: int) -> list[Ranking]:
        """Return up to k documents a query, best first; queries of the same terms are scored once."""
        k = checked_depth(k, len(self._ids))
        bags = {text: self._bag(text) for text in dict.fromkeys(queries)}
        rankings = {bag: self._rank(bag, k) for bag in set(bags.values())}
        return [dict(rankings[bags[text]]) for text in queries]

    def _analyser_of(self, language: str) -> Analyser:
        spec = self._choice if isinstance(self._choice, str) else self._choice.get(language)
        return analyser(language) if spec is None else named_analyser(spec)

    def _terms(self, text: str) -> list[str]:
        if self._analyser is None:
            raise RuntimeError("Bm25.index comes before search.")
        return self._analyser.tokens(text)

    def _numbered(self, text: str) -> array[int]:
        known = self._vocabulary
        return array("i", [known.setdefault(term, len(known)) for term in self._terms(text)])

    def _bag(self, text: str) -> _Bag:
        known = self._vocabulary
        return tuple(sorted(known[term] for term in self._terms(text) if term in known))

    def _rank(self, bag: _Bag, k: int) -> Ranking:
        if not bag:
            return {}
        scores = self._index.get_scores_from_ids(list(bag))
        hits = np.flatnonzero(scores > 0)
        chosen = hits[best(scores[hits], self._ties[hits], k)]
        return {self._ids[at]: float(scores[at]) for at in chosen}


def _checked_choice(choice: str | Mapping[str, str] | None) -> str | Mapping[str, str]:
    """Return a spec, or specs by language, empty for none; each is loaded. Raises UserError."""
    if choice is None:
        return {}
    for spec in choice.values() if isinstance(choice, Mapping) else (choice,):
        if not isinstance(spec, str):
            raise UserError(
                f"bm25: analyser is {choice!r}. Name one for all languages, or one each, as in"
                " {en: english, zh: bigrams}."
            )
        named_analyser(spec)
    return choice
