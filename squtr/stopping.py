"""Stopping a long run: Ctrl-C and SIGTERM end it with one line; workers and temporary files are gone then."""

from __future__ import annotations

import signal
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from squtr.errors import UserError, os_fault

_KEPT = "What is finished is kept"
_STOPPED = f"Stopped. {_KEPT}: run the same command again."
_SAME_STOP_SECONDS = 1.0
_holds: list[None] = []
_later: list[int] = []


class Terminated(BaseException):
    """SIGTERM came: what is open is closed on the way out, as after Ctrl-C."""


@contextmanager
def stoppable() -> Iterator[None]:
    """Let a run be stopped: SIGINT exits with code 130, SIGTERM with 143, as shells expect.

    Raises UserError for a full disk and the like; what is finished is kept then too.
    """
    stop = _Stop()
    before = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)}
    for number, handler in before.items():
        if handler is not signal.SIG_IGN:
            signal.signal(number, stop)
    try:
        yield
    except OSError as error:
        raise UserError(f"{os_fault(error)}. {_KEPT}: mend it and run the same again.") from error
    except KeyboardInterrupt:
        _leave(signal.SIGINT)
    except Terminated:
        _leave(signal.SIGTERM)
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


class _Stop:
    """Takes the signals. One that comes twice at once, as to a process and its group, counts once.

    A later one ends the processes that the first waits for.
    """

    def __init__(self) -> None:
        self._first: float | None = None

    def __call__(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if self._first is None:
            self._first = now
        elif now - self._first < _SAME_STOP_SECONDS:
            return
        else:
            end_workers()
        if _holds:
            _later.append(number)
            return
        raise _end(number)


@contextmanager
def held() -> Iterator[None]:
    """Let a signal stop the run only behind this block, whichever thread the system gave it to."""
    _holds.append(None)
    try:
        yield
    finally:
        _holds.pop()
        if _later and not _holds:
            number = _later[0]
            _later.clear()
            raise _end(number)


def _end(number: int) -> BaseException:
    return KeyboardInterrupt() if number == signal.SIGINT else Terminated()


def end_workers() -> None:
    """Kill the processes that this one started."""
    import multiprocessing

    for worker in multiprocessing.active_children():
        worker.kill()


def _leave(number: signal.Signals) -> None:
    print(_STOPPED, file=sys.stderr, flush=True)
    sys.exit(128 + number)
