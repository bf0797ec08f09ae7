"""A first stage's best documents, scored anew by a cross-encoder."""

from __future__ import annotations

import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from squtr.errors import UserError
from squtr.needs import Need, needs_of
from squtr.options import number_option
from squtr.records import Document
from squtr.retrievers import Ranking, Retriever
from squtr.retrievers.candidates import Candidates
from squtr.retrievers.members import check_members, fingerprint_of
from squtr.retrievers.models import TextModel
from squtr.retrievers.sentence_transformers import readable

_PAIRS_AT_ONCE = 8192


class Rerank:
    """A cross-encoder of sentence-transformers reads each query together with each candidate.

    first: any retriever. model: a folder, or organisation/name with `revision`, a commit. depth: how many
    of the first stage's documents are scored. Scores are the model's logits: a sigmoid in single precision
    makes ties. device, dtype, max_length, trust_code: see squtr.retrievers.models.
    """

    composed_of = "first"
    default_members = "bm25"

    def __init__(
        self,
        model: str,
        first: str | Retriever = "bm25",
        depth: int = 50,
        revision: str | None = None,
        batch_size: int = 32,
        **run: Any,
    ) -> None:
        self.model = TextModel(model, revision, **run)
        self.batch_size = int(number_option("batch_size", batch_size, 1, 65536))
        self._candidates = Candidates(first, depth)
        self.members = self._candidates.members
        self.truncation = {"pairs": 0, "cut": 0}

    @property
    def fingerprint(self) -> str:
        """The first stage, the depth, the model, how it is run, and versions."""
        how = f"depth={self._candidates.depth} batch_size={self.batch_size} logits"
        return f"rerank [{fingerprint_of(self.members[0])}] {how} {self.model.description}"

    def needs(self) -> list[Need]:
        """Return what the first stage and the model need."""
        return [*needs_of(self.members[0]), *self.model.needs()]

    def check(self) -> None:
        """Let the first stage check itself, and load the model. Raises UserError."""
        check_members(self.members)
        labels = self._loaded.config.num_labels
        if labels != 1:
            raise UserError(f"{self.model.name}: gives {labels} scores a pair, a reranker gives one.")

    def index(self, documents: Sequence[Document], language: str) -> None:
        """Hand the corpus to the first stage; documents are looked up when they are candidates."""
        self._candidates.index(documents, language)

    def search(self, queries: Sequence[str], k: int) -> list[Ranking]:
        """Return up to k documents a query; each pair of a query and a document is scored once."""
        return self._candidates.reranked(queries, k, self._scores)

    def _scores(self, wanted: dict[str, list[str]]) -> dict[str, Ranking]:
        pairs = [(text, name) for text, names in wanted.items() for name in names]
        found: dict[str, Ranking] = {text: {} for text in wanted}
        for start in range(0, len(pairs), _PAIRS_AT_ONCE):
            part = pairs[start : start + _PAIRS_AT_ONCE]
            for (text, name), score in zip(part, self._predicted(part), strict=True):
                found[text][name] = float(score)
        return found

    def _predicted(self, pairs: list[tuple[str, str]]) -> Any:
        texts = [
            (readable(text), readable(self._candidates.document(name).full_text)) for text, name in pairs
        ]
        self._count_cut(texts)
        order = sorted(range(len(texts)), key=lambda at: len(texts[at][0]) + len(texts[at][1]))
        scores = np.empty(len(texts), dtype=np.float32)
        scores[order] = self._loaded.predict(
            [texts[at] for at in order],
            batch_size=self.batch_size,
            activation_fn=importlib.import_module("torch").nn.Identity(),
            show_progress_bar=False,
        )
        if not np.isfinite(scores).all():
            raise UserError(f"{self.model.name}: gave NaN or an infinite score. Try dtype=float32.")
        return scores

    def _count_cut(self, texts: list[tuple[str, str]]) -> None:
        model = self._loaded
        most = model.max_length
        long = [pair for pair in texts if len("".join(pair).encode("utf-8")) > most - 3]
        self.truncation["pairs"] += len(texts)
        if long:
            tokens = model.tokenizer([*map(list, long)], truncation=False, verbose=False)
            self.truncation["cut"] += sum(len(row) > most for row in tokens["input_ids"])

    @property
    def _loaded(self) -> Any:
        return self.model.loaded("CrossEncoder")
