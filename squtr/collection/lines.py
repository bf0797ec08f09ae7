"""Lines of a text file: UTF-8, plain or gzipped, broken at line feeds and nowhere else."""

from __future__ import annotations

import codecs
import gzip
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from squtr.collection.findings import Findings
from squtr.errors import UserError, at

_GZIP_MAGIC = b"\x1f\x8b"
_WIDE_MARKS = {
    codecs.BOM_UTF32_LE: "UTF-32",
    codecs.BOM_UTF32_BE: "UTF-32",
    codecs.BOM_UTF16_LE: "UTF-16",
    codecs.BOM_UTF16_BE: "UTF-16",
}


def read_lines(path: Path, findings: Findings) -> Iterator[tuple[int, str]]:
    """Yield (line number from 1, text without its line end) of each line that is not blank.

    A byte-order mark at the start of a line is removed. Raises UserError with `file:line` on
    other encodings than UTF-8 and on files that cannot be read or end too early.
    """
    for line, raw in enumerate(_raw_lines(path), 1):
        if line == 1:
            _refuse_wide_encodings(raw, path)
        if raw.startswith(codecs.BOM_UTF8):
            findings.add("byte-order-mark", (path, line))
            raw = raw.removeprefix(codecs.BOM_UTF8)
        text = _decode(raw, path, line).rstrip("\r\n")
        if text.strip(" \t"):
            yield line, text
        else:
            findings.add("blank-line", (path, line))


def _raw_lines(path: Path) -> Iterator[bytes]:
    line = 0
    try:
        with _open(path) as file:
            for raw in file:
                line += 1
                yield raw
    except (OSError, EOFError, zlib.error) as error:
        reason = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
        place = at(path, line + 1) if line else at(path)
        raise UserError(f"{place}: cannot be read ({reason}). Check the file and fetch it again.") from error


def _open(path: Path) -> IO[bytes]:
    with path.open("rb") as file:
        packed = file.read(2) == _GZIP_MAGIC
    return gzip.open(path, "rb") if packed else path.open("rb")  # type: ignore[return-value]


def _refuse_wide_encodings(raw: bytes, path: Path) -> None:
    marked = next((name for mark, name in _WIDE_MARKS.items() if raw.startswith(mark)), None)
    encoding = marked or ("UTF-16" if b"\0" in raw[:4] else None)
    if encoding:
        raise UserError(f"{at(path, 1)}: the file is {encoding}, not UTF-8. Convert it to UTF-8.")


def _decode(raw: bytes, path: Path, line: int) -> str:
    try:
        return raw.decode("utf-8")
    except UnicodeDecodeError as error:
        raise UserError(
            f"{at(path, line)}: byte {error.start + 1} of the line (0x{raw[error.start]:02x}) is not UTF-8."
            " Convert the file to UTF-8."
        ) from error
