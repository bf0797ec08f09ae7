"""Engines: who runs shards. The records and bytes are the same whichever is used."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from squtr.stage import Shard, ShardResult


class Engine(Protocol):
    """Runs shards and yields their results in any order."""

    workers: int

    def map(self, shards: Iterable[Shard], advance: Callable[[int], None]) -> Iterable[ShardResult]:
        """Execute every shard; call `advance(n)` as items finish."""
        ...

    def close(self) -> None:
        """Release workers."""
        ...


def local_engine(workers: int) -> Engine:
    """Return the engine for `workers` processes on this machine; 1 runs in this process."""
    from squtr.engines.local import InProcess, Pool

    return InProcess() if workers == 1 else Pool(workers)
