"""Learned sparse retrieval (SPLADE and its kin) with sentence-transformers' SparseEncoder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from squtr.errors import UserError
from squtr.options import number_option
from squtr.records import Document
from squtr.retrievers import Ranking
from squtr.retrievers.embedding import says_something
from squtr.retrievers.models import TextModel
from squtr.retrievers.prompted import Prompted
from squtr.retrievers.sentence_transformers import cut_count, readable
from squtr.retrievers.term_weights import TermIndex, TermWeights, joined, read_weights, write_weights

_DOCUMENTS_AT_ONCE = 256


class Sparse(Prompted):
    """Texts as weighted terms, scored by their dot product, exactly, through an inverted index.

    model: a folder, or organisation/name with `revision`, a commit. A document that shares no term with the
    query is not returned. max_terms: keep the heaviest terms of a document only. Prompts, device, dtype,
    max_length and trust_code as of `sentence-transformers`.
    """

    def __init__(
        self,
        model: str,
        revision: str | None = None,
        prompt: str | None = None,
        query_prompt: str | None = None,
        document_prompt: str | None = None,
        batch_size: int = 32,
        max_terms: int | None = None,
        **run: Any,
    ) -> None:
        self.set_model(TextModel(model, revision, **run), (prompt, query_prompt, document_prompt), batch_size)
        self.max_terms = None if max_terms is None else int(number_option("max_terms", max_terms, 1, 1e6))
        self._index: TermIndex | None = None

    @property
    def fingerprint(self) -> str:
        """The model, the prompts, how it is run, and versions."""
        how = f"batch_size={self.batch_size} max_terms={self.max_terms}"
        return f"sparse {self.model.description} {self.prompts.description} {how} dot"

    def check(self) -> None:
        """Fetch the model if need be, settle the prompts and load it. Raises UserError."""
        _ = self.prompts
        similarity = self._loaded.similarity_fn_name
        if similarity != "dot":
            raise UserError(f"{self.model.name}: is compared by {similarity!r}, not by the dot product.")

    def index(self, documents: Sequence[Document], language: str) -> None:
        """Encode and take in the corpus. Raises UserError when it is empty."""
        self._take_in(documents, self._encoded_corpus(documents))

    def index_kept(self, documents: Sequence[Document], language: str, place: Path) -> None:
        """Take in the corpus as it was encoded before; encode and keep it at `place`.npz otherwise."""
        kept = place.with_name(f"{place.name}.npz")
        if not kept.exists():
            write_weights(kept, self._encoded_corpus(documents))
        self._take_in(documents, read_weights(kept))

    def search(self, queries: Sequence[str], k: int) -> list[Ranking]:
        """Return up to k documents a query with their dot products; equal queries are encoded once."""
        if self._index is None:
            raise RuntimeError("Sparse.index comes before search.")
        texts = list(dict.fromkeys(queries))
        weights = self._encoded("encode_query", texts, self.prompts.query)
        found = {text: self._index.search(*weights.row(at), k) for at, text in enumerate(texts)}
        return [dict(found[text]) for text in queries]

    def _take_in(self, documents: Sequence[Document], weights: TermWeights) -> None:
        self._index = TermIndex([document.id for document in documents], weights)

    def _encoded_corpus(self, documents: Sequence[Document]) -> TermWeights:
        if not documents:
            raise UserError("sparse: the corpus is empty. Check corpus.jsonl.")
        parts = []
        for start in range(0, len(documents), _DOCUMENTS_AT_ONCE):
            texts = [document.full_text for document in documents[start : start + _DOCUMENTS_AT_ONCE]]
            self.truncation["documents"] += len(texts)
            self.truncation["cut"] += cut_count(self._loaded, texts, self.prompts.document)
            parts.append(self._encoded("encode_document", texts, self.prompts.document, self.max_terms))
        return joined(parts)

    def _encoded(
        self, method: str, texts: Sequence[str], prompt: str, max_terms: int | None = None
    ) -> TermWeights:
        filled = [row for row, text in enumerate(texts) if says_something(text)]
        counts = np.zeros(len(texts), dtype=np.int64)
        if not filled:
            return TermWeights(counts, np.empty(0, dtype=np.int32), np.empty(0, dtype=np.float32), 1)
        found = getattr(self._loaded, method)(
            [readable(texts[row]) for row in filled],
            prompt=prompt,
            batch_size=self.batch_size,
            show_progress_bar=False,
            convert_to_tensor=True,
            convert_to_sparse_tensor=True,
            save_to_cpu=True,
            max_active_dims=max_terms,
        ).coalesce()
        rows, terms = found.indices().numpy()
        counts[filled] = np.bincount(rows, minlength=len(filled))
        weights = found.values().float().numpy()
        if not np.isfinite(weights).all():
            raise UserError(f"{self.model.name}: gave NaN or infinite weights. Try dtype=float32.")
        return TermWeights(counts, terms.astype(np.int32), weights.astype(np.float32), found.shape[1])

    @property
    def _loaded(self) -> Any:
        return self.model.loaded("SparseEncoder")
