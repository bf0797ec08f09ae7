"""Recordings in files: which there are, their true rate, and their samples, memory-mapped."""

from __future__ import annotations

import dataclasses
import functools
import os
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from squtr.digest import digest
from squtr.errors import ItemFailure, UserError, did_you_mean
from squtr.levels import SILENCE_FLOOR_DBFS
from squtr.noise_sources.cache import mapped, remembered
from squtr.noise_sources.catalogue import Expect
from squtr.noise_sources.decode import Header, read_header
from squtr.noise_sources.measure import Facts, crc_of, measure
from squtr.noise_sources.segment import SHORTEST_LOOP_SECONDS
from squtr.noise_sources.tree import Entry
from squtr.records import NoiseRecording, Waveform

_VERSION = 1
_LENGTH_TOLERANCE = 0.01
_NOTHING = Expect()


@dataclass(frozen=True, slots=True)
class Track:
    """One recording: a channel (from 0; None: the mean of all) of a file, and what is expected of it."""

    recording: NoiseRecording
    entry: Entry
    channel: int | None = None
    expect: Expect = _NOTHING


def is_about(seconds: float, expected: float | None) -> bool:
    """True within 1 % of the expected length, or when none is expected."""
    return expected is None or abs(seconds / expected - 1) <= _LENGTH_TOLERANCE


def too_short(seconds: float) -> str:
    """Return what is to be said of a recording that is too short to be looped, '' of any other."""
    if seconds >= SHORTEST_LOOP_SECONDS:
        return ""
    return f"{seconds:.3f} s long; noise takes {SHORTEST_LOOP_SECONDS:g} s at least, to be looped"


def true_rate(header: Header, expect: Expect) -> tuple[int, str]:
    """Return the sample rate to take, and what is to be said of it ('' if nothing).

    A stated rate is trusted when it makes about the expected length; else the assumed rate is taken where
    that does. A rate that neither confirms is taken as stated. Raises ItemFailure when there is no rate.
    """
    stated, assumed = header.sample_rate, expect.assumed_sample_rate
    if stated is None and assumed is None:
        raise ItemFailure("states no sample rate. Give expect: {assumed_sample_rate: ...} in the catalogue")
    rate = stated or assumed or 0
    if is_about(header.frames / rate, expect.seconds) or expect.seconds is None or assumed is None:
        return rate, ""
    if is_about(header.frames / assumed, expect.seconds):
        made = header.frames / rate
        return (
            assumed,
            f"states {rate} Hz, which makes {made:.1f} s of it; read at {assumed} Hz, {expect.seconds:g} s",
        )
    seconds = header.frames / rate
    return (
        rate,
        f"is {seconds:.1f} s long, not about {expect.seconds:g} s: its rate of {rate} Hz is not confirmed",
    )


class Tracks:
    """A NoiseSource over files. `cache` keeps converted samples and what was measured."""

    def __init__(self, tracks: Iterable[Track], cache: Path, name: str) -> None:
        self._tracks = {track.recording.id: track for track in tracks}
        self.cache, self._name = cache, name
        self._headers: dict[str, Header] = {}

    @functools.cached_property
    def fingerprint(self) -> str:
        """Digest of every recording's id, bytes (CRC-32 and size), channel and rule for its rate."""
        rows = [
            [id, self._crc(track.entry), track.entry.bytes, track.channel, _rate_rule(track.expect)]
            for id, track in sorted(self._tracks.items())
        ]
        return digest("tracks", _VERSION, rows)

    def recordings(self) -> Sequence[NoiseRecording]:
        """All recordings, in the order of the catalogue and of the files."""
        return [track.recording for track in self._tracks.values()]

    def track(self, recording_id: str) -> Track:
        """Return where a recording lies. Raises UserError for an unknown id."""
        if recording_id not in self._tracks:
            hint = did_you_mean(recording_id, self._tracks) if len(recording_id) < 200 else ""
            raise UserError(f"{self._name}: no recording {recording_id!r}.{hint}")
        return self._tracks[recording_id]

    def read(self, recording_id: str) -> Waveform:
        """Return a recording at its true rate: samples memory-mapped, int16 steps or float32.

        Raises UserError for an unknown id and for a file that cannot be read.
        """
        track = self.track(recording_id)
        try:
            if recording_id not in self._headers:
                self._headers[recording_id] = read_header(track.entry)
            header = self._headers[recording_id]
            rate, _ = true_rate(header, track.expect)
            crc = self._crc(track.entry)
            return Waveform(mapped(self.cache, track.entry, header, track.channel, crc), rate)
        except ItemFailure as failure:
            raise _unusable(track, str(failure)) from None

    def check(self) -> None:
        """Measure every recording that has not been measured yet. Raises UserError for one that is no use."""
        workers = min(8, os.cpu_count() or 1)
        with ThreadPoolExecutor(workers) as pool:
            measured = pool.map(self._usable, self._tracks.values())
            for track, facts in zip(self._tracks.values(), measured, strict=True):
                if facts.is_silent:
                    raise UserError(
                        f"{track.entry.place}: the noise is silent ({_level(facts)}, the floor is"
                        f" {SILENCE_FLOOR_DBFS:g}). Take {track.entry.path} out of the folder."
                    )

    def remarks(self) -> list[str]:
        """What is to be said of the recordings' rates, one line a recording."""
        said = (
            (track, true_rate(read_header(track.entry), track.expect)[1]) for track in self._tracks.values()
        )
        return [f"{track.recording.id} {remark}" for track, remark in said if remark]

    def _usable(self, track: Track) -> Facts:
        try:
            return self._facts(track)
        except ItemFailure as failure:
            raise _unusable(track, str(failure)) from None

    def _facts(self, track: Track) -> Facts:
        def compute() -> dict[str, object]:
            header = read_header(track.entry)
            rate, _ = true_rate(header, track.expect)
            if short := too_short(header.frames / rate):
                raise ItemFailure(short)
            return dataclasses.asdict(measure(track.entry, header, track.channel, rate))

        what = f"facts of channel {track.channel}"
        return Facts(**remembered(self.cache, track.entry, what, compute))

    def _crc(self, entry: Entry) -> int:
        if entry.crc is not None:
            return entry.crc
        found = remembered(self.cache, entry, "crc", lambda: {"crc32": crc_of(entry)})
        return int(found["crc32"])


def _rate_rule(expect: Expect) -> list[float | None]:
    return [expect.seconds, expect.assumed_sample_rate] if expect.assumed_sample_rate else []


def _unusable(track: Track, reason: str) -> UserError:
    return UserError(f"{track.entry.place}: {reason}. Take it out of the noise folder or replace it.")


def _level(facts: Facts) -> str:
    return "digital silence" if facts.level_dbfs is None else f"{facts.level_dbfs:.1f} dBFS"
