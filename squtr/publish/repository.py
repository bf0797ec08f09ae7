"""A repository folder of Parquet tables, written table by table; what an earlier run finished is kept."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
from filelock import FileLock, Timeout

import squtr
from squtr.digest import digest
from squtr.errors import UserError
from squtr.progress import Reporter
from squtr.publish.shards import Rows, Written, write_table
from squtr.publish.tables import Table
from squtr.store import write_atomic

MOST_FILES_A_FOLDER = 10_000
STAGED_FILE = "staged.json"
STAGING_NAMES = {STAGED_FILE, "lock", "repository"}
_KEPT = (".cache",)


class Repository:
    """The folder `folder/repository` and the record of its finished tables beside it.

    The record is void when `identity`, the digest of everything that decides the tables, is another one.
    """

    def __init__(self, folder: Path, identity: str) -> None:
        self.root = folder / "repository"
        self._record_path = folder / STAGED_FILE
        self._identity = identity
        found = _read(self._record_path)
        self._tables: dict[str, dict[str, Any]] = found.get("tables", {})
        if found.get("identity") != identity:
            shutil.rmtree(self.root, ignore_errors=True)
            self._tables = {}
        self.root.mkdir(parents=True, exist_ok=True)

    def write(self, tables: Sequence[Table], limit: int, progress: Reporter) -> dict[str, Written]:
        """Write the tables that are not there yet; return all of them by stem."""
        written = {}
        for table in tables:
            progress.total(table.stem, table.count)
            kept = self._kept(table)
            if kept is None:
                kept = write_table(self.root, table.stem, table.schema, _counted(table, progress), limit)
                self._tables[table.stem] = {"columns": str(table.schema), **kept.plain()}
                self._save()
            else:
                progress.advance(table.stem, table.count)
            written[table.stem] = kept
        return written

    def finish(self, names: set[str]) -> list[tuple[str, int]]:
        """Remove every file but `names`; return the names and sizes of what is left, sorted.

        Raises UserError when a folder would hold more files than the hub allows.
        """
        found = []
        for path in sorted(self.root.rglob("*")):
            name = path.relative_to(self.root).as_posix()
            if path.is_dir() or name.startswith(_KEPT):
                continue
            if name in names:
                found.append((name, path.stat().st_size))
            else:
                path.unlink()
        folders = Counter(name.rpartition("/")[0] for name, _ in found)
        for folder, count in folders.items():
            if count > MOST_FILES_A_FOLDER:
                raise UserError(
                    f"{self.root / folder}: {count} files, a hub folder holds {MOST_FILES_A_FOLDER}. Write"
                    " larger shards."
                )
        return found

    def _kept(self, table: Table) -> Written | None:
        """Return a table as an earlier run wrote it, if it has these columns and its files stand."""
        recorded = self._tables.get(table.stem, {})
        if recorded.get("columns") != str(table.schema):
            return None
        written = Written.of(recorded)
        for shard in written.shards:
            path = self.root / shard.name
            if not path.is_file() or path.stat().st_size != shard.bytes:
                return None
        return written

    def _save(self) -> None:
        write_atomic(self._record_path, json.dumps({"identity": self._identity, "tables": self._tables}))


@contextmanager
def staging(folder: Path) -> Iterator[Path]:
    """Hold a staging folder. Raises UserError when another process has it."""
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / "lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise UserError(f"{folder}: another process is staging there. Wait for it.") from None
    try:
        yield folder
    finally:
        lock.release()


def identity_of(*values: Any) -> str:
    """Return the digest of what decides the bytes of a repository's tables."""
    return digest("repository", 1, squtr.__version__, pa.__version__, *values)


def _counted(table: Table, progress: Reporter) -> Rows:
    for row in table.rows():
        yield row
        progress.advance(table.stem, 1)


def _read(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found if isinstance(found, dict) else {}
