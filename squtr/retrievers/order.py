"""The one order of a ranking, on arrays: score descending, then document id descending."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from squtr.errors import UserError

Positions = npt.NDArray[np.int64]


def tie_ranks(ids: Sequence[str]) -> Positions:
    """Return each id's place among all ids in descending order, shape (n,): the lower wins a tie.

    Python compares strings by code point, which is the order of their UTF-8 bytes (trec_eval's strcmp).
    Raises UserError when an id comes twice.
    """
    if len(set(ids)) != len(ids):
        twice = next(name for name, count in Counter(ids).items() if count > 1)
        raise UserError(f"Document id {twice!r} comes twice in the corpus. Give each document its own id.")
    ranks = np.empty(len(ids), dtype=np.int64)
    ranks[sorted(range(len(ids)), key=ids.__getitem__, reverse=True)] = np.arange(len(ids))
    return ranks


def best(scores: npt.NDArray[np.floating[Any]], ties: Positions, k: int) -> Positions:
    """Return the positions of the k best, best first, shape (min(k, n),).

    Equal to a full sort by (-score, tie rank): everything tied with the k-th score takes part in the cut.
    """
    border = np.partition(scores, -k)[-k] if k < len(scores) else -np.inf
    candidates: Positions = np.flatnonzero(scores >= border)
    order: Positions = np.lexsort((ties[candidates], -scores[candidates]))
    return candidates[order[:k]]


def checked_depth(k: int, size: int) -> int:
    """Return k lowered to the size of the corpus. Raises UserError when k is below 1."""
    if k < 1:
        raise UserError(f"k is {k}: ask for at least one document a query.")
    return min(k, size)
