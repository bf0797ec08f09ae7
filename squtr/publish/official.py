"""Is it the official data set? What it holds, counted, beside what its authors published."""

from __future__ import annotations

import functools
import hashlib
import io
import json
import zipfile
import zlib
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import PurePosixPath
from typing import Any

import yaml

from squtr.content import content
from squtr.data_build.conditions import REJECTED_FOLDER as _REJECTED
from squtr.errors import ItemFailure, UserError
from squtr.progress import Reporter
from squtr.publish.gaps import BROKEN, MISSING, UNNAMED, Gaps
from squtr.publish.listing import Listing
from squtr.publish.usable import UsableTable
from squtr.publish.wav import audio_seconds, is_whole_wav, wav_format

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


def subset_facts(
    listing: Listing, base: str, tables: list[UsableTable], key: str, gaps: Gaps, progress: Reporter
) -> SubsetFacts:
    """Count the rows of the subset whose files begin with `base`, and read the header of all its audio.

    Recordings that are missing or broken are gaps, and so is audio that no row names.
    """
    facts = SubsetFacts()
    facts.queries = sum(1 for _ in _rows(listing, f"{base}queries.jsonl"))
    scores = [row.get("score") for row in _rows(listing, f"{base}qrels/test.jsonl")]
    facts.judgements = len(scores)
    facts.scores = sorted({_SCORES.get(type(score), type(score).__name__) for score in scores})
    facts.recordings = {table.condition: len(table.rows) for table in tables}
    named = {f"{base}{file}" for table in tables for file in table.audio()}
    there = [
        name
        for name in listing.sizes
        if name.startswith(f"{base}audio_") and not name.startswith(f"{base}{_REJECTED}/")
    ]
    missing, unnamed = sorted(named - set(there)), sorted(set(there) - named)
    facts.missing_audio, facts.unnamed_audio = len(missing), len(unnamed)
    for name in missing:
        link = (listing.source / name).is_symlink()
        gaps.add(MISSING, f"{key}/{name[len(base) :]}", "is a link" if link else "is not there")
    for name in unnamed:
        gaps.add(UNNAMED, f"{key}/{name[len(base) :]}", "stands in no row that can be used")
    _read_headers(listing, base, [name for name in there if name in named], facts, key, gaps, progress)
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


def _read_headers(
    listing: Listing,
    base: str,
    names: list[str],
    facts: SubsetFacts,
    key: str,
    gaps: Gaps,
    progress: Reporter,
) -> None:
    label = f"{key} headers"
    progress.total(label, len(names))
    formats: Counter[str] = Counter()
    for name in names:
        try:
            with listing.open(name) as file:
                start = file.read(_HEADER_BYTES)
                kind, seconds = wav_format(start)
                whole = is_whole_wav(start, listing.sizes[name])
                facts.seconds += seconds if whole else audio_seconds(start + file.read())
        except (ItemFailure, zipfile.BadZipFile, zlib.error, EOFError, OSError) as error:
            kind = "broken"
            gaps.add(BROKEN, f"{key}/{name[len(base) :]}", str(error))
        formats[kind] += 1
        progress.advance(label, 1)
    facts.formats = dict(sorted(formats.items()))
    facts.seconds = round(facts.seconds, 3)
