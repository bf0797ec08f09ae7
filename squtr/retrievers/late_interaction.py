"""Late interaction (ColBERT; Khattab and Zaharia, SIGIR 2020) with PyLate: a vector a token, exact MaxSim."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from squtr.errors import UserError
from squtr.needs import Need, packages
from squtr.options import number_option
from squtr.records import Document
from squtr.retrievers import Ranking
from squtr.retrievers.embedding import says_something
from squtr.retrievers.models import TextModel, versions
from squtr.retrievers.sentence_transformers import readable
from squtr.retrievers.token_vectors import TokenIndex, Tokens, TokenWriter, kept_tokens

HOW = "pip install pylate"
_DOCUMENTS_AT_ONCE = 256


class LateInteraction:
    """Each text a matrix of token vectors; a score is the sum over query tokens of the best cosine.

    model: a folder, or organisation/name with `revision`, a commit; its own prefixes mark queries and
    documents. query_length, document_length: tokens; None: the model's own. Token vectors are kept as
    float16 (about 256 bytes a token of 128 numbers) and compared in float32, the best in float64. device,
    dtype and trust_code: see squtr.retrievers.models.
    """

    def __init__(
        self,
        model: str,
        revision: str | None = None,
        query_length: int | None = None,
        document_length: int | None = None,
        batch_size: int = 32,
        **run: Any,
    ) -> None:
        if "max_length" in run:
            raise UserError("late-interaction: say query_length and document_length, not max_length.")
        self.model = TextModel(model, revision, **run)
        self._lengths = {
            name: None if value is None else int(number_option(name, value, 4, 65536))
            for name, value in (("query_length", query_length), ("document_length", document_length))
        }
        self.batch_size = int(number_option("batch_size", batch_size, 1, 65536))
        self._index: TokenIndex | None = None

    @property
    def fingerprint(self) -> str:
        """The model, how it is run, and versions."""
        how = " ".join(
            f"{name}={value or 'the model' + chr(39) + 's'}" for name, value in self._lengths.items()
        )
        return (
            f"late-interaction {self.model.description} {versions('pylate')} {how}"
            f" batch_size={self.batch_size} MaxSim stored=float16"
        )

    def needs(self) -> list[Need]:
        """Return the packages, the device and the model."""
        return [*packages(HOW, "pylate"), *self.model.needs()]

    def check(self) -> None:
        """Fetch the model if need be and load it. Raises UserError."""
        _ = self._loaded

    def index(self, documents: Sequence[Document], language: str) -> None:
        """Encode and take in the corpus, in memory. Raises UserError when it is empty."""
        writer = TokenWriter()
        for part in self._encoded_corpus(documents):
            writer.add(part)
        self._take_in(documents, writer.tokens())

    def index_kept(self, documents: Sequence[Document], language: str, place: Path) -> None:
        """Take in the corpus as it was encoded before; encode and keep it beside `place` otherwise."""
        self._take_in(documents, kept_tokens(place, lambda: self._encoded_corpus(documents)))

    def search(self, queries: Sequence[str], k: int) -> list[Ranking]:
        """Return up to k documents a query by MaxSim; a text that says nothing finds nothing."""
        if self._index is None:
            raise RuntimeError("LateInteraction.index comes before search.")
        texts = list(dict.fromkeys(queries))
        vectors = self._encoded(texts, is_query=True)
        found = {text: self._index.search(rows, k) for text, rows in zip(texts, vectors, strict=True)}
        return [dict(found[text]) for text in queries]

    def _take_in(self, documents: Sequence[Document], tokens: Tokens) -> None:
        self._index = TokenIndex([document.id for document in documents], tokens)

    def _encoded_corpus(self, documents: Sequence[Document]) -> Any:
        if not documents:
            raise UserError("late-interaction: the corpus is empty. Check corpus.jsonl.")
        for start in range(0, len(documents), _DOCUMENTS_AT_ONCE):
            part = documents[start : start + _DOCUMENTS_AT_ONCE]
            yield self._encoded([document.full_text for document in part], is_query=False)

    def _encoded(self, texts: Sequence[str], is_query: bool) -> list[Any]:
        filled = [row for row, text in enumerate(texts) if says_something(text)]
        found = (
            self._loaded.encode(
                [readable(texts[row]) for row in filled],
                batch_size=self.batch_size,
                is_query=is_query,
                normalize_embeddings=True,
                convert_to_numpy=True,
                show_progress_bar=False,
            )
            if filled
            else []
        )
        vectors: list[Any] = [np.empty((0, 1), dtype=np.float32)] * len(texts)
        for row, rows in zip(filled, found, strict=True):
            vectors[row] = np.asarray(rows, dtype=np.float32)
            if not np.isfinite(vectors[row]).all():
                raise UserError(f"{self.model.name}: gave a vector with NaN or infinity. Try dtype=float32.")
        return vectors

    @property
    def _loaded(self) -> Any:
        lengths = {name: value for name, value in self._lengths.items() if value is not None}
        return self.model.loaded("pylate.models:ColBERT", **lengths)
