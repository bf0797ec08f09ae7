"""The output folder: one build owns it, one process writes it, its files appear whole."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from squtr.errors import UserError
from squtr.store import write_atomic

WORK = ".squtr"


@contextmanager
def claimed(out: Path, identity: dict[str, Any]) -> Iterator[Path]:
    """Hold `out` for the build described by `identity`; yield its work folder.

    Raises UserError when another process holds it, when it belongs to another build, or when it has
    files that no build made. The lock dies with its process.
    """
    work = out / WORK
    _refuse_foreign(out, work, identity)
    try:
        work.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise UserError(f"{out}: cannot be made ({error.strerror}). Choose another --out.") from None
    lock = FileLock(work / "lock")
    try:
        lock.acquire(timeout=0)
    except Timeout:
        owner = _read(work / "owner.json").get("pid", "?")
        raise UserError(f"{out}: in use by process {owner}. Wait for it, or choose another --out.") from None
    try:
        _refuse_foreign(out, work, identity)
        _sweep(out)
        write_atomic(work / "owner.json", json.dumps({"pid": os.getpid()}))
        write_atomic(work / "identity.json", json.dumps(identity, ensure_ascii=False, indent=1))
        yield work
    except BaseException:
        _sweep(out)
        raise
    finally:
        lock.release()


def refuse_file_as_cache(cache: Path | None) -> None:
    """Raise UserError for a cache that is a file, or lies below one."""
    if cache is not None:
        _refuse_file(cache, "A cache is a folder.")


def refuse_file_as_out(out: Path) -> None:
    """Raise UserError for an output folder that is a file, or lies below one."""
    _refuse_file(out, "--out takes a folder.")


def _refuse_file(folder: Path, why: str) -> None:
    for place in (folder, *folder.parents):
        if place.is_dir():
            return
        if place.exists():
            raise UserError(f"{place}: is a file. {why}")


def _sweep(out: Path) -> None:
    """Remove what a stopped or killed run left under temporary names; only who holds the lock writes."""
    for folder, _, names in os.walk(out):
        for name in names:
            if name.startswith(".") and name.endswith(".tmp"):
                Path(folder, name).unlink(missing_ok=True)


def _refuse_foreign(out: Path, work: Path, identity: dict[str, Any]) -> None:
    if out.exists() and not out.is_dir():
        raise UserError(f"{out}: is a file. --out takes a folder.")
    if not out.exists():
        return
    before = _read(work / "identity.json")
    if not before and any(path.name != WORK for path in out.iterdir()):
        raise UserError(f"{out}: has files that no squtr build made. Choose an empty or new folder.")
    if not before or before == identity:
        return
    changed = [name for name in identity if before.get(name) != identity[name]]
    raise UserError(
        f"{out}: belongs to another build (recipe {before.get('name')!r}; differs in {', '.join(changed)})."
        " Choose another --out; give both builds the same --cache to share what they have in common."
    )


def _read(path: Path) -> dict[str, Any]:
    try:
        found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return found
