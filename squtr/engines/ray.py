"""Shards on a Ray cluster: actors that live as long as the build, so models load once an actor.

Workers write packs into the store's folder and read audio from it, so every node must see that folder
and the data set's under the same path, as on a shared file system. Only the driver writes the index.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import squtr
from squtr.errors import UserError
from squtr.stage import Shard, ShardResult, execute

ray: Any = importlib.import_module("ray")

_POLL_SECONDS = 1.0
_LONGEST_CHAIN_OF_LOSSES = 3


class RayEngine:
    """A fixed number of actors; a lost actor or node costs its one shard, which another actor redoes."""

    def __init__(self, workers: int, address: str | None = None, gpus: float = 0.0) -> None:
        self.workers = workers
        self._started_here = not ray.is_initialized()
        if self._started_here:
            connect(workers, address)
        _refuse_too_few_processors(workers)
        self._new_actor: Callable[[], Any] = ray.remote(num_cpus=1, num_gpus=gpus)(_Worker).remote
        self._idle = [self._new_actor() for _ in range(workers)]

    def map(self, shards: Iterable[Shard], advance: Callable[[int], None]) -> Iterator[ShardResult]:
        queue = iter(shards)
        running: dict[Any, tuple[Any, Shard, int]] = {}
        again: list[tuple[Shard, int]] = []
        while True:
            while self._idle and (todo := again.pop() if again else _first(queue)) is not None:
                shard, losses = todo
                actor = self._idle.pop()
                running[actor.execute.remote(shard)] = (actor, shard, losses)
            if not running:
                return
            done, _ = ray.wait(list(running), timeout=_POLL_SECONDS)
            for reference in done:
                actor, shard, losses = running.pop(reference)
                result = _result(reference)
                if result is None:
                    _refuse_endless_losses(shard, losses + 1)
                    again.append((shard, losses + 1))
                    self._idle.append(self._new_actor())
                    continue
                self._idle.append(actor)
                advance(len(shard.items))
                yield result

    def close(self) -> None:
        for actor in self._idle:
            ray.kill(actor)
        if self._started_here:
            ray.shutdown()


class _Worker:
    """One actor."""

    def execute(self, shard: Shard) -> ShardResult:
        return execute(shard, lambda: None)


def connect(workers: int, address: str | None) -> None:
    """Join the cluster at `address`, or start one of `workers` processors on this machine."""
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    environment = {"PYTHONPATH": os.pathsep.join([str(Path(squtr.__file__).parent.parent), *_path()])}
    settings: dict[str, Any] = {
        "runtime_env": {"env_vars": environment},
        "log_to_driver": False,
        "logging_level": "ERROR",
    }
    if address is None:
        settings |= {"num_cpus": workers, "include_dashboard": False}
    else:
        settings["address"] = address
    try:
        ray.init(**settings)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise UserError(f"--ray-address {address}: no Ray cluster answers there ({error}).") from error


def _refuse_too_few_processors(workers: int) -> None:
    """Actors that find no processor would wait for ever without a word."""
    offered = int(ray.cluster_resources().get("CPU", 0))
    if offered < workers:
        raise UserError(f"--workers {workers}: the Ray cluster has {offered} processors. Ask for fewer.")


def _path() -> list[str]:
    return [part for part in os.environ.get("PYTHONPATH", "").split(os.pathsep) if part]


def _first(queue: Iterator[Shard]) -> tuple[Shard, int] | None:
    shard = next(queue, None)
    return None if shard is None else (shard, 0)


def _result(reference: Any) -> ShardResult | None:
    """Return a finished shard's result, or None when its actor or node was lost."""
    try:
        found: ShardResult = ray.get(reference)
    except ray.exceptions.RayActorError:
        return None
    except ray.exceptions.RayTaskError as error:
        raise error.cause if isinstance(error.cause, UserError) else error from None
    return found


def _refuse_endless_losses(shard: Shard, losses: int) -> None:
    if losses >= _LONGEST_CHAIN_OF_LOSSES:
        raise UserError(
            f"A worker was lost {losses} times at the same {len(shard.items)} items of stage"
            f" {shard.stage.name} (out of memory?). What was finished is kept: run the same command again."
        )
