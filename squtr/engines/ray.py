"""Shards on a Ray cluster: actors that live as long as the build, so models load once an actor.

Workers write packs into the store's folder and read audio from it, so every node must see that folder
and the data set's under the same path, as on a shared file system. Only the driver writes the index.
"""

from __future__ import annotations

import importlib
import os
import signal
import socket
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import squtr
from squtr.errors import UserError
from squtr.stage import Shard, ShardResult, execute

ray: Any = importlib.import_module("ray")

_POLL_SECONDS = 1.0
_ANSWER_SECONDS = 5.0
_LONGEST_CHAIN_OF_LOSSES = 3


class RayEngine:
    """Actors by the GPUs they hold: stages that ask for equally many share theirs, and its models.

    A lost actor or node costs its one shard, which another actor redoes.
    """

    def __init__(self, workers: int, address: str | None = None) -> None:
        self.workers = workers
        self._started_here = not ray.is_initialized()
        if self._started_here:
            connect(workers, address)
        _refuse_too_few_processors(workers)
        self._crews: dict[float, list[Any]] = {}

    def map(self, shards: Iterable[Shard], advance: Callable[[int], None]) -> Iterator[ShardResult]:
        first = next(queue := iter(shards), None)
        if first is None:
            return
        idle = self._crew(first.gpus)
        running: dict[Any, tuple[Any, Shard, int]] = {}
        again: list[tuple[Shard, int]] = [(first, 0)]
        while True:
            while idle and (todo := again.pop() if again else _first(queue)) is not None:
                shard, losses = todo
                actor = idle.pop()
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
                    idle.append(_new_actor(shard.gpus))
                    continue
                idle.append(actor)
                advance(len(shard.items))
                yield result

    def close(self) -> None:
        for actor in (actor for crew in self._crews.values() for actor in crew):
            ray.kill(actor)
        if self._started_here:
            ray.shutdown()

    def _crew(self, gpus: float) -> list[Any]:
        """Return the idle actors that hold `gpus` each. They wait, with their models, for the next block."""
        if gpus not in self._crews:
            taken = sum(held * len(crew) for held, crew in self._crews.items())
            size = crew_size(self.workers, gpus, ray.cluster_resources().get("GPU", 0.0), taken)
            self._crews[gpus] = [_new_actor(gpus) for _ in range(size)]
        return self._crews[gpus]


def crew_size(workers: int, gpus: float, offered: float, taken: float) -> int:
    """Return how many actors with `gpus` each fit beside `taken` of `offered`; more would wait for ever."""
    if not gpus:
        return workers
    size = min(workers, int((offered - taken) / gpus + 1e-9))
    if size < 1:
        raise UserError(
            f"resources: a stage asks for {gpus:g} GPUs a worker; the Ray cluster has {offered:g}, and other"
            f" stages hold {taken:g}. Ask for parts of a GPU, or for equally many in each stage, so that they"
            " share workers."
        )
    return size


def _new_actor(gpus: float) -> Any:
    return ray.remote(num_cpus=0 if gpus else 1, num_gpus=gpus)(_Worker).remote()


class _Worker:
    """One actor."""

    def execute(self, shard: Shard) -> ShardResult:
        return execute(shard, lambda: None)


def connect(workers: int, address: str | None, gpus: int | None = None) -> None:
    """Join the cluster at `address`, or start one of `workers` processors and this machine's GPUs."""
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    environment = {"PYTHONPATH": os.pathsep.join([str(Path(squtr.__file__).parent.parent), *_path()])}
    environment |= {name: value for name, value in os.environ.items() if name.startswith("SQUTR_")}
    settings: dict[str, Any] = {
        "runtime_env": {"env_vars": environment},
        "log_to_driver": False,
        "logging_level": "ERROR",
    }
    if address is None:
        settings |= {"num_cpus": workers, "num_gpus": gpus, "include_dashboard": False}
    else:
        _refuse_silence(address)
        settings["address"] = address
    handler = signal.getsignal(signal.SIGTERM)
    try:
        ray.init(**settings)
    except (ConnectionError, ValueError, RuntimeError) as error:
        raise UserError(f"--ray-address {address}: no Ray cluster answers there ({error}).") from error
    finally:
        if threading.current_thread() is threading.main_thread():
            signal.signal(signal.SIGTERM, handler)  # ray.init puts its own there


def _refuse_silence(address: str) -> None:
    """Ray itself would try for minutes before it says that nobody listens there."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if not host or not port.isdecimal():
        return
    try:
        socket.create_connection((host, int(port)), timeout=_ANSWER_SECONDS).close()
    except (OSError, OverflowError) as error:
        raise UserError(f"--ray-address {address}: no Ray cluster answers there ({error}).") from None


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
