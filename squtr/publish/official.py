"""Is it the official data set? What it holds, counted, beside what its authors published."""

from __future__ import annotations

import functools
import hashlib
import io
import json
import struct
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

import yaml

from squtr.content import content
from squtr.data_build.layout import table_condition
from squtr.errors import UserError
from squtr.progress import Reporter
from squtr.publish.listing import Listing

_BLOCK = 8 << 20
_HEADER_BYTES = 4096
_SCORES = {str: "string", int: "integer", float: "number"}


@dataclass
class SubsetFacts:
    """What one subset holds: counts, how scores are written, conditions, its audio's formats and length."""

    queries: int = 0
    judgements: int = 0
    scores: list[str] = field(default_factory=list)
    recordings: dict[str, int] = field(default_factory=dict)
    missing_audio: int = 0
    unnamed_audio: int = 0
    formats: dict[str, int] = field(default_factory=dict)
    seconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Difference:
    """Something that is not as published."""

    what: str
    official: Any
    found: Any


def subset_facts(listing: Listing, prefix: str, key: str, progress: Reporter) -> SubsetFacts:
    """Count a subset's rows and read the header of each of its audio files."""
    base = f"{prefix}/{key}/" if prefix else f"{key}/"
    facts = SubsetFacts()
    facts.queries = sum(1 for _ in _rows(listing, f"{base}queries.jsonl"))
    scores = [row.get("score") for row in _rows(listing, f"{base}qrels/test.jsonl")]
    facts.judgements = len(scores)
    facts.scores = sorted({_SCORES.get(type(score), type(score).__name__) for score in scores})
    named: set[str] = set()
    start = f"{base}queries_with_audio_"
    tables = [name for name in listing.sizes if name.startswith(start) and name.endswith(".jsonl")]
    for table in sorted(tables):
        folder = PurePosixPath(table).stem.removeprefix("queries_with_")
        rows = list(_rows(listing, table))
        named.update(f"{base}{folder}/{row.get('audio')}" for row in rows)
        facts.recordings[_condition(PurePosixPath(table).name, rows)] = len(rows)
    there = [name for name in listing.sizes if name.startswith(f"{base}audio_")]
    facts.missing_audio = len(named - set(there))
    facts.unnamed_audio = len(set(there) - named)
    _read_headers(listing, there, facts, key, progress)
    return facts


def differences(listing: Listing, facts: dict[str, SubsetFacts], sha256: str | None) -> list[Difference]:
    """Return what is not as published; the archive's SHA-256 counts when it was computed."""
    official = published()
    names = Counter(PurePosixPath(name).suffix for name in listing.sizes)
    pairs: list[tuple[str, Any, Any]] = [
        ("JSONL files", official["files"]["jsonl"], names[".jsonl"]),
        ("WAV files", official["files"]["wav"], names[".wav"]),
        ("bytes unpacked", official["files"]["unpacked_bytes"], sum(listing.sizes.values())),
        ("subsets", sorted(official["subsets"]), sorted(facts)),
    ]
    if listing.source.is_file():
        pairs.append(("bytes of the archive", official["archive"]["bytes"], listing.source.stat().st_size))
    if sha256 is not None:
        pairs.append(("SHA-256 of the archive", official["archive"]["sha256"], sha256))
    for key, wanted in official["subsets"].items():
        if key not in facts:
            continue
        found = facts[key]
        pairs += [
            (f"{key} queries", wanted["queries"], found.queries),
            (f"{key} judgements", wanted["judgements"], found.judgements),
            (f"{key} scores", [wanted["scores"]], found.scores),
            (f"{key} recordings", dict.fromkeys(official["conditions"], wanted["queries"]), found.recordings),
            (f"{key} audio missing", 0, found.missing_audio),
            (f"{key} audio that no query names", 0, found.unnamed_audio),
        ]
    return [Difference(what, asked, found) for what, asked, found in pairs if asked != found]


def archive_sha256(listing: Listing, progress: Reporter) -> str:
    """Return the SHA-256 of an archive, with progress in MB."""
    size = listing.source.stat().st_size
    progress.total("SHA-256, MB", -(-size // 1_000_000))
    state, done, told = hashlib.sha256(), 0, 0
    with listing.source.open("rb") as file:
        while block := file.read(_BLOCK):
            state.update(block)
            done += len(block)
            now = done // 1_000_000 if done < size else -(-size // 1_000_000)
            progress.advance("SHA-256, MB", now - told)
            told = now
    return state.hexdigest()


@functools.cache
def published() -> dict[str, Any]:
    """Return what data_build/published.yaml says of the official data set."""
    found: dict[str, Any] = yaml.safe_load(
        content("data_build", "published.yaml").read_text(encoding="utf-8")
    )
    return found


def _rows(listing: Listing, name: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a JSONL file that is small beside a corpus. Raises UserError with `file:line`."""
    if name not in listing.sizes:
        return
    with io.TextIOWrapper(listing.open(name), encoding="utf-8-sig", errors="replace") as file:
        for number, line in enumerate(file, 1):
            if not line.strip():
                continue
            try:
                row = json.loads(line)
            except ValueError as error:
                raise UserError(f"{listing.source}!{name}:{number}: no JSON ({error}).") from None
            if isinstance(row, dict):
                yield row


def _condition(table: str, rows: list[dict[str, Any]]) -> str:
    snr = rows[0].get("snr_db") if rows else None
    return table_condition(table, float(snr) if isinstance(snr, (int, float)) else None)


def _read_headers(
    listing: Listing, names: list[str], facts: SubsetFacts, key: str, progress: Reporter
) -> None:
    label = f"{key} headers"
    progress.total(label, len(names))
    formats: Counter[str] = Counter()
    for name in names:
        with listing.open(name) as file:
            kind, seconds = wav_format(file.read(_HEADER_BYTES))
        formats[kind] += 1
        facts.seconds += seconds
        progress.advance(label, 1)
    facts.formats = dict(sorted(formats.items()))
    facts.seconds = round(facts.seconds, 3)


def wav_format(start: bytes) -> tuple[str, float]:
    """Return a WAV file's format by its start, such as `24000 Hz, 16 bit, 1 channel`, and its seconds."""
    if start[:4] != b"RIFF" or start[8:12] != b"WAVE":
        return "no WAV", 0.0
    at, kind, bytes_a_second = 12, "no format stated", 0
    while at + 8 <= len(start):
        name, size = struct.unpack_from("<4sI", start, at)
        if name == b"fmt " and at + 24 <= len(start):
            _, channels, rate, bytes_a_second, _, bits = struct.unpack_from("<HHIIHH", start, at + 8)
            kind = f"{rate} Hz, {bits} bit, {channels} channel{'' if channels == 1 else 's'}"
        if name == b"data":
            return kind, size / bytes_a_second if bytes_a_second else 0.0
        at += 8 + size + size % 2
    return kind, 0.0
