"""Download one file over HTTP: streamed, resumed where it stopped, and tried again with growing pauses."""

from __future__ import annotations

import http.client
import json
import re
import shutil
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from squtr import __version__
from squtr.errors import UserError
from squtr.store import write_atomic

_BLOCK = 1 << 18
_PASSING = (408, 425, 429, 500, 502, 503, 504)
_LONGEST_PAUSE = 60.0
_MIRROR = "--base-url names a mirror."

Progress = Callable[[int, "int | None"], None]  # bytes there, bytes in all if known


@dataclass(frozen=True, slots=True)
class Patience:
    """How long to go on: attempts without a new byte, the first pause between two, and the time-out, in s."""

    attempts: int = 6
    pause: float = 1.0
    timeout: float = 60.0


class _AgainError(Exception):
    """An attempt failed in a way that may pass; `pause` is what the server asks for, in seconds."""

    def __init__(self, reason: str, pause: float | None = None) -> None:
        super().__init__(reason)
        self.pause = pause


def download(url: str, part: Path, size: int | None, patience: Patience, progress: Progress) -> None:
    """Download `url` into `part`, going on from what is there; `size` is the length it must have, if known.

    A note beside `part` keeps the address and the version of the file (its ETag or date); when either has
    changed, the download begins anew. Raises UserError when the server refuses, when the length is another,
    when the disk has no room, and when no attempt brings a byte more.
    """
    if urllib.parse.urlsplit(url).scheme not in ("http", "https"):
        raise UserError(f"{url}: not an http or https address.")
    failures = 0
    while True:
        before = _size(part)
        try:
            _attempt(url, part, size, patience.timeout, progress)
            break
        except _AgainError as failure:
            failures = 0 if _size(part) > before else failures + 1
            if failures >= patience.attempts:
                kept = " What came is kept: the same command goes on from there." if _size(part) else ""
                raise UserError(f"{url}: {failure}, {failures} times in a row.{kept} {_MIRROR}") from None
            pause = patience.pause * 2 ** max(failures - 1, 0) if failure.pause is None else failure.pause
            time.sleep(min(pause, _LONGEST_PAUSE))
    _note(part).unlink(missing_ok=True)


def _attempt(url: str, part: Path, size: int | None, timeout: float, progress: Progress) -> None:
    there = _size(part)
    response = _connect(url, _headers(url, part, there), timeout)
    if response is None:
        if there and size in (None, there):
            return
        part.unlink(missing_ok=True)
        raise _AgainError("the server has no more than is there already")
    with response:
        there = _resumed_at(response, part, there)
        total = _total(response, there)
        if total is not None and size not in (None, total):
            raise UserError(
                f"{url}: the server's file has {total} bytes, {size} are expected. Is it another?"
            )
        _refuse_full_disk(part, (total or size or there) - there)
        _write_note(response, url, part)
        with part.open("ab" if there else "wb") as file:
            progress(there, total or size)
            while block := _read(response):
                file.write(block)
                there += len(block)
                progress(there, total or size)
    expected = total if total is not None else size
    if expected is not None and there < expected:
        raise _AgainError(f"the connection ended after {there} of {expected} bytes")
    if expected is not None and there > expected:
        part.unlink()
        raise _AgainError(f"the server sent {there} bytes in place of {expected}")


def _connect(url: str, headers: dict[str, str], timeout: float) -> Any:
    """Return the open response, or None when the server says that there is nothing left to send."""
    try:
        return urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=timeout)  # noqa: S310
    except urllib.error.HTTPError as error:
        with error:
            if error.code == 416:
                return None
            reason = f"the server answers {error.code} {error.reason}"
            if error.code in _PASSING:
                asked = error.headers.get("Retry-After", "")
                raise _AgainError(reason, float(asked) if asked.isdecimal() else None) from None
            raise UserError(f"{url}: {reason}. Look at the address. {_MIRROR}") from None
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise _AgainError(f"no connection ({getattr(error, 'reason', None) or error})") from None


def _read(response: Any) -> bytes:
    try:
        return bytes(response.read(_BLOCK))
    except (OSError, http.client.HTTPException) as error:
        raise _AgainError(f"the connection broke ({error})") from None


def _headers(url: str, part: Path, there: int) -> dict[str, str]:
    headers = {"User-Agent": f"squtr/{__version__}", "Accept-Encoding": "identity"}
    if not there:
        return headers
    try:
        note = json.loads(_note(part).read_text(encoding="utf-8"))
        if note["url"] != url:
            return headers
        validator = str(note["validator"])
    except (OSError, ValueError, TypeError, KeyError):
        return headers
    return headers | {"Range": f"bytes={there}-"} | ({"If-Range": validator} if validator else {})


def _resumed_at(response: Any, part: Path, there: int) -> int:
    """Return where in the file the answer begins: at `there`, or at 0."""
    if response.status == 200:
        return 0
    found = re.match(r"bytes (\d+)-", response.headers.get("Content-Range", ""))
    if response.status == 206 and found and int(found[1]) == there:
        return there
    part.unlink(missing_ok=True)
    raise _AgainError(f"the server answers {response.status} with another piece than was asked for")


def _total(response: Any, there: int) -> int | None:
    length = response.headers.get("Content-Length", "")
    return there + int(length) if length.isdecimal() else None


def _write_note(response: Any, url: str, part: Path) -> None:
    etag = response.headers.get("ETag", "")
    strong = etag if etag and not etag.startswith("W/") else ""
    validator = strong or response.headers.get("Last-Modified", "")
    write_atomic(_note(part), json.dumps({"url": url, "validator": validator}))


def _refuse_full_disk(part: Path, needed: int) -> None:
    free = shutil.disk_usage(part.parent).free
    if needed > free:
        raise UserError(f"{part.parent}: {needed / 1e9:.2f} GB are to come, {free / 1e9:.2f} GB are free.")


def _note(part: Path) -> Path:
    return part.with_name(part.name + ".json")


def _size(part: Path) -> int:
    return part.stat().st_size if part.is_file() else 0
