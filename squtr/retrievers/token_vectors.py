"""Token vectors of documents, kept as float16, and exact MaxSim search over them in chunks."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from squtr.errors import UserError
from squtr.retrievers import Ranking
from squtr.retrievers.order import best, checked_depth, tie_ranks
from squtr.retrievers.vectors import Vectors, release
from squtr.store import temporary_name

_TOKENS_AT_ONCE = 65_536


@dataclass(frozen=True)
class Tokens:
    """All documents' token vectors, one after the other: vectors (t, d) float16, counts (n,)."""

    vectors: npt.NDArray[np.float16]
    counts: npt.NDArray[np.int64]


class TokenWriter:
    """Takes in documents' token vectors; hands them to a file of rows, or keeps them."""

    def __init__(self, file: Any = None) -> None:
        self._file, self._parts = file, list[Any]()
        self._counts = array("q")
        self.width = 0

    def add(self, documents: Iterable[Vectors]) -> None:
        """Take in the next documents, each (tokens, d). Raises UserError when d changes."""
        for rows in documents:
            self._counts.append(len(rows))
            if not len(rows):
                continue
            if self.width not in (0, rows.shape[1]):
                raise UserError(f"Token vectors of {rows.shape[1]} numbers after some of {self.width}.")
            self.width = rows.shape[1]
            half = np.ascontiguousarray(rows, dtype=np.float16)
            if self._file is None:
                self._parts.append(half)
            else:
                self._file.write(half.tobytes())

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        return np.array(self._counts, dtype=np.int64)

    def tokens(self) -> Tokens:
        """Return what was kept in memory."""
        empty = np.empty((0, max(1, self.width)), dtype=np.float16)
        return Tokens(np.concatenate([empty, *self._parts]), self.counts)


def kept_tokens(place: Path, encode: Callable[[], Iterable[Iterable[Vectors]]]) -> Tokens:
    """Return the tokens kept beside `place`, mapped; encode and keep them when they are not there yet.

    `place`.counts.npy is written last: without it, nothing is kept.
    """
    rows = place.with_name(f"{place.name}.tokens")
    counts = place.with_name(f"{place.name}.counts.npy")
    if not counts.exists():
        temporary = temporary_name(rows)
        with temporary.open("wb") as file:
            writer = TokenWriter(file)
            for part in encode():
                writer.add(part)
        temporary.replace(rows)
        half = temporary_name(counts)
        with half.open("wb") as file:
            np.save(file, np.array([writer.width, *writer.counts], dtype=np.int64))
        half.replace(counts)
    width, *each = np.load(counts, allow_pickle=False)
    held = np.array(each, dtype=np.int64)
    if not held.sum():
        return Tokens(np.empty((0, 1), dtype=np.float16), held)
    shape = (int(held.sum()), int(width))
    return Tokens(np.memmap(rows, dtype=np.float16, mode="r", shape=shape), held)


class TokenIndex:
    """Documents as runs of token vectors; a score is the sum over query tokens of the highest dot product.

    A float32 product over all tokens finds the candidates; those within its rounding error of the k-th are
    computed anew in float64, so a score does not depend on what else is asked or how the corpus is cut. A
    document without a token is never returned.
    """

    def __init__(self, ids: Sequence[str], tokens: Tokens) -> None:
        if not len(ids) or len(ids) != len(tokens.counts):
            raise UserError(f"{len(tokens.counts)} encoded documents do not fit {len(ids)} ids.")
        self._ids, self._tokens = list(ids), tokens
        self._ties = tie_ranks(self._ids)
        self._ends = np.cumsum(tokens.counts)
        self._filled = np.flatnonzero(tokens.counts)

    def search(self, query: Vectors, k: int) -> Ranking:
        """Return up to k documents for the token vectors of one query, (q, d), best first."""
        if not len(query) or not len(self._filled):
            return {}
        if query.shape[1] != self._tokens.vectors.shape[1]:
            raise UserError(
                f"Query tokens of {query.shape[1]} numbers, {self._tokens.vectors.shape[1]} expected."
            )
        k = checked_depth(k, len(self._filled))
        rough = np.concatenate([self._rough(part, query) for part in self._chunks()])
        lengths = np.linalg.norm(query.astype(np.float64), axis=1).sum()
        error = float(lengths) * 1.01 * (query.shape[1] + 8) * float(np.finfo(np.float32).eps)
        near = np.flatnonzero(rough >= np.partition(rough, -k)[-k] - 2 * error)
        documents = self._filled[near]
        exact = np.array([self._exact(document, query) for document in documents])
        return {self._ids[documents[at]]: float(exact[at]) for at in best(exact, self._ties[documents], k)}

    def _chunks(self) -> Iterator[npt.NDArray[np.int64]]:
        """Yield runs of documents that have tokens, each of about as many tokens as are taken at once."""
        start, taken = 0, 0
        for at, document in enumerate(self._filled):
            taken += int(self._tokens.counts[document])
            if taken >= _TOKENS_AT_ONCE or at == len(self._filled) - 1:
                yield self._filled[start : at + 1]
                start, taken = at + 1, 0

    def _rough(self, documents: npt.NDArray[np.int64], query: Vectors) -> Vectors:
        first = self._ends[documents[0]] - self._tokens.counts[documents[0]]
        rows = np.asarray(self._tokens.vectors[first : self._ends[documents[-1]]], dtype=np.float32)
        starts = self._ends[documents] - self._tokens.counts[documents] - first
        scores: Vectors = np.maximum.reduceat(rows @ query.T, starts, axis=0).sum(axis=1)
        release(self._tokens.vectors)
        return scores

    def _exact(self, document: int, query: Vectors) -> float:
        end = self._ends[document]
        rows = self._tokens.vectors[end - self._tokens.counts[document] : end].astype(np.float64)
        return float((rows @ query.astype(np.float64).T).max(axis=0).sum())
