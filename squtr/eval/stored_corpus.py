"""A collection's documents, with what retrievers made of them kept in the store."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from squtr.collection import Collection
from squtr.digest import digest
from squtr.errors import UserError
from squtr.progress import Reporter
from squtr.records import Document
from squtr.store import Store, temporary_name

_EMBEDDED_AT_ONCE = 64


class StoredCorpus(Sequence[Document]):
    """The documents of a collection, with their embeddings kept in the store."""

    def __init__(self, collection: Collection, store: Store, progress: Reporter) -> None:
        self._documents = list(collection.documents())
        self._key = collection.corpus_fingerprint
        self._label = f"embed {collection.language}/{collection.name}"
        self._store, self._progress = store, progress

    def __len__(self) -> int:
        return len(self._documents)

    def __getitem__(self, index: Any) -> Any:
        return self._documents[index]

    def vectors(self, embedder: Any) -> Any:
        """Return the documents' vectors, shape (n, d), memory-mapped; embedded only once.

        They are kept as float32, or as the embedder's `stored` says.
        """
        path = self._store.array_path(digest("embed", embedder.fingerprint, self._key))
        if not path.exists():
            self._embed(embedder, path)
        return np.load(path, mmap_mode="r", allow_pickle=False)

    def kept_vectors(self, embedder: Any) -> Any:
        """Return the documents' vectors if they were embedded before and kept in full, else None."""
        path = self._store.array_path(digest("embed", embedder.fingerprint, self._key))
        full = getattr(embedder, "stored", "float32") == "float32"
        return np.load(path, mmap_mode="r", allow_pickle=False) if full and path.exists() else None

    def place(self, retriever: Any) -> Path:
        """Return where a retriever may keep what it made of this corpus: it adds an ending of its own."""
        return self._store.array_path(digest("kept", retriever.fingerprint, self._key)).with_suffix("")

    def truncation(self, retriever: Any) -> dict[str, int] | None:
        """Return how many documents were embedded and how many of them cut, if the retriever told it."""
        key = self._truncation_key(retriever)
        found: dict[str, int] | None = self._store.records([key]).get(key)
        return found

    def keep_truncation(self, retriever: Any, before: dict[str, int]) -> None:
        """Keep what a retriever counted since `before`."""
        counted = {name: count - before.get(name, 0) for name, count in retriever.truncation.items()}
        if any(counted.values()):
            self._store.commit("truncation", {self._truncation_key(retriever): counted})

    def _truncation_key(self, retriever: Any) -> str:
        return digest("truncation", retriever.fingerprint, self._key)

    def _embed(self, embedder: Any, path: Path) -> None:
        """Embed the corpus; what `documents_from` names is not computed again where it is kept."""
        self._progress.total(self._label, len(self))
        temporary = temporary_name(path)
        vectors = None
        at_once = getattr(embedder, "documents_at_once", _EMBEDDED_AT_ONCE)
        source = getattr(embedder, "documents_from", None)
        known = self.kept_vectors(source) if source is not None else None
        for start in range(0, len(self), at_once):
            place = slice(start, start + at_once)
            if known is None:
                part = embedder.embed_documents(self._documents[place])
            else:
                part = embedder.document_vectors(known[place])
            if vectors is None:
                shape = (len(self), part.shape[1])
                npy: Any = np.lib.format
                kind = np.dtype(getattr(embedder, "stored", "float32"))
                vectors = npy.open_memmap(temporary, mode="w+", dtype=kind, shape=shape)
            vectors[start : start + len(part)] = part
            self._progress.advance(self._label, len(part))
        if vectors is None:
            raise UserError(f"{self._label}: the corpus is empty.")
        vectors.flush()
        temporary.replace(path)


def index_corpus(retriever: Any, documents: Sequence[Document], language: str) -> None:
    """Hand a retriever a corpus by the best way that both offer.

    A stored corpus keeps the vectors of what has `embed_documents` and `index_vectors`; what has
    `index_kept(documents, language, place)` keeps its own files there.
    """
    if not isinstance(documents, StoredCorpus):
        retriever.index(documents, language)
        return
    before = dict(getattr(retriever, "truncation", {}))
    if hasattr(retriever, "embed_documents") and hasattr(retriever, "index_vectors"):
        vectors = documents.vectors(retriever)
        retriever.index_vectors([document.id for document in documents], vectors)
    elif hasattr(retriever, "index_kept"):
        retriever.index_kept(documents, language, documents.place(retriever))
    else:
        retriever.index(documents, language)
    if hasattr(retriever, "truncation"):
        documents.keep_truncation(retriever, before)
