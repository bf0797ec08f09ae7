"""Exact search over vectors by cosine, in flat memory, the same to the last bit however it is cut."""

from __future__ import annotations

import mmap
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from squtr.errors import UserError
from squtr.retrievers import Ranking
from squtr.retrievers.nearest import nearest
from squtr.retrievers.order import Positions, best, checked_depth, tie_ranks

Vectors = npt.NDArray[np.float32]
_Exact = npt.NDArray[np.float64]

_DOCUMENTS_AT_ONCE = 16_384
_QUERIES_AT_ONCE = 256
_ZERO_NORM = 1e-30
_KEPT_MAPPED_BYTES = 256 << 20


class VectorIndex:
    """Documents as vectors of shape (n, d), float32 or float16, in memory or memory-mapped.

    A float32 matrix product finds the candidates; the cosine of those within its rounding error of the
    k-th is then computed in float64, one pair at a time. So neither BLAS, its threads, nor what else
    stands in the batch decides a score, and equal vectors have equal scores. A zero vector's cosine is 0.
    `engine`: who finds the candidates, see `squtr.retrievers.nearest`; the result is the same. Of large
    mapped files no more than a chunk stays in memory.
    """

    def __init__(self, ids: Sequence[str], vectors: npt.NDArray[Any], engine: str = "auto") -> None:
        if not len(ids):
            raise UserError("The corpus is empty: there is no vector to search.")
        if vectors.ndim != 2 or len(vectors) != len(ids):
            raise UserError(
                f"{len(ids)} document ids need vectors of shape ({len(ids)}, d), not {vectors.shape}."
            )
        self._ids = list(ids)
        self._ties = tie_ranks(self._ids)
        self._vectors = vectors
        self._nearest = nearest(engine)
        self._norms = np.concatenate([self._checked_norms(start, part) for start, part in self._chunks()])
        self._error = (vectors.shape[1] + 8) * float(np.finfo(np.float32).eps)

    def search(self, queries: Vectors, k: int) -> list[Ranking]:
        """Return up to k documents for each row of `queries`, shape (m, d); a zero row finds nothing."""
        if queries.ndim != 2 or queries.shape[1] != self._vectors.shape[1]:
            raise UserError(f"Queries need shape (m, {self._vectors.shape[1]}), not {queries.shape}.")
        if not np.isfinite(queries).all():
            raise UserError("A query vector holds NaN or infinity. Look at what the embedder returned.")
        k = checked_depth(k, len(self._ids))
        rankings: list[Ranking] = []
        for start in range(0, len(queries), _QUERIES_AT_ONCE):
            rankings += self._search(queries[start : start + _QUERIES_AT_ONCE].astype(np.float64), k)
        return rankings

    def _search(self, queries: _Exact, k: int) -> list[Ranking]:
        norms = _row_norms(queries)
        asked = np.flatnonzero(norms > _ZERO_NORM)
        tops = {row: _Top(queries[row] / norms[row], k) for row in asked.tolist()}
        units = (queries[asked] / norms[asked, None]).astype(np.float32)
        for start, chunk in self._chunks():
            scaled: Vectors = np.divide(
                chunk, self._norms[start : start + len(chunk), None], dtype=np.float32
            )
            found = self._nearest(units, scaled, k)
            for row, ((rough, places), top) in enumerate(zip(found, tops.values(), strict=True)):
                near = top.candidates(rough, self._error)
                if len(near) == len(places) < len(chunk):
                    rough, places = scaled @ units[row], np.arange(len(chunk))
                    near = top.candidates(rough, self._error)
                if len(near):
                    near = places[near]
                    top.add(self._cosines(start, chunk, near, top.query), start + near, self._ties)
        return [tops[row].ranking(self._ids) if row in tops else {} for row in range(len(queries))]

    def _cosines(self, start: int, chunk: Vectors, near: Positions, query: _Exact) -> _Exact:
        products = (chunk[near].astype(np.float64) * query).sum(axis=1)
        cosines: _Exact = products / self._norms[start + near]
        return cosines

    def _chunks(self) -> Iterator[tuple[int, Vectors]]:
        for start in range(0, len(self._ids), _DOCUMENTS_AT_ONCE):
            part = self._vectors[start : start + _DOCUMENTS_AT_ONCE]
            yield start, np.asarray(part, dtype=np.float32)
            release(self._vectors)

    def _checked_norms(self, start: int, part: Vectors) -> _Exact:
        norms = _row_norms(part.astype(np.float64))
        if not np.isfinite(norms).all():
            bad = self._ids[start + int(np.flatnonzero(~np.isfinite(norms))[0])]
            raise UserError(f"The vector of document {bad!r} holds NaN or infinity. Embed the corpus again.")
        return np.where(norms > _ZERO_NORM, norms, np.inf)


class _Top:
    """The best k documents of one query so far."""

    def __init__(self, query: _Exact, k: int) -> None:
        self.query, self.k = query, k
        self.scores: _Exact = np.empty(0)
        self.positions: Positions = np.empty(0, dtype=np.int64)

    def candidates(self, rough: Vectors, error: float) -> Positions:
        """Return which rough scores can still be of the k best, given their error."""
        if len(self.scores) == self.k:
            return np.flatnonzero(rough >= self.scores[-1] - error)
        if len(rough) <= self.k:
            return np.arange(len(rough))
        return np.flatnonzero(rough >= np.partition(rough, -self.k)[-self.k] - 2 * error)

    def add(self, scores: _Exact, positions: Positions, ties: Positions) -> None:
        scores = np.concatenate((self.scores, scores))
        positions = np.concatenate((self.positions, positions))
        kept = best(scores, ties[positions], self.k)
        self.scores, self.positions = scores[kept], positions[kept]

    def ranking(self, ids: list[str]) -> Ranking:
        return {ids[at]: score for at, score in zip(self.positions, self.scores.tolist(), strict=True)}


def release(vectors: npt.NDArray[Any]) -> None:
    """Let go of the pages of a large file that is mapped to be read; the system's cache keeps them."""
    mapped = getattr(vectors, "_mmap", None)
    if mapped is None or getattr(vectors, "mode", "") != "r" or vectors.nbytes <= _KEPT_MAPPED_BYTES:
        return
    if hasattr(mmap, "MADV_DONTNEED"):
        mapped.madvise(mmap.MADV_DONTNEED)


def _row_norms(rows: _Exact) -> _Exact:
    return np.asarray(np.sqrt((rows * rows).sum(axis=1)))
