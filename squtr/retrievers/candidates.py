"""A first stage's best documents, to be scored anew by a second."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from squtr.eval.runs import cut
from squtr.options import number_option
from squtr.records import Document
from squtr.retrievers import Ranking, Retriever
from squtr.retrievers.members import loaded_members

Score = Callable[[dict[str, list[str]]], dict[str, Ranking]]


class Candidates:
    """The first stage, the documents by id, and the scores of pairs that were scored already.

    Documents are not copied: `text` looks them up in the corpus as it was handed over.
    """

    def __init__(self, first: str | Retriever, depth: int) -> None:
        self.members = loaded_members([first])
        self.depth = int(number_option("depth", depth, 1, 10_000))
        self._documents: Sequence[Document] = ()
        self._places: dict[str, int] = {}
        self._known: dict[str, Ranking] = {}

    def index(self, documents: Sequence[Document], language: str) -> None:
        """Hand the corpus to the first stage, and remember where each document stands."""
        self.members[0].index(documents, language)
        self._documents, self._known = documents, {}
        self._places = {document.id: place for place, document in enumerate(documents)}

    def document(self, name: str) -> Document:
        """Return a document by id."""
        found: Document = self._documents[self._places[name]]
        return found

    def place(self, name: str) -> int:
        """Return where a document stands in the corpus."""
        return self._places[name]

    def reranked(self, queries: Sequence[str], k: int, score: Score) -> list[Ranking]:
        """Return up to k documents a query: the first stage's best `depth` by `score`, the others below them.

        `score` takes {query: document ids} and returns {query: {document id: score}}; each pair is asked
        for once. Documents behind the depth keep the first stage's order, a step of 1 apart.
        """
        texts = list(dict.fromkeys(queries))
        found = self.members[0].search(texts, max(k, self.depth))
        firsts = {
            text: list(dict(cut(dict(one), max(k, self.depth))))
            for text, one in zip(texts, found, strict=True)
        }
        missing = {
            text: [name for name in names[: self.depth] if name not in self._known.get(text, {})]
            for text, names in firsts.items()
        }
        for text, scores in score({text: names for text, names in missing.items() if names}).items():
            self._known.setdefault(text, {}).update(scores)
        rankings = {text: self._ranking(text, names, k) for text, names in firsts.items()}
        return [dict(rankings[text]) for text in queries]

    def _ranking(self, text: str, names: list[str], k: int) -> Ranking:
        scores = {name: self._known[text][name] for name in names[: self.depth]}
        lowest = min(scores.values(), default=0.0)
        scores |= {name: lowest - step for step, name in enumerate(names[self.depth :], start=1)}
        return dict(cut(scores, k))
