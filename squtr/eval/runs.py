"""Rankings: the one order, and the TREC run file that keeps it."""

from __future__ import annotations

import gzip
import math
import os
import re
import secrets
import sys
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, SupportsFloat

from squtr.digest import digest
from squtr.errors import UserError, at
from squtr.retrievers import Ranking as Ranking
from squtr.trec_ids import escape_id as escape_id
from squtr.trec_ids import unescape_id as unescape_id

Run = dict[str, Ranking]

_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._+=-]{0,80}")
_ODD_IN_NAME = re.compile(r"[^A-Za-z0-9.+=-]+")
_LONGEST_NAME = 60
_COLUMN = re.compile(r"[^ \t]+")
_NUMBER = r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_LINE = re.compile(
    r"[ \t]*(C)[ \t]+C[ \t]+(C)[ \t]+C[ \t]+(N)[ \t]+C[ \t]*".replace("C", "[^ \\t]+").replace("N", _NUMBER)
)


def cut(ranking: Mapping[str, float], k: int, query: str = "") -> list[tuple[str, float]]:
    """Return the best k (document id, score) pairs: score descending, then document id descending.

    Ids compare by their UTF-8 bytes, which for Python strings is plain comparison. Scores are compared at
    full precision. Raises UserError on a NaN or infinite score, an id that is no string, and k below 1;
    `query` only names the query in that message.
    """
    if k < 1:
        raise UserError(f"A ranking cannot be cut at {k}. Give a depth of 1 or more.")
    if not _holds_finite_floats(ranking):
        ranking = {document: _finite(query, document, score) for document, score in ranking.items()}
    border = sorted(ranking.values(), reverse=True)[k - 1] if len(ranking) > k else -math.inf
    best = [(score, document) for document, score in ranking.items() if score >= border]
    for _, document in best:
        if not isinstance(document, str):
            raise UserError(f"Query {query!r}: document id {document!r} is no string. Ids are strings.")
    best.sort(reverse=True)
    return [(document, score) for score, document in best[:k]]


def write_run(path: Path, run: Mapping[str, Mapping[str, float]], tag: str, depth: int) -> None:
    """Write the best `depth` documents a query in TREC's six columns, sorted by query id.

    Scores are written as `repr`, so reading gives back the same floats and the same order. A name that ends
    in `.gz` is compressed. The file appears under its name only when it is complete. A query without
    documents has no line. Ids are written by `escape_id`. Raises UserError where `cut` does.
    """
    with _replacing(Path(path)) as file:
        for query in sorted(run):
            file.write(_lines(query, cut(run[query], depth, query), tag).encode("utf-8"))


def read_run(path: Path, depth: int | None = None) -> Run:
    """Read a TREC run, plain or gzip, into {query id: {document id: score}}; the rank column is ignored.

    Raises UserError with `file:line` on anything but six columns, a document listed twice for a query, a
    score that is no finite number, and more than `depth` documents for a query where `depth` is given.
    """
    run: Run = {}
    for number, line in _numbered_lines(Path(path)):
        match = _LINE.fullmatch(line)
        if match is None:
            raise _fault(line, at(path, number))
        query, document, score = unescape_id(match[1]), unescape_id(match[2]), float(match[3])
        ranking = run.setdefault(query, {})
        if document in ranking or len(ranking) == depth or not math.isfinite(score):
            raise _misfit(query, document, score, ranking, at(path, number))
        ranking[sys.intern(document)] = score
    return run


def file_name(system: str) -> str:
    """Return a system's name as a file name: ` | ` as `+`; if more had to change, it ends in a digest."""
    plain = system.replace(" | ", "+")
    if _PLAIN_NAME.fullmatch(plain):
        return plain
    return f"{_ODD_IN_NAME.sub('_', plain).strip('._-')[:_LONGEST_NAME]}-{digest(system)[:16]}".lstrip("-")


def _holds_finite_floats(ranking: Mapping[str, float]) -> bool:
    scores = ranking.values()
    return set(map(type, scores)) <= {float} and math.isfinite(sum(scores))


def _finite(query: str, document: str, score: object) -> float:
    try:
        value = float(score) if isinstance(score, SupportsFloat) else math.nan
    except (TypeError, ValueError, OverflowError):
        value = math.nan
    if not math.isfinite(value):
        raise UserError(
            f"Query {query!r}: document {document!r} has the score {score!r}."
            " Every score must be a finite number: leave out what was not retrieved."
        )
    return value


def _fault(line: str, place: str) -> UserError:
    columns = _COLUMN.findall(line)
    if len(columns) != 6:
        return UserError(
            f"{place}: {len(columns)} columns where a TREC run has six: query Q0 document rank score tag."
            " Write it so, with spaces or tabs between."
        )
    return UserError(f"{place}: the score {columns[4]!r} is no finite number. Write a number such as 12.5.")


def _misfit(query: str, document: str, score: float, ranking: Ranking, place: str) -> UserError:
    if document in ranking:
        return UserError(
            f"{place}: document {document!r} is listed twice for query {query!r}. Keep one line."
        )
    if not math.isfinite(score):
        return UserError(f"{place}: the score is no finite number. Write a number such as 12.5.")
    return UserError(
        f"{place}: more than {len(ranking)} documents for query {query!r}. Cut every ranking to that depth."
    )


def _lines(query: str, ranked: list[tuple[str, float]], tag: str) -> str:
    start, end = f"{escape_id(query)} Q0", escape_id(tag)
    return "".join(
        f"{start} {escape_id(document)} {rank} {score!r} {end}\n"
        for rank, (document, score) in enumerate(ranked, start=1)
    )


def _numbered_lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        with _opened(path) as file:
            for number, raw in enumerate(file, start=1):
                line = _text(raw, path, number).rstrip("\r\n")
                if line.strip(" \t"):
                    yield number, line
    except (OSError, EOFError, zlib.error) as error:
        raise UserError(
            f"{at(path)}: the run cannot be read: {error}. Check the path and the file."
        ) from error


def _text(raw: bytes, path: Path, number: int) -> str:
    try:
        return raw.decode("utf-8-sig" if number == 1 else "utf-8")
    except UnicodeDecodeError:
        raise UserError(f"{at(path, number)}: not UTF-8 text. Save the run as UTF-8.") from None


def _opened(path: Path) -> BinaryIO:
    with path.open("rb") as file:
        compressed = file.read(2) == b"\x1f\x8b"
    return gzip.open(path, "rb") if compressed else path.open("rb")  # type: ignore[return-value]


@contextmanager
def _replacing(path: Path) -> Iterator[BinaryIO]:
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(f".{path.name}.{os.getpid()}.{secrets.token_hex(4)}")
    try:
        with partial.open("xb") as raw:
            if path.suffix == ".gz":
                with gzip.GzipFile("", "wb", fileobj=raw, mtime=0) as packed:
                    yield packed  # type: ignore[misc]
            else:
                yield raw
        partial.replace(path)
    finally:
        partial.unlink(missing_ok=True)
