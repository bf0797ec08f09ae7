"""The processes that a render is shared among, started once for all its stages."""

from __future__ import annotations

import functools
import gc
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from typing import Any

from threadpoolctl import threadpool_limits

Each = Callable[..., Iterator[Any]]

_CHUNK = 4


@contextmanager
def sharing(workers: int, start: Callable[..., None], *given: Any) -> Iterator[Each]:
    """Give a `map` over `workers` processes, results in order; with one worker it is the plain one.

    `start(*given)` is called first in each. A process has one thread for matrices: as many as there are
    cores in each of them would wait for one another.
    """
    if workers == 1:
        start(*given)
        yield map
        return
    with ProcessPoolExecutor(workers, initializer=_start, initargs=(start, given)) as pool:
        try:
            yield functools.partial(pool.map, chunksize=_CHUNK)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


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


def _start(start: Callable[..., None], given: tuple[Any, ...]) -> None:
    threadpool_limits(1)
    start(*given)
