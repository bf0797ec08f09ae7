"""How well clips find their texts among others: rank 1, reciprocal rank and nDCG@10, by condition."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from squtr.draw import draw
from training.end_to_end.fit import Rows
from training.end_to_end.texts import SEED, Text

_DEPTH = 10


@dataclass(frozen=True)
class Pool:
    """Held-out texts of one language and their unit rows, shape (t, d); clips are ranked among them."""

    texts: tuple[Text, ...]
    rows: Rows


@dataclass(frozen=True)
class Asked:
    """Held-out clips of one language: their text's place in the pool, and their labels."""

    places: npt.NDArray[np.int64]
    labels: tuple[tuple[str, ...], ...]


def ranks(found: Rows, asked: Asked, pool: Pool, among: int) -> npt.NDArray[np.int64]:
    """Return the rank, from 1, of each clip's own text among `among` of the pool; ties count against it.

    The others are drawn anew for every clip, the same whatever else is asked.
    """
    cosines = found @ pool.rows.T
    own = cosines[np.arange(len(cosines)), asked.places]
    better = cosines >= own[:, None]
    if among >= len(pool.texts):
        return np.asarray(better.sum(axis=1), dtype=np.int64)
    placed = []
    for clip, place in enumerate(asked.places):
        text = pool.texts[place]
        chance = draw(SEED, "judge", f"{text.language}-{text.number}-{among}")
        others = np.delete(np.arange(len(pool.texts)), place)
        drawn = chance.choice(others, among - 1, replace=False)
        placed.append(1 + int(better[clip, drawn].sum()))
    return np.array(placed, dtype=np.int64)


def measured(places: npt.NDArray[np.int64]) -> dict[str, Any]:
    """Return the number of clips, the share at rank 1, MRR and nDCG@10 (one relevant text, gain 1)."""
    if not len(places):
        return {"clips": 0, "rank_1": None, "mrr": None, "ndcg_10": None}
    gains = np.where(places <= _DEPTH, 1 / np.log2(places + 1), 0.0)
    return {
        "clips": len(places),
        "rank_1": round(float((places == 1).mean()), 4),
        "mrr": round(float((1 / places).mean()), 4),
        "ndcg_10": round(float(gains.mean()), 4),
    }


def chance(among: int) -> dict[str, Any]:
    """Return what guessing scores among so many texts."""
    every = np.arange(1, among + 1)
    return {**measured(every), "clips": None}


def table(places: npt.NDArray[np.int64], labels: Sequence[tuple[str, ...]]) -> dict[str, Any]:
    """Return `measured` for each combination of labels, joined by a blank, and for all."""
    names = [" ".join(label) for label in labels]
    groups = {name: np.array([one == name for one in names]) for name in sorted(set(names))}
    return {"all": measured(places), **{name: measured(places[rows]) for name, rows in groups.items()}}
