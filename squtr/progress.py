"""Progress on the terminal: a bar a stage, with rate and time left."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    Task,
    TaskID,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.text import Text

_PLAIN_EVERY_SECONDS = 10.0
_WORTH_A_LINE_SECONDS = 2.0


class Reporter(Protocol):
    """What the stages tell about their progress."""

    def total(self, stage: str, count: int) -> None:
        """Say how many items a stage will have; may be corrected later."""
        ...

    def advance(self, stage: str, count: int) -> None:
        """Say that items were finished."""
        ...

    def note(self, text: str) -> None:
        """Say something worth knowing, on a line of its own."""
        ...


class Silent:
    """Reports nothing."""

    def total(self, stage: str, count: int) -> None:
        """Ignore."""

    def advance(self, stage: str, count: int) -> None:
        """Ignore."""

    def note(self, text: str) -> None:
        """Ignore."""


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        return Text(f"{task.speed:.1f}/s" if task.speed else "-/s")


class Bars:
    """Bars that redraw in place."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress
        self._tasks: dict[str, TaskID] = {}

    def total(self, stage: str, count: int) -> None:
        if stage in self._tasks:
            self._progress.update(self._tasks[stage], total=count)
        else:
            self._tasks[stage] = self._progress.add_task(stage, total=count)

    def advance(self, stage: str, count: int) -> None:
        self._progress.advance(self._tasks[stage], count)

    def note(self, text: str) -> None:
        self._progress.console.print(text, markup=False, highlight=False, soft_wrap=True)


class Lines:
    """Plain lines for logs and pipes: every ten seconds of a stage, and at its end if it took a while."""

    def __init__(self) -> None:
        self._totals: dict[str, int] = {}
        self._counts: dict[str, int] = {}
        self._began: dict[str, tuple[float, int]] = {}
        self._said: dict[str, float] = {}

    def total(self, stage: str, count: int) -> None:
        now = time.monotonic()
        self._totals[stage] = count
        self._counts.setdefault(stage, 0)
        self._began[stage] = (now, self._counts[stage])
        self._said[stage] = now

    def advance(self, stage: str, count: int) -> None:
        now = time.monotonic()
        before = self._counts[stage]
        done, total = before + count, self._totals[stage]
        self._counts[stage] = done
        began, base = self._began[stage]
        seconds = now - began
        finished = done >= total > before and seconds >= _WORTH_A_LINE_SECONDS
        if finished or now - self._said[stage] >= _PLAIN_EVERY_SECONDS:
            self._said[stage] = now
            rate = (done - base) / max(seconds, 1e-3)
            left = f", {max(total - done, 0) / rate:.0f} s left" if rate and not finished else ""
            self.note(f"{stage}: {done}/{total} ({rate:.1f}/s{left})")

    def note(self, text: str) -> None:
        print(text, file=sys.stderr, flush=True)


@contextmanager
def reporter() -> Iterator[Reporter]:
    """Bars on a terminal, lines elsewhere; both on standard error."""
    console = Console(stderr=True)
    if not console.is_terminal:
        yield Lines()
        return
    columns = (
        TextColumn("{task.description:<12}"),
        BarColumn(),
        MofNCompleteColumn(),
        _Rate(),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console) as progress:
        yield Bars(progress)
