"""Equal keys among millions, in eight bytes a key."""

from __future__ import annotations

from hashlib import blake2b

import numpy as np


class Repeats:
    """Takes keys one by one and tells which positions repeat an earlier key.

    Keys are compared by a 64-bit hash: among ten million keys one false pair is expected in every
    400,000 collections, so what must be certain has to be confirmed on the keys themselves.
    """

    def __init__(self) -> None:
        self._hashes = bytearray()

    def add(self, key: str) -> None:
        """Take the next key; positions count from 0."""
        self._hashes += blake2b(key.encode("utf-8", "surrogatepass"), digest_size=8).digest()

    def pairs(self) -> list[tuple[int, int]]:
        """Return (position, first position of the same key) of every repeat, in order."""
        hashes = np.frombuffer(bytes(self._hashes), dtype="<u8")
        order = np.argsort(hashes, kind="stable")
        ranked = hashes[order]
        first: dict[int, int] = {}
        for rank in np.flatnonzero(ranked[1:] == ranked[:-1]):
            earlier, later = int(order[rank]), int(order[rank + 1])
            first[later] = first.get(earlier, earlier)
        return sorted(first.items())
