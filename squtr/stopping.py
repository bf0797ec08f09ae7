"""Stopping a long run: Ctrl-C and SIGTERM end it with one line; workers and temporary files are gone then."""

from __future__ import annotations

import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

_STOPPED = "Stopped. What is finished is kept: run the same command again."


class Terminated(BaseException):
    """SIGTERM came: what is open is closed on the way out, as after Ctrl-C."""


@contextmanager
def stoppable() -> Iterator[None]:
    """Let a run be stopped: SIGINT exits with code 130, SIGTERM with 143, as shells expect."""
    before = signal.signal(signal.SIGTERM, _terminate)
    try:
        yield
    except KeyboardInterrupt:
        _leave(signal.SIGINT)
    except Terminated:
        _leave(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)


def _terminate(number: int, frame: FrameType | None) -> None:
    raise Terminated


def _leave(number: signal.Signals) -> None:
    print(_STOPPED, file=sys.stderr, flush=True)
    sys.exit(128 + number)
