"""Worker processes that a stop reaches through the process that started them, and that end with it."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from multiprocessing.context import SpawnContext

from squtr.stopping import held

_NO_WORD_OF_SEMAPHORES = "ignore:resource_tracker:UserWarning"


@contextmanager
def holding_back(*signals: signal.Signals) -> Iterator[None]:
    """Take no signal meanwhile, and start processes that these do not reach: this one stops them."""
    with held():
        if not hasattr(signal, "pthread_sigmask"):
            yield
            return
        before = signal.pthread_sigmask(signal.SIG_BLOCK, signals)
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)


def spawning() -> SpawnContext:
    """Return what starts processes anew, without threads or locks of this one.

    The semaphores of killed ones are cleared away without a word.
    """
    if _NO_WORD_OF_SEMAPHORES not in sys.warnoptions:
        sys.warnoptions.append(_NO_WORD_OF_SEMAPHORES)  # processes started from here on inherit it
    return multiprocessing.get_context("spawn")


def begin_worker() -> None:
    """Let this process, just spawned, take no Ctrl-C, and end when the one that started it does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)
