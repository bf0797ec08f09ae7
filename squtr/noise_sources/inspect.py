"""Check a copy of a noise source: what is missing, misnamed, of the wrong form, silent or clipped."""

from __future__ import annotations

import dataclasses
import os
from collections import Counter
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import Any

from squtr.errors import ItemFailure, UserError, did_you_mean
from squtr.noise_sources.catalogue import Catalogue, built_in, find_catalogue, read_catalogue
from squtr.noise_sources.decode import Header, read_header
from squtr.noise_sources.measure import Facts, crc_of, measure
from squtr.noise_sources.planning import Plan, channel_number, plan
from squtr.noise_sources.tracks import Track, is_about, too_short, true_rate
from squtr.noise_sources.tree import Entry, glob_pattern, list_tree

MOST_CLIPPED_SHARE = 0.001
LONG_QUIET_SECONDS = 1.0
_AUDIO = (".wav", ".flac", ".ogg", ".aiff", ".mp3", ".mat")
_NAMED = 6

Remark = tuple[str, str]  # place, what


@dataclass
class Inspection:
    """What a copy is like: one row a recording, faults, and notes on what is odd but no fault."""

    source: str
    folder: str
    recordings: list[dict[str, Any]] = field(default_factory=list)
    faults: list[Remark] = field(default_factory=list)
    notes: list[Remark] = field(default_factory=list)


def inspect(folder: Path, source: str = "", only: Sequence[str] = ()) -> Inspection:
    """Read every recording of a copy, whole. Without a catalogue as `source` the one that fits best is taken.

    Raises UserError for a folder that does not exist, a file that is no whole zip archive, a folder of
    nothing else, and when no built-in source fits.
    """
    if not folder.exists():
        raise UserError(f"{folder}: no such folder or archive.")
    refused: list[UserError] = []
    entries = list_tree(folder, None if folder.is_file() else refused)
    if refused and not entries:
        raise refused[0]
    catalogue = read_catalogue(find_catalogue(source)) if source else _best_fit(folder, entries)
    for category in only:
        if category not in catalogue.categories:
            hint = did_you_mean(category, catalogue.categories)
            raise UserError(f"{catalogue.name}: no category {category!r}.{hint}")
    planned = plan(catalogue, entries, only)
    report = Inspection(catalogue.name, str(folder))
    report.faults += [("archive", str(error)) for error in refused]
    report.faults += _missing(catalogue, planned)
    audio = [entry for entry in planned.unmatched if entry.path.lower().endswith(_AUDIO)]
    misnamed = {entry.path: what for entry in audio if (what := _misnamed(catalogue, entry))}
    report.faults += [(entry.place, misnamed[entry.path]) for entry in audio if entry.path in misnamed]
    report.notes += _unrelated(report, [entry.path for entry in audio if entry.path not in misnamed])
    report.notes += _doubles(planned)
    with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
        for found in pool.map(_inspected, planned.tracks):
            report.recordings += found.recordings
            report.faults += found.faults
            report.notes += found.notes
    report.faults += _copies(planned.tracks)
    return report


def _best_fit(folder: Path, entries: Sequence[Entry]) -> Catalogue:
    catalogues = [read_catalogue(path) for path in built_in().values()]
    counts = {catalogue.name: len(plan(catalogue, entries).tracks) for catalogue in catalogues}
    best = max(catalogues, key=lambda catalogue: counts[catalogue.name])
    if not counts[best.name]:
        names = [
            catalogue.name for catalogue in catalogues if any(map(catalogue.globs, catalogue.categories))
        ]
        raise UserError(
            f"{folder}: no recording of {' or '.join(names)} in it. Name the --source, or a YAML file."
        )
    return best


def _missing(catalogue: Catalogue, planned: Plan) -> Iterator[Remark]:
    for category in planned.missing:
        yield category, "no recording of it"
    if catalogue.expect.files is None:
        return
    for category in catalogue.categories:
        ids = [track.recording.id for track in planned.tracks if track.recording.category == category]
        there = {channel_number(name) for name in ids}
        if None in there or not there:
            continue
        absent = [f"ch{number:02d}" for number in range(1, catalogue.expect.files + 1) if number not in there]
        if absent:
            more = f" and {len(absent) - _NAMED} more" if absent[_NAMED:] else ""
            yield category, f"no {', '.join(absent[:_NAMED])}{more}"


def _misnamed(catalogue: Catalogue, entry: Entry) -> str:
    """Return what is wrong with the name of a file that looks like one of the source, '' for any other."""
    path = PurePosixPath(entry.path)
    hint = did_you_mean(path.parent.name or path.stem, catalogue.categories)
    hint = hint if hint.startswith(" Did") else ""
    names = {
        PurePosixPath(glob).name for category in catalogue.categories for glob in catalogue.globs(category)
    }
    named = any(glob_pattern(name).fullmatch(path.name) for name in names if not name.startswith("*"))
    if not hint and not named:
        return ""
    return f"wrong name: no recording of {catalogue.name} is called {path.name} here.{hint}"


def _unrelated(report: Inspection, paths: Sequence[str]) -> Iterator[Remark]:
    if paths:
        more = f" and {len(paths) - _NAMED} more" if paths[_NAMED:] else ""
        yield report.folder, f"not of {report.source}, passed over: {', '.join(paths[:_NAMED])}{more}"


def _doubles(planned: Plan) -> Iterator[Remark]:
    pairs = Counter((str(other.file), str(taken.file)) for taken, other in planned.doubles)
    for (other, taken), count in pairs.items():
        yield other, f"{count} of its recordings are in {taken} too, and taken from there"


def _copies(tracks: Sequence[Track]) -> Iterator[Remark]:
    first: dict[tuple[int, int, int | None], Track] = {}
    for track in tracks:
        key = (crc_of(track.entry), track.entry.bytes, track.channel)
        other = first.setdefault(key, track)
        if other is not track:
            yield (
                track.entry.place,
                f"{track.recording.id} is the same, byte for byte, as {other.recording.id}",
            )


def _inspected(track: Track) -> Inspection:
    place = track.entry.place
    found = Inspection("", "")
    try:
        header = read_header(track.entry)
        rate, remark = true_rate(header, track.expect)
        facts = measure(track.entry, header, track.channel, rate)
    except ItemFailure as failure:
        found.faults.append((place, str(failure)))
        return found
    seconds = header.frames / rate
    found.recordings.append(
        {"id": track.recording.id, "category": track.recording.category, "file": place, "sample_rate": rate}
        | {
            "stated_sample_rate": header.sample_rate,
            "channels": header.channels,
            "seconds": round(seconds, 3),
        }
        | dataclasses.asdict(facts)
    )
    found.faults += [(place, what) for what in _faults(track, header, seconds, remark, facts)]
    if facts.longest_quiet_seconds >= LONG_QUIET_SECONDS and not facts.is_silent:
        found.notes.append(
            (
                place,
                f"quiet for up to {facts.longest_quiet_seconds:.1f} s, {facts.quiet_share:.0%} of it in all:"
                " a crop that falls there is drawn again",
            )
        )
    return found


def _faults(track: Track, header: Header, seconds: float, remark: str, facts: Facts) -> Iterator[str]:
    expect = track.expect
    if header.sample_rate and expect.sample_rates and header.sample_rate not in expect.sample_rates:
        usual = " or ".join(map(str, expect.sample_rates))
        yield remark or f"states {header.sample_rate} Hz, not {usual}"
    if short := too_short(seconds):
        yield short
    elif not is_about(seconds, expect.seconds):
        yield f"{seconds:.1f} s long, not about {expect.seconds:g} s"
    if expect.channels and track.channel is None and header.channels != expect.channels:
        yield f"{header.channels} channels, not {expect.channels}: their mean is taken"
    if facts.is_silent:
        level = "digital silence" if facts.level_dbfs is None else f"{facts.level_dbfs:.1f} dBFS"
        yield f"silent ({level})"
    if facts.clipped_share > MOST_CLIPPED_SHARE:
        yield f"clipped: {facts.clipped_share:.2%} of its samples stand at full scale"
