"""Kill builds: python -m tests.killer RECIPE FOLDER POINT... runs one build for each point, in FOLDER/POINT.

A point is `before-N` or `after-N`: the build dies by SIGKILL just before or just after its N-th rename (from
0). Before a rename the temporary file is cut to half its length first, as if the writing had been cut short.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable
from pathlib import Path

from tests.building import build


def renames(recipe: Path, out: Path, strike: Callable[[int, str, Path], None]) -> None:
    """Build, and call `strike` with the number of each rename before and after it."""
    rename, count = Path.replace, 0

    def replace(self: Path, target: Path) -> Path:
        nonlocal count
        strike(count, "before", self)
        found = rename(self, target)
        strike(count, "after", Path(target))
        count += 1
        return found

    Path.replace = replace  # type: ignore[method-assign,assignment]
    try:
        build(recipe, out)
    finally:
        Path.replace = rename  # type: ignore[method-assign]


def killed(recipe: Path, out: Path, point: str) -> bool:
    """Build in a process that dies at `point`; return whether it came to that."""
    when, _, number = point.partition("-")

    def strike(count: int, moment: str, path: Path) -> None:
        if (count, moment) != (int(number), when):
            return
        if moment == "before":
            os.truncate(path, path.stat().st_size // 2)
        os.kill(os.getpid(), signal.SIGKILL)

    process = os.fork()
    if not process:
        renames(recipe, out, strike)
        os._exit(0)
    return os.WIFSIGNALED(os.waitpid(process, 0)[1])


if __name__ == "__main__":
    given, folder = Path(sys.argv[1]), Path(sys.argv[2])
    for each in sys.argv[3:]:
        if not killed(given, folder / each, each):
            sys.exit(f"the build ended before {each}")
