"""JSONL: one JSON object a line, read strictly and written atomically."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import IO, Any, NoReturn

from squtr.collection.findings import Findings
from squtr.collection.lines import read_lines
from squtr.errors import UserError, at
from squtr.store import temporary_name


def _refuse_constant(word: str) -> NoReturn:
    raise ValueError(f"the bare word {word}")


_decode = json.JSONDecoder(parse_constant=_refuse_constant).decode


def read_jsonl(path: Path, findings: Findings | None = None) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield (line number from 1, object) of each line that is not blank; gzipped files too.

    Raises UserError with `file:line` where a line is no strict JSON object.
    """
    for line, text in read_lines(path, findings or Findings()):
        try:
            row = _decode(text)
        except (ValueError, RecursionError) as error:
            raise UserError(f"{at(path, line)}: not JSON: {_reason(error)}. Repair the line.") from error
        if not isinstance(row, dict):
            raise UserError(f"{at(path, line)}: {type(row).__name__} where a JSON object must stand.")
        yield line, row


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> int:
    """Write rows as UTF-8 JSONL (gzipped if the name ends in .gz), all or nothing; return how many.

    The same rows give the same bytes. Raises ValueError on NaN or infinity and leaves no file.
    """
    temporary = temporary_name(path)
    count = 0
    try:
        with temporary.open("wb") as raw, _packed(raw, path) as file:
            for row in rows:
                file.write(_encode(row))
                count += 1
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
    return count


def _packed(raw: IO[bytes], path: Path) -> IO[bytes]:
    if path.suffix != ".gz":
        return raw
    return gzip.GzipFile(filename="", mode="wb", fileobj=raw, mtime=0)  # type: ignore[return-value]


def _encode(row: Mapping[str, Any]) -> bytes:
    text = json.dumps(row, ensure_ascii=False, allow_nan=False)
    try:
        return f"{text}\n".encode()
    except UnicodeEncodeError:  # a lone surrogate has no UTF-8 form, only its JSON escape
        return f"{json.dumps(row, allow_nan=False)}\n".encode()


def _reason(error: ValueError | RecursionError) -> str:
    if isinstance(error, json.JSONDecodeError):
        return f"{error.msg} at character {error.colno}"
    if isinstance(error, RecursionError):
        return "nested too deeply"
    return str(error)
