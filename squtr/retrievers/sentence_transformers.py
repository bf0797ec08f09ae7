"""Dense retrieval with any text model of sentence-transformers."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

from squtr.options import switch_option
from squtr.records import Document
from squtr.retrievers.embedding import VectorSearch, embed_filled
from squtr.retrievers.models import TextModel
from squtr.retrievers.prompted import Prompted
from squtr.retrievers.vectors import Vectors


class SentenceTransformers(Prompted, VectorSearch):
    """Embeds title and text as one, searched exactly by cosine.

    model: a folder, or organisation/name with `revision`, a commit. Prompts: `query_prompt` and
    `document_prompt`, or `prompt`, a preset of eval/prompts.yaml; else what the model declares. normalise:
    keep vectors of length 1 (the cosine is the same either way). device, dtype, max_length, trust_code: see
    squtr.retrievers.models; engine, stored: squtr.retrievers.embedding.
    """

    documents_at_once = 1024

    def __init__(
        self,
        model: str,
        revision: str | None = None,
        prompt: str | None = None,
        query_prompt: str | None = None,
        document_prompt: str | None = None,
        batch_size: int = 32,
        normalise: bool = True,
        engine: str = "auto",
        stored: str = "float32",
        **run: Any,
    ) -> None:
        super().__init__(engine, stored)
        self.set_model(TextModel(model, revision, **run), (prompt, query_prompt, document_prompt), batch_size)
        self.normalise = switch_option("normalise", normalise)

    @property
    def fingerprint(self) -> str:
        """The model, the prompts, how it is run, and versions."""
        how = f"batch_size={self.batch_size} normalise={str(self.normalise).lower()}"
        asked = f"{self.model.description} {self.prompts.description} {how}"
        return f"sentence-transformers {asked} cosine{self.stored_fingerprint}"

    def check(self) -> None:
        """Fetch the model if need be, settle the prompts and load it. Raises UserError."""
        _ = self.prompts
        _ = self._loaded

    def embed_documents(self, documents: Sequence[Document]) -> Vectors:
        """Return a vector a document, shape (n, d), float32; `truncation` counts those cut at max_length."""
        texts = [document.full_text for document in documents]
        self.truncation["documents"] += len(texts)
        self.truncation["cut"] += cut_count(self._loaded, texts, self.prompts.document)
        return self._embedded("encode_document", texts, self.prompts.document)

    def embed_queries(self, queries: Sequence[str]) -> Vectors:
        """Return a vector a query, shape (n, d), float32."""
        return self._embedded("encode_query", queries, self.prompts.query)

    def _embedded(self, method: str, texts: Sequence[str], prompt: str) -> Vectors:
        encode = functools.partial(
            getattr(self._loaded, method),
            prompt=prompt,
            batch_size=self.batch_size,
            convert_to_numpy=True,
            normalize_embeddings=self.normalise,
            show_progress_bar=False,
        )
        return embed_filled(
            list(map(readable, texts)), encode, self._loaded.get_sentence_embedding_dimension()
        )

    @property
    def _loaded(self) -> Any:
        return self.model.loaded("SentenceTransformer")


def readable(text: str) -> str:
    """Return a text without what no tokeniser takes: half characters (lone surrogates)."""
    return text.encode("utf-8", "replace").decode("utf-8").strip()


def cut_count(model: Any, texts: Sequence[str], prompt: str = "") -> int:
    """Return how many texts, behind their prompt, have more tokens than the model reads."""
    most = model.max_seq_length
    if most is None:
        return 0
    long = [prompt + text for text in texts if len((prompt + text).encode("utf-8", "replace")) > most - 2]
    if not long:
        return 0
    tokens = model.tokenizer(list(map(readable, long)), truncation=False, padding=False, verbose=False)
    return sum(len(row) > most for row in tokens["input_ids"])
