"""The two ways something goes wrong: the user's set-up, or one item."""

from __future__ import annotations

import difflib
import traceback
from collections.abc import Iterable
from pathlib import Path


class UserError(Exception):
    """A fault of the user's set-up: stops the run with one message and exit code 2."""


class NotHere(UserError):
    """Nothing is wrong with the set-up, but something it names is not on this machine."""


class ItemFailure(Exception):
    """One item cannot be processed: recorded with its reason, the run goes on."""


def at(path: Path | str, line: int | None = None) -> str:
    """Return `path:line`, the place an error message points to."""
    return str(path) if line is None else f"{path}:{line}"


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ` Did you mean 'x'?` for the nearest known word, or the list of known words."""
    options = sorted(known)
    near = difflib.get_close_matches(word, options, n=1, cutoff=0.5)
    if near:
        return f" Did you mean {near[0]!r}?"
    return f" Known: {', '.join(options)}." if options else ""


def raised(error: BaseException) -> str:
    """Return `ValueError: what it says`, or the class alone where it says nothing."""
    said = " ".join(str(error).split())
    return f"{type(error).__name__}: {said}" if said else type(error).__name__


def raised_at(error: BaseException) -> str:
    """Return `file.py:line: ValueError: what it says`, of the line that raised it."""
    frames = traceback.extract_tb(error.__traceback__)
    if not frames:
        return raised(error)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}: {raised(error)}"


def os_fault(error: OSError) -> str:
    """Return `path: No space left on device`, as the system says it."""
    said = error.strerror or str(error) or type(error).__name__
    return said if error.filename is None else f"{error.filename}: {said}"
