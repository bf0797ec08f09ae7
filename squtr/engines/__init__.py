"""Engines: who runs shards. The records and bytes are the same whichever is used."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import TYPE_CHECKING, Protocol

from squtr.errors import UserError, did_you_mean

if TYPE_CHECKING:
    from squtr.stage import Shard, ShardResult

ENGINES = ("local", "ray")


class Engine(Protocol):
    """Runs shards and yields their results in any order."""

    workers: int

    def map(self, shards: Iterable[Shard], advance: Callable[[int], None]) -> Iterable[ShardResult]:
        """Execute every shard; call `advance(n)` as items finish."""
        ...

    def close(self) -> None:
        """Release workers."""
        ...


StartEngine = Callable[[], Engine]


def local_engine(workers: int) -> Engine:
    """Return the engine for `workers` processes on this machine; 1 runs in this process."""
    from squtr.engines.local import InProcess, Pool

    return InProcess() if workers == 1 else Pool(workers)


def engine_starter(name: str, workers: int, ray_address: str | None = None) -> StartEngine:
    """Return a function that starts the named engine. Raises UserError for what does not fit."""
    if name not in ENGINES:
        raise UserError(f"--engine {name}: no such engine.{did_you_mean(name, ENGINES)}")
    if name == "local":
        if ray_address is not None:
            raise UserError("--ray-address goes with --engine ray.")
        return lambda: local_engine(workers)
    try:
        from squtr.engines.ray import RayEngine
    except ImportError as error:
        raise UserError(f"--engine ray needs Ray ({error}): pip install 'squtr[ray]'.") from error
    return lambda: RayEngine(workers, ray_address)
