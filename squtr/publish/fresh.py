"""A new folder that appears whole or not at all, and files put into it."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from squtr.archive import is_member
from squtr.dataset import Recording
from squtr.errors import UserError
from squtr.publish.source import audio_bytes


@contextmanager
def fresh_folder(out: Path) -> Iterator[Path]:
    """Yield a folder beside `out` that takes its name at the end; what a killed run left is replaced.

    Raises UserError when `out` holds anything, or another process is at it.
    """
    if out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise UserError(f"{out}: is there already. Choose an empty or new folder.")
    with part_folder(out) as part:
        yield part
        if out.exists():
            out.rmdir()
        part.rename(out.resolve())


@contextmanager
def part_folder(out: Path) -> Iterator[Path]:
    """Yield an empty folder beside `out`, for this process alone, that is gone after an error.

    Raises UserError where it cannot be made, or another process has it.
    """
    place = out.resolve()
    try:
        place.parent.mkdir(parents=True, exist_ok=True)
        writable = os.access(place.parent, os.W_OK | os.X_OK)
    except OSError:
        writable = False
    if not writable:
        raise UserError(f"{out}: cannot be written. Choose a folder that can.")
    part = place.with_name(f".{place.name}.part")
    lock = FileLock(place.with_name(f".{place.name}.lock"))
    try:
        lock.acquire(timeout=0)
    except Timeout:
        if not Path(lock.lock_file).exists():
            raise UserError(f"{out}: cannot be written. Choose a folder that can.") from None
        raise UserError(f"{out}: another process is writing it. Wait for it.") from None
    try:
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir()
        yield part
    except BaseException:
        shutil.rmtree(part, ignore_errors=True)
        raise
    finally:
        lock.release()
        Path(lock.lock_file).unlink(missing_ok=True)


def put_audio(recording: Recording, target: Path) -> None:
    """Put a recording's file at `target` after it was found whole.

    It is a hard link where the disk allows, a copy elsewhere, and what a member of an archive holds.
    """
    data = audio_bytes(recording)
    target.parent.mkdir(parents=True, exist_ok=True)
    if is_member(recording.path):
        target.write_bytes(data)
        return
    try:
        os.link(recording.path.resolve(), target)
    except OSError:
        target.write_bytes(data)
