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


class Reporter(Protocol):
    """What the stages tell about their progress."""

    def total(self, stage: str, count: int) -> None:
        """Say how many items a stage will have; may be corrected later."""
        ...

    def advance(self, stage: str, count: int) -> None:
        """Say that items were finished."""
        ...


class Silent:
    """Reports nothing."""

    def total(self, stage: str, count: int) -> None:
        """Ignore."""

    def advance(self, stage: str, count: int) -> None:
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


class Lines:
    """Plain lines for logs and pipes: one when a stage starts, every ten seconds, and at its end."""

    def __init__(self) -> None:
        self._totals: dict[str, int] = {}
        self._counts: dict[str, int] = {}
        self._said: dict[str, float] = {}
        self._started: dict[str, float] = {}

    def total(self, stage: str, count: int) -> None:
        self._totals[stage] = count
        self._counts.setdefault(stage, 0)

    def advance(self, stage: str, count: int) -> None:
        now = time.monotonic()
        self._started.setdefault(stage, now)
        before = self._counts[stage]
        self._counts[stage] += count
        done, total = self._counts[stage], self._totals[stage]
        finished = done >= total > before
        if finished or now - self._said.get(stage, self._started[stage]) >= _PLAIN_EVERY_SECONDS:
            self._said[stage] = now
            rate = done / max(now - self._started[stage], 1e-3)
            left = f", {max(total - done, 0) / rate:.0f} s left" if rate and not finished else ""
            print(f"{stage}: {done}/{total} ({rate:.1f}/s{left})", file=sys.stderr, flush=True)


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
