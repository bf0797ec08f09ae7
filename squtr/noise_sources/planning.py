"""From a catalogue to recordings: where its files are on this machine, and which file is which recording."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from squtr.errors import ItemFailure, NotHere, UserError
from squtr.noise_sources.catalogue import Catalogue, built_in
from squtr.noise_sources.decode import read_header
from squtr.noise_sources.tracks import Track, true_rate
from squtr.noise_sources.tree import Entry, glob_pattern
from squtr.records import NoiseRecording

FOLDER_VARIABLE = "SQUTR_NOISE"


@dataclass(frozen=True)
class Plan:
    """Which recordings there are, and what is odd: categories without any, files that are none of them,
    and pairs of files that are the same recording, the one taken first."""

    tracks: list[Track]
    missing: list[str]
    unmatched: list[Entry]
    doubles: list[tuple[Entry, Entry]]


def default_folder(name: str) -> Path:
    """Return where a source is looked for: $SQUTR_NOISE/NAME, or squtr/noise/NAME in the user's data."""
    root = os.environ.get(FOLDER_VARIABLE, "")
    if root:
        return Path(root).expanduser() / name
    return (
        Path(os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share") / "squtr" / "noise" / name
    )


def locate(catalogue: Catalogue, file: Path, given: str) -> Path:
    """Return the folder or archive of a source. Raises NotHere that says how to get it."""
    if given:
        place = Path(given).expanduser()
        if not place.exists():
            raise NotHere(f"{catalogue.name}: {given}: no such folder or archive.")
        return place
    if file not in built_in().values():
        place = file.parent / catalogue.path
        if not place.exists():
            raise NotHere(f"{file}: path {catalogue.path!r}: no such folder ({place}).")
        return place
    place = default_folder(catalogue.name)
    if not place.exists():
        how = how_to_get(catalogue, file, place)
        raise NotHere(f"{catalogue.name}: not on this machine (looked at {place}). {how}")
    return place


def how_to_get(catalogue: Catalogue, file: Path, place: Path, categories: Sequence[str] = ()) -> str:
    """Return what to do when a source, or some of its categories, are not at a place."""
    own = file not in built_in().values()
    name = str(file) if own else catalogue.name
    naming = f"Name the folder of your copy: {name}=FOLDER in a preset, {name},path=FOLDER alone."
    if own:
        globs = (f"{category}: {' '.join(catalogue.globs(category))}" for category in categories)
        naming = f"No file below {place} matches {'; '.join(globs)}. Correct these globs."
        if catalogue.download is None:
            return naming
    if catalogue.download is None:
        return f"There is no download (licence: {catalogue.terms}). {naming}"
    some = f" --environments {','.join(categories)}" if len(categories) < len(catalogue.categories) else ""
    return f"squtr noise fetch {name} --to {place}{some if categories else ''} brings it. {naming}"


def plan(catalogue: Catalogue, entries: Sequence[Entry], only: Iterable[str] = ()) -> Plan:
    """Match files with the globs of the categories (all, or `only` some).

    Raises UserError when two files have the same id, or one file stands in two categories, unless the
    catalogue says that the higher rate is to be taken; of two with the same rate it is the first by path.
    """
    wanted = list(only) or list(catalogue.categories)
    tracks: dict[str, Track] = {}
    doubles: list[tuple[Entry, Entry]] = []
    matched: set[str] = set()
    for category in catalogue.categories:
        patterns = [glob_pattern(glob) for glob in catalogue.globs(category)]
        for entry in entries:
            if not any(pattern.fullmatch(entry.path) for pattern in patterns):
                continue
            matched.add(entry.path)
            for track in _tracks(catalogue, category, entry) if category in wanted else ():
                other = tracks.get(track.recording.id)
                if other is None or _is_better(catalogue, track, other):
                    tracks[track.recording.id] = track
                if other is not None:
                    taken = tracks[track.recording.id].entry
                    doubles.append((taken, entry if taken == other.entry else other.entry))
    found = {track.recording.category for track in tracks.values()}
    return Plan(
        list(tracks.values()),
        [category for category in wanted if category not in found and catalogue.globs(category)],
        [entry for entry in entries if entry.path not in matched],
        doubles,
    )


def with_channels(tracks: Iterable[Track], channels: Iterable[int]) -> list[Track]:
    """Keep the recordings of these microphone channels, which ids name at their end: _ch07."""
    wanted = set(channels)
    return [track for track in tracks if not wanted or channel_number(track.recording.id) in wanted]


def channel_number(recording_id: str) -> int | None:
    """Return the channel that an id names, from 1."""
    found = re.search(r"_ch(\d+)$", recording_id)
    return int(found[1]) if found else None


def _tracks(catalogue: Catalogue, category: str, entry: Entry) -> Iterator[Track]:
    path = PurePosixPath(entry.path)
    name = catalogue.id.format(category=category, path=entry.path, stem=path.stem.lower())
    channels = catalogue.categories[category].channels or catalogue.channels
    for channel in channels:
        recording = NoiseRecording(f"{name}_ch{channel:02d}", category, catalogue.synthetic)
        yield Track(recording, entry, channel - 1, catalogue.expect)
    if not channels:
        yield Track(NoiseRecording(name, category, catalogue.synthetic), entry, None, catalogue.expect)


def _is_better(catalogue: Catalogue, track: Track, other: Track) -> bool:
    if catalogue.same_id == "refuse":
        raise UserError(
            f"{catalogue.name}: {track.entry.place} and {other.entry.place} are both {track.recording.id!r}"
            f" ({track.recording.category}, {other.recording.category}). Ids have to differ."
        )
    return _rate(track) > _rate(other)


def _rate(track: Track) -> int:
    try:
        return true_rate(read_header(track.entry), track.expect)[0]
    except ItemFailure:
        return 0


def words(option: str, value: Any) -> tuple[str, ...]:
    """Return the words of an option such as `only=cafe bus`, or a tuple as it is. Raises UserError."""
    if isinstance(value, tuple):
        return value
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        raise UserError(f"{option} is {value!r}; words with blanks between them must stand there.")
    return tuple(str(value).split())


def numbers(option: str, value: Any) -> tuple[int, ...]:
    """Return the numbers of an option such as `channels=1 5 9`. Raises UserError."""
    if isinstance(value, tuple):
        return value
    found = words(option, value)
    if not all(word.isdecimal() for word in found):
        raise UserError(f"{option} is {value!r}; numbers with blanks between them must stand there.")
    return tuple(map(int, found))


def text(option: str, value: Any) -> str:
    """Return an option that is text. Raises UserError for what YAML read as something else."""
    if not isinstance(value, (str, Path)):
        raise UserError(f"{option} is {value!r}, not text. Write {option}='{value}', in quotes.")
    return str(value)
