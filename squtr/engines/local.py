"""Shards in this process, or in a pool of local processes."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from typing import Any

from squtr.counted import counted
from squtr.errors import UserError
from squtr.processes import begin_worker, holding_back, spawning
from squtr.stage import Shard, ShardResult, execute
from squtr.stopping import end_workers

_POLL_SECONDS = 0.2
_AT_ONCE = "Ctrl-C or SIGTERM once more ends them at once."
_finished: Any = None
_stop: Any = None


class _Stopped(BaseException):
    """The build is over, so the rest of a shard is not wanted."""


class InProcess:
    """One shard after the other, here."""

    workers = 1

    def map(self, shards: Iterable[Shard], advance: Callable[[int], None]) -> Iterator[ShardResult]:
        for shard in shards:
            yield execute(shard, lambda: advance(1))

    def close(self) -> None:
        """Nothing to release."""


class Pool:
    """A pool of spawned processes that lives as long as the build, so models load once a process.

    When the build ends before its shards do, its workers stop at the next item; when it is killed, they
    end themselves.
    """

    def __init__(self, workers: int) -> None:
        context = spawning()
        self.workers = workers
        self._count = context.Value("q", 0)
        self._stop = context.Event()
        shared = (self._count, self._stop)
        self._executor = ProcessPoolExecutor(workers, context, initializer=_start, initargs=shared)
        self._waiting: set[Future[ShardResult]] = set()

    def map(self, shards: Iterable[Shard], advance: Callable[[int], None]) -> Iterator[ShardResult]:
        seen = self._count.value
        queue = iter(shards)
        try:
            while True:
                while len(self._waiting) < 2 * self.workers and (shard := next(queue, None)) is not None:
                    with holding_back(signal.SIGINT):
                        self._waiting.add(self._executor.submit(_work, shard))
                if not self._waiting:
                    break
                done, self._waiting = wait(self._waiting, timeout=_POLL_SECONDS, return_when=FIRST_COMPLETED)
                counted = self._count.value
                advance(counted - seen)
                seen = counted
                for future in done:
                    yield future.result()
        except BrokenProcessPool as error:
            raise UserError(
                "A worker process died (out of memory?). What was finished is kept:"
                " run the same command again, with fewer --workers if memory is short."
            ) from error

    def close(self) -> None:
        """Stop the workers at their next item, and say so when that takes time; interrupted, kill them."""
        self._stop.set()
        busy = [future for future in self._waiting if not future.done()]
        try:
            if busy:
                workers = counted(min(len(busy), self.workers), "worker")
                print(
                    f"Stopping after the items that {workers} are at. {_AT_ONCE}", file=sys.stderr, flush=True
                )
                wait(busy)
        except BaseException:
            end_workers()
            raise
        finally:
            with holding_back(signal.SIGINT, signal.SIGTERM):  # a join that is cut short is never over
                self._executor.shutdown(wait=True, cancel_futures=True)


def _start(counter: Any, stop: Any) -> None:
    global _finished, _stop
    _finished, _stop = counter, stop
    begin_worker()


def _work(shard: Shard) -> ShardResult:
    if _stop.is_set():
        raise _Stopped
    return execute(shard, _tick)


def _tick() -> None:
    with _finished.get_lock():
        _finished.value += 1
    if _stop.is_set():
        raise _Stopped
