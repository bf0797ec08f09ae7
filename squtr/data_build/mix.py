"""Mix: one utterance under one condition, written as a WAV file."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from squtr import plugins
from squtr.audio import FULL_SCALE, RESAMPLER, level_dbfs, peak, write_wav
from squtr.dataset import audio_place
from squtr.digest import digest, digest_bytes
from squtr.draw import draw
from squtr.errors import ItemFailure, UserError
from squtr.levels import Measured, measure
from squtr.mixing import mix
from squtr.noise_sources import NoiseSource
from squtr.noise_sources.at_rate import recording_at_rate
from squtr.noise_sources.segment import Segment, cut_segment
from squtr.recipe import Mix
from squtr.records import AudioRef, NoiseRecording, Pcm, Waveform
from squtr.store import Audio, PackWriter

_CODE_VERSION = 3


@dataclass(frozen=True, slots=True)
class MixItem:
    """What decides a noisy utterance besides the noise source; `path` is relative to the data set."""

    speech: AudioRef
    recording: str
    crop_seed: int
    snr_db: float
    path: str


@dataclass(frozen=True, slots=True)
class CleanItem:
    """A clean utterance: the chosen take as it is."""

    speech: AudioRef
    path: str


@dataclass(frozen=True)
class Mixing:
    """Stage: write one condition of one utterance. Record: everything that was realised."""

    noise: str
    out: str
    name: str = "mix"

    @property
    def fingerprint(self) -> str:
        return digest(noise_source(self.noise).fingerprint, RESAMPLER, np.__version__, _CODE_VERSION)

    def audio_of(self, item: MixItem | CleanItem) -> Sequence[AudioRef]:
        return (item.speech,)

    def is_written(self, item: MixItem | CleanItem, record: dict[str, Any]) -> bool:
        """True when the item's file holds what its record says; a failed item has none."""
        if record["status"] != "ok":
            return True
        try:
            found, place = audio_place(Path(self.out) / item.path)
        except ItemFailure:
            return False
        wanted = AudioRef(record["pcm_sha256"], item.speech.samples, item.speech.sample_rate)
        return place is not None and found == wanted

    def run(self, item: MixItem | CleanItem, audio: Audio, pack: PackWriter) -> dict[str, Any]:
        if isinstance(item, CleanItem):
            return self._unchanged(self._written(item, audio.pcm(item.speech), {}), item)
        speech, segment = _prepared(audio, item.speech, self.noise, item.recording, item.crop_seed)
        mixed = mix(speech, segment.measured, item.snr_db, sample_rate=item.speech.sample_rate)
        realised = {
            "crop_start_seconds": round(segment.crop_start_seconds, 6),
            "loops": segment.loops,
            "redraws": segment.redraws,
            "noise_gain": mixed.noise_gain,
            "common_gain": mixed.common_gain,
            "requested_snr_db": item.snr_db,
            "realised_snr_db": round(mixed.realised_snr_db, 6),
            "active_snr_db": round(mixed.active_snr_db, 4),
            "noise_level_dbfs": round(mixed.noise_rms_dbfs, 4),
        }
        return self._written(item, mixed.pcm, realised)

    def _unchanged(self, record: dict[str, Any], item: CleanItem) -> dict[str, Any]:
        if record["pcm_sha256"] != item.speech.sha256:
            raise UserError(
                f"{item.path}: its samples changed in the cache. Delete index.sqlite and packs in it."
            )
        return record

    def _written(self, item: MixItem | CleanItem, pcm: Pcm, realised: dict[str, Any]) -> dict[str, Any]:
        write_wav(Path(self.out) / item.path, pcm, item.speech.sample_rate)
        return realised | {
            "pcm_sha256": digest_bytes(np.ascontiguousarray(pcm, dtype="<i2").data),
            "peak": round(peak(pcm) / FULL_SCALE, 6),
            "level_dbfs": round(level_dbfs(pcm), 4),
        }


@functools.lru_cache(maxsize=1)
def _prepared(
    audio: Audio, ref: AudioRef, noise: str, recording: str, crop_seed: int
) -> tuple[Measured, Segment]:
    """Return speech and noise, measured once for all SNRs of an utterance, as these follow one another."""
    chance = draw(crop_seed, "crop", recording)
    whole = noise_at_rate(noise, recording, ref.sample_rate)
    segment = cut_segment(whole, ref.samples, ref.sample_rate, chance, recording)
    return measure(audio.pcm(ref), ref.sample_rate), segment


def draw_noise(recordings: Sequence[NoiseRecording], seed: int, key: str) -> tuple[NoiseRecording, int]:
    """Draw a category uniformly, a recording of it uniformly, and the seed of the crop."""
    chance = draw(seed, "noise", key)
    categories = sorted({recording.category for recording in recordings})
    category = categories[int(chance.integers(len(categories)))]
    offered = [recording for recording in recordings if recording.category == category]
    return offered[int(chance.integers(len(offered)))], int(chance.integers(2**53))


def wanted_recordings(source: NoiseSource, rule: Mix) -> list[NoiseRecording]:
    """Return the recordings of the recipe's categories. Raises UserError for an unknown category."""
    offered = list(source.recordings())
    known = {recording.category for recording in offered}
    unknown = sorted(set(rule.categories) - known)
    if unknown:
        raise UserError(
            f"mix.categories: {', '.join(unknown)}: not in {rule.noise}. It has {', '.join(sorted(known))}."
        )
    return [
        recording for recording in offered if not rule.categories or recording.category in rule.categories
    ]


def noise_terms(spec: str) -> dict[str, Any]:
    """Return a noise source's licence, and whether it may be passed on; None where it does not say."""
    source = noise_source(spec)
    return {name: getattr(source, name, None) for name in ("licence", "redistribute")}


@functools.cache
def noise_at_rate(spec: str, recording: str, sample_rate: int) -> Waveform:
    """Return a recording of a noise source at the rate of the speech, memory-mapped."""
    return recording_at_rate(noise_source(spec), recording, sample_rate)


@functools.cache
def noise_source(spec: str) -> NoiseSource:
    """Return this process's one noise source of that spec."""
    loaded: NoiseSource = plugins.load("noise", spec)
    return loaded
