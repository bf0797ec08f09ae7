"""The processes that a render is shared among, started once for all its stages."""

from __future__ import annotations

import functools
import gc
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from threadpoolctl import threadpool_limits

from squtr.errors import UserError
from squtr.processes import begin_worker, holding_back, spawning
from squtr.stopping import end_workers

Each = Callable[..., Iterator[Any]]

_CHUNK = 4


@contextmanager
def sharing(workers: int, start: Callable[..., None], *given: Any) -> Iterator[Each]:
    """Give a `map` over `workers` processes, results in order; with one worker it is the plain one.

    `start(*given)` is called first in each. A process has one thread for matrices: as many as there are
    cores in each of them would wait for one another. What goes wrong or stops the run ends them at once.
    Raises UserError where one of them dies.
    """
    if workers == 1:
        start(*given)
        yield map
        return
    pool = ProcessPoolExecutor(workers, spawning(), initializer=_start, initargs=(start, given))
    try:
        yield functools.partial(_map, pool)
    except BaseException as error:
        end_workers()
        if isinstance(error, BrokenProcessPool):
            raise UserError(
                "A worker process died (out of memory?). Run the same command again, with fewer --workers"
                " if memory is short."
            ) from error
        raise
    finally:
        with holding_back(signal.SIGINT, signal.SIGTERM):  # a join that is cut short is never over
            pool.shutdown(wait=True, cancel_futures=True)


def _map(pool: ProcessPoolExecutor, function: Callable[..., Any], *iterables: Any) -> Iterator[Any]:
    with holding_back(signal.SIGINT):
        return pool.map(function, *iterables, chunksize=_CHUNK)


def _start(start: Callable[..., None], given: tuple[Any, ...]) -> None:
    begin_worker()
    threadpool_limits(1)
    start(*given)


@contextmanager
def uncollected() -> Iterator[None]:
    """Look for no cycles among objects meanwhile: a board is a million small ones that are in none."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_on:
            gc.enable()
