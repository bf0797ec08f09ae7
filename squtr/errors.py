"""The two ways something goes wrong: the user's set-up, or one item."""

from __future__ import annotations

import difflib
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
