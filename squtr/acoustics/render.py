"""Render: one utterance under one condition, with everything that was drawn and realised on the way."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from squtr.acoustics.bursts import BurstPattern, Bursts
from squtr.acoustics.condition import Acoustics
from squtr.acoustics.room import Place
from squtr.acoustics.second_noise import SecondNoise
from squtr.acoustics.telephone import TelephoneLine
from squtr.audio import FULL_SCALE, from_pcm, to_pcm
from squtr.digest import to_plain
from squtr.draw import draw
from squtr.errors import UserError
from squtr.levels import SILENCE_FLOOR_DBFS, level_dbfs, measure, peak
from squtr.mixing import Mix, mix, realised_snr_db
from squtr.noise_sources.segment import DRAWS, QUIET_RANGE_DB, Segment, cut_segment
from squtr.records import Pcm, Samples, Waveform

Record = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Noise:
    """A noise recording and the name to report it under."""

    id: str
    recording: Waveform


@dataclass(frozen=True, slots=True)
class Rendered:
    """A finished recording, pcm of shape (n,). `mixed` tells of speech and noise before any telephone line.

    `common_gain` scales speech and noise alike in the end, `peak` is that of `pcm`. `acoustics` holds, by
    operator, what was drawn and realised: plain JSON values.
    """

    pcm: Pcm
    mixed: Mix
    segment: Segment
    common_gain: float
    peak: float
    acoustics: dict[str, Record]

    @property
    def facts(self) -> Record:
        """What was realised, as it stands in a manifest, but for `acoustics`."""
        return {
            "crop_start_seconds": round(self.segment.crop_start_seconds, 6),
            "loops": self.segment.loops,
            "redraws": self.segment.redraws,
            "noise_gain": self.mixed.noise_gain,
            "common_gain": self.common_gain,
            "requested_snr_db": self.mixed.requested_snr_db,
            "realised_snr_db": round(self.mixed.realised_snr_db, 6),
            "active_snr_db": round(self.mixed.active_snr_db, 4),
            "noise_level_dbfs": round(self.mixed.noise_rms_dbfs, 4),
        }


def render(
    speech: Samples,
    sample_rate: int,
    snr_db: float,
    noise: Noise,
    seed: int,
    acoustics: Acoustics | None = None,
    second: Noise | None = None,
) -> Rendered:
    """Render `speech`, shape (n,), at `snr_db`; whatever is drawn depends on `seed` and the noises' ids.

    The ratio is that of speech (in its room) to all noise, over the whole utterance, before the line.
    Raises UserError for silent noise and a missing package, ItemFailure for silent speech.
    """
    wanted, record = acoustics or Acoustics(), {}
    if wanted.room:
        place = wanted.room.draw(draw(seed, "room", ""))
        speech, realised = place.apply(speech, sample_rate)
        record["room"] = _record(place, realised)
    segment = cut_segment(noise.recording, len(speech), sample_rate, draw(seed, "crop", noise.id), noise.id)
    added, rest = segment.samples, segment.measured
    pattern = None
    if wanted.bursts:
        pattern, added, record["bursts"] = _burst(wanted.bursts, segment, sample_rate, seed)
    if wanted.second_noise:
        added, record["second_noise"] = _add(wanted.second_noise, added, second, sample_rate, seed)
    if wanted.bursts or wanted.second_noise:
        rest = measure(added, sample_rate)
    mixed = mix(measure(speech, sample_rate), rest, snr_db, sample_rate=sample_rate)
    if pattern:
        inside = pattern.snr_db(speech, added, mixed.noise_gain, sample_rate)
        record["bursts"]["in_burst_snr_db"] = inside
    pcm, gain = mixed.pcm, mixed.common_gain
    if wanted.telephone:
        line = wanted.telephone.draw(draw(seed, "telephone", ""))
        pcm, record["telephone"] = _send(line, speech, mixed, sample_rate)
        gain *= record["telephone"]["line_gain"]
    return Rendered(pcm, mixed, segment, gain, peak(pcm) / FULL_SCALE, record)


def speech_part(clean: Samples, sample_rate: int, acoustics: dict[str, Record]) -> Samples:
    """Return the speech in a recording before its common gain: `clean`, shape (n,), through room and line.

    `acoustics` is what a manifest says of the recording. Raises UserError when pyroomacoustics is missing.
    """
    speech = clean
    if "room" in acoustics:
        speech, _ = Place.of(acoustics["room"]).apply(speech, sample_rate)
    if "telephone" in acoustics:
        speech = TelephoneLine(acoustics["telephone"]["law"]).band(speech, sample_rate)
    return speech


def _burst(
    settings: Bursts, segment: Segment, sample_rate: int, seed: int
) -> tuple[BurstPattern, Samples, Record]:
    """Draw bursts until noise is heard in them: a recording may be silent just there."""
    rng, seconds = draw(seed, "bursts", ""), len(segment.samples) / sample_rate
    for redraws in range(DRAWS):
        pattern = settings.draw(rng, seconds)
        bursts, realised = pattern.apply(segment.samples, sample_rate)
        if level_dbfs(bursts) >= max(SILENCE_FLOOR_DBFS, segment.rms_dbfs - QUIET_RANGE_DB):
            return pattern, bursts, _record(pattern, realised) | {"redraws": redraws}
    raise UserError(
        f"The noise is silent in {DRAWS} draws of bursts. Take another recording or a longer duty."
    )


def _add(
    settings: SecondNoise, first: Samples, second: Noise | None, sample_rate: int, seed: int
) -> tuple[Samples, Record]:
    if second is None:
        raise ValueError("A second noise is asked for and none is given.")
    level = settings.draw(draw(seed, "second noise", ""))
    rng = draw(seed, "second crop", second.id)
    segment = cut_segment(second.recording, len(first), sample_rate, rng, second.id)
    both, realised = level.apply(first, segment.samples)
    return both, _record(level, realised) | {
        "noise_id": second.id,
        "crop_start_seconds": round(segment.crop_start_seconds, 6),
        "loops": segment.loops,
        "redraws": segment.redraws,
    }


def _send(line: TelephoneLine, speech: Samples, mixed: Mix, sample_rate: int) -> tuple[Pcm, Record]:
    """Send a mixture through a line and measure what ratio of speech to all that is no speech it leaves."""
    sent, realised = line.apply(from_pcm(mixed.pcm), sample_rate)
    pcm, gain = to_pcm(sent), mixed.common_gain * realised["line_gain"]
    behind = realised_snr_db(line.band(speech, sample_rate), from_pcm(pcm), gain)
    return pcm, _record(line, realised) | {"line_snr_db": round(behind, 6)}


def _record(parameters: Any, realised: Record) -> Record:
    found: Record = to_plain(dataclasses.asdict(parameters))
    return found | realised
