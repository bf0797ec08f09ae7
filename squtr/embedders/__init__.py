"""Embedders: spoken queries and written documents in one space, with no transcript between."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from squtr.records import Document, Waveform
from squtr.retrievers.vectors import Vectors


class Embedder(Protocol):
    """What `--end-to-end package.module:Class` has to offer; relevance is the cosine of two vectors.

    Built once a process; the model is loaded at the first call. Optional: `embed_audio_many(audios,
    language)`, shape (n, d), for batches that give the same vectors as single calls; `embed_queries(texts)`,
    shape (n, d), which adds a row on the written text, the oracle; `check()`, which raises UserError for
    what is missing; `needs()` and `fingerprint_in(language)` as of a recogniser.
    """

    @property
    def fingerprint(self) -> str:
        """Everything that changes a vector besides the audio and its language, or the document."""
        ...

    def embed_audio(self, audio: Waveform, language: str) -> Vectors:
        """Return one vector, shape (d,), float32. Raises on failure; never a vector of zeros instead."""
        ...

    def embed_documents(self, documents: Sequence[Document]) -> Vectors:
        """Return one vector a document, shape (n, d), float32; a document that says nothing may be zero."""
        ...
