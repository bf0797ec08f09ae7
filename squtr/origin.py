"""Where a recipe's values stand, so that a fault found later is told with file, line and key."""

from __future__ import annotations

import errno
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

from squtr.errors import NotHere, UserError, at
from squtr.section import Location

_NO_NAME = (errno.ENAMETOOLONG, errno.EINVAL, errno.ELOOP, errno.EACCES, errno.ENOTDIR)


def _no_line(location: Location) -> int | None:
    return None


@dataclass(frozen=True)
class Origin:
    """A recipe's file and lines. `options` are keys that the command line gave, such as speak.voice.

    All origins are equal: where a recipe stands is no part of what it says.
    """

    file: str = field(default="", compare=False)
    line_of: Callable[[Location], int | None] = field(default=_no_line, compare=False)
    options: Mapping[str, str] = field(default_factory=dict, compare=False)

    def with_option(self, key: str, option: str) -> Origin:
        """Return the origin of a recipe in which an option of the command line gave a key."""
        return replace(self, options={**self.options, key: option})

    def place(self, *location: Any) -> str:
        """Return `file:line: key`, or the option that gave the key."""
        key = ".".join(map(str, location))
        if key in self.options:
            return self.options[key]
        return f"{at(self.file, self.line_of(location))}: {key}" if self.file else key

    @contextmanager
    def of(self, *location: Any) -> Iterator[None]:
        """Tell a UserError raised within, or that a name is none for a file, as a fault of this key."""
        try:
            yield
        except UserError as error:
            kind = NotHere if isinstance(error, NotHere) else UserError
            said = str(error).removeprefix(f"{'.'.join(map(str, location))}: ")
            raise kind(f"{self.place(*location)}: {said}") from error
        except OSError as error:
            if error.errno not in _NO_NAME:
                raise
            raise UserError(f"{self.place(*location)}: {error.strerror}: {error.filename}.") from error
