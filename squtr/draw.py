"""The only source of chance: a generator for each (seed, stage, item)."""

from __future__ import annotations

import numpy as np

from squtr.digest import digest


def draw(seed: int, stage: str, item: str) -> np.random.Generator:
    """Return a generator that depends on nothing but its three arguments.

    The same arguments give the same stream in any process, on any worker, in any order.
    """
    return np.random.Generator(np.random.PCG64(int(digest(seed, stage, item), 16)))


def draw_order(seed: int, stage: str, item: str) -> str:
    """Return a sort key that puts items in a stable random order; adding an item moves no other."""
    return digest(seed, stage, item)
