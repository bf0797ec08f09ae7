"""Noise out of recordings: what a catalogue lists, in the files on this machine and in other sources."""

from __future__ import annotations

import functools
import logging
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from squtr import plugins
from squtr.digest import digest
from squtr.errors import NotHere, UserError, did_you_mean
from squtr.noise_sources import NoiseSource
from squtr.noise_sources.cache import cache_folder
from squtr.noise_sources.catalogue import Catalogue, built_in, find_catalogue, read_catalogue
from squtr.noise_sources.planning import how_to_get, locate, numbers, plan, text, with_channels, words
from squtr.noise_sources.tracks import Tracks
from squtr.noise_sources.tree import list_tree
from squtr.records import NoiseRecording, Waveform


class Recordings:
    """A NoiseSource over a catalogue: files on this machine, categories of other sources, or both.

    `source` is a YAML file or a built-in name; `path` its folder or archive, `cache` a folder for converted
    samples. `only` (categories) and `channels` (numbers at the end of ids) take a part, with blanks between
    them. A preset has more options: the path of each of its sources and the reading of a category, as in
    `squtr17,demand=FOLDER,reverberation=none`.
    Raises UserError for a faulty catalogue or option, and for a category without a recording.
    """

    def __init__(
        self, source: str, path: str = "", cache: str = "", channels: Any = (), only: Any = (), **options: Any
    ) -> None:
        file = find_catalogue(text("source", source))
        self._catalogue = catalogue = read_catalogue(file)
        chosen = _chosen(catalogue, words("only", only))
        self.cache = folder = cache_folder(text("cache", cache))
        kept = numbers("channels", channels)
        mixed = _sources(catalogue, chosen, options)
        places = {name: text(name, options.pop(name, "")) for name in _source_names(catalogue)}
        _refuse_unknown(catalogue, options, places)
        self._parts: dict[str, NoiseSource] = {}
        if any(catalogue.globs(category) for category in chosen):
            self._parts[""] = _tracks(catalogue, file, text("path", path), chosen, folder, kept)
        elif path:
            raise UserError(
                f"{catalogue.name} has no files of its own: write {'=, '.join(places)}=, not path."
            )
        for name, place in places.items():
            wanted = _union(sources.get(name, ()) for sources in mixed.values())
            if wanted:
                self._parts[name] = _part(file, name, place, wanted, folder, kept)
        self._recordings = list(_offered(self._parts, chosen, mixed))
        self._part_of = _owners(catalogue, self._parts, self._recordings)

    @property
    def licence(self) -> str:
        """The terms of the catalogue and of every source in it."""
        own = f"{self._catalogue.title or self._catalogue.name}: {self._catalogue.terms}"
        inner = (getattr(part, "licence", "") for part in self._parts.values())
        return "; ".join([own, *filter(None, inner)])

    @property
    def redistribute(self) -> bool:
        """False when any of its sources must not be passed on."""
        inner = (getattr(part, "redistribute", True) for part in self._parts.values())
        return self._catalogue.redistribute and all(inner)

    @functools.cached_property
    def fingerprint(self) -> str:
        """Digest of the parts' fingerprints; the category of a recording changes none of its samples."""
        return digest("recordings", {name: part.fingerprint for name, part in self._parts.items()})

    def recordings(self) -> Sequence[NoiseRecording]:
        """All recordings, in the order of the categories; a preset may list one in two of them."""
        return self._recordings

    def read(self, recording_id: str) -> Waveform:
        """Return a recording as its source does: files memory-mapped. Raises UserError for an unknown id."""
        if recording_id not in self._part_of:
            hint = did_you_mean(recording_id, self._part_of) if len(recording_id) < 200 else ""
            raise UserError(f"{self._catalogue.name}: no recording {recording_id!r}.{hint}")
        return self._part_of[recording_id].read(recording_id)

    def check(self) -> None:
        """Measure what has not been measured yet, and warn of rates that were guessed.

        Raises UserError for a recording that cannot be read, or is silent.
        """
        for part in self._parts.values():
            getattr(part, "check", lambda: None)()
        own = self._parts.get("")
        remarks = own.remarks() if isinstance(own, Tracks) else []
        if remarks:
            more = f" ({len(remarks) - 1} more: see squtr noise check)" if remarks[1:] else ""
            logging.getLogger(__name__).warning("%s%s.", remarks[0], more)


demand = functools.partial(Recordings, "demand")
noisex92 = functools.partial(Recordings, "noisex92")
squtr17 = functools.partial(Recordings, "squtr17")
noisex15 = functools.partial(Recordings, "noisex15")

_Sources = dict[str, tuple[str, ...]]


def _chosen(catalogue: Catalogue, only: tuple[str, ...]) -> list[str]:
    for category in only:
        if category not in catalogue.categories:
            hint = did_you_mean(category, catalogue.categories)
            raise UserError(f"{catalogue.name}: no category {category!r}.{hint}")
    return [category for category in catalogue.categories if not only or category in only]


def _sources(catalogue: Catalogue, chosen: Sequence[str], options: dict[str, Any]) -> dict[str, _Sources]:
    """Return the sources of each category under its reading; readings are taken out of `options`."""
    found: dict[str, _Sources] = {}
    for name, category in catalogue.categories.items():
        sources = category.sources
        if category.readings:
            reading = text(name, options.pop(name, category.reading))
            if reading not in category.readings:
                hint = did_you_mean(reading, category.readings)
                raise UserError(f"{catalogue.name}: {name} cannot be read as {reading!r}.{hint}")
            sources = category.readings[reading].sources
        if sources and name in chosen:
            found[name] = sources
    return found


def _source_names(catalogue: Catalogue) -> tuple[str, ...]:
    rules = catalogue.categories.values()
    readings = (reading.sources for rule in rules for reading in rule.readings.values())
    return _union([*(rule.sources for rule in rules), *readings])


def _union(groups: Iterable[Iterable[str]]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for group in groups for name in group))


def _refuse_unknown(catalogue: Catalogue, options: dict[str, Any], places: dict[str, str]) -> None:
    if options:
        known = [*places, "cache", "channels", "only"]
        known += [name for name, category in catalogue.categories.items() if category.readings]
        name = min(options)
        raise UserError(f"{catalogue.name}: unknown option {name!r}.{did_you_mean(name, known)}")


def _tracks(
    catalogue: Catalogue, file: Path, path: str, chosen: Sequence[str], cache: Path, channels: tuple[int, ...]
) -> Tracks:
    place = locate(catalogue, file, path)
    planned = plan(catalogue, list_tree(place), chosen)
    if planned.missing:
        how = how_to_get(catalogue, file, place, planned.missing)
        raise NotHere(
            f"{catalogue.name}: {place} has no recording of {', '.join(planned.missing)}. {how}"
            " Or take a part: only='CATEGORY CATEGORY'."
        )
    tracks = with_channels(planned.tracks, channels)
    left = {track.recording.category for track in tracks}
    without = sorted({track.recording.category for track in planned.tracks} - left)
    if without:
        raise UserError(f"{catalogue.name}: {place} has none of these channels of {', '.join(without)}.")
    return Tracks(tracks, cache, catalogue.name)


def _part(
    file: Path, name: str, place: str, categories: tuple[str, ...], cache: Path, channels: tuple[int, ...]
) -> NoiseSource:
    """Return a source of a preset: a catalogue beside it or built in, or any other noise source."""
    beside = file.parent / f"{name}.yaml"
    found = beside if beside.is_file() else built_in().get(name)
    if found is not None:
        inner = read_catalogue(found)
        if any(category.sources or category.readings for category in inner.categories.values()):
            raise UserError(f"{file}: {name} is a preset itself. Name the sources that it is made of.")
        return Recordings(str(found), place, str(cache), channels, categories)
    loaded: NoiseSource = plugins.load("noise", name, **({"path": place} if place else {}))
    known = {recording.category for recording in loaded.recordings()}
    for category in categories:
        if category not in known:
            raise UserError(f"{file}: {name} has no category {category!r}.{did_you_mean(category, known)}")
    return loaded


def _offered(
    parts: dict[str, NoiseSource], chosen: Sequence[str], mixed: dict[str, _Sources]
) -> Iterator[NoiseRecording]:
    for category in chosen:
        wanted = mixed.get(category, {"": (category,)})
        for name, inner in wanted.items():
            for recording in parts[name].recordings() if name in parts else ():
                if recording.category in inner:
                    yield NoiseRecording(recording.id, category, recording.synthetic)


def _owners(
    catalogue: Catalogue, parts: dict[str, NoiseSource], recordings: Sequence[NoiseRecording]
) -> dict[str, NoiseSource]:
    owners: dict[str, NoiseSource] = {}
    offered = {recording.id for recording in recordings}
    for part in parts.values():
        for recording in part.recordings():
            if recording.id in offered and owners.setdefault(recording.id, part) is not part:
                raise UserError(f"{catalogue.name}: two of its sources have a recording {recording.id!r}.")
    return owners
