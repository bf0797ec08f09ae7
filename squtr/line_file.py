"""A JSONL file that appears whole: rows in the order of their keys, under a temporary name until the end."""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO, Any

from squtr.digest import to_plain
from squtr.store import temporary_name

_encode = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), allow_nan=False).encode


class LineFile:
    """Takes rows, or text that is such rows already; the file at `path` appears when it is closed."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.temporary = temporary_name(path)
        self._file: IO[str] = self.temporary.open("w", encoding="utf-8", newline="\n")
        self._added: list[str] = []

    def add(self, row: dict[str, Any]) -> None:
        """Add a row; it is held until the next flush. Raises ValueError on NaN or infinity."""
        self._added.append(canonical_json_ordered(row) + "\n")

    def flush(self) -> str:
        """Write the rows added since the last flush, and return them as text."""
        text = "".join(self._added)
        self._added = []
        self.append(text)
        return text

    def append(self, text: str) -> None:
        """Write text that an earlier flush returned."""
        self._file.write(text)

    def finish(self) -> None:
        """Write everything; the file keeps its temporary name."""
        if not self._file.closed:
            self.flush()
            self._file.close()

    def close(self) -> None:
        """Finish, and rename the file into place."""
        self.finish()
        self.temporary.replace(self.path)

    def discard(self) -> None:
        """Drop the temporary file."""
        self._file.close()
        self.temporary.unlink(missing_ok=True)


def canonical_json_ordered(row: dict[str, Any]) -> str:
    """Return strict one-line JSON in the row's own key order; the keys of what it holds are sorted."""
    return _encode({name: _sorted_inside(to_plain(value)) for name, value in row.items()})


def _sorted_inside(plain: Any) -> Any:
    if isinstance(plain, dict):
        return {name: _sorted_inside(plain[name]) for name in sorted(plain)}
    if isinstance(plain, list):
        return [_sorted_inside(item) for item in plain]
    return plain
