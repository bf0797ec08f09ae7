"""Acoustics: one utterance under a condition that is more than plain noise, written as a WAV file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import scipy
import soundfile

from squtr.acoustics.condition import Acoustics, Condition
from squtr.acoustics.render import Noise, render
from squtr.acoustics.response import rooms_library
from squtr.data_build.mix import Mixing, draw_noise, noise_at_rate
from squtr.digest import canonical_json, digest
from squtr.errors import UserError
from squtr.records import AudioRef, NoiseRecording
from squtr.store import Audio, PackWriter

_CODE_VERSION = 2


@dataclass(frozen=True, slots=True)
class AcousticItem:
    """What decides such a recording besides the noise source; `acoustics` as plain values."""

    speech: AudioRef
    recording: str
    second: str | None
    crop_seed: int
    snr_db: float
    acoustics: dict[str, Any]
    path: str


@dataclass(frozen=True)
class AcousticMixing(Mixing):
    """Stage: write one such condition of one utterance. Record: everything that was drawn and realised."""

    name: str = "acoustics"

    @property
    def fingerprint(self) -> str:
        libraries = (scipy.__version__, soundfile.__libsndfile_version__, _rooms_version())
        return digest(super().fingerprint, *libraries, _CODE_VERSION)

    def run(self, item: Any, audio: Audio, pack: PackWriter) -> dict[str, Any]:
        speech = audio.waveform(item.speech)
        rendered = render(
            speech.samples,
            speech.sample_rate,
            item.snr_db,
            self._noise(item.recording, speech.sample_rate),
            item.crop_seed,
            Acoustics.model_validate_json(canonical_json(item.acoustics)),
            self._noise(item.second, speech.sample_rate) if item.second else None,
        )
        realised = rendered.facts | {"acoustics": canonical_json(rendered.acoustics)}
        return self._written(item, rendered.pcm, realised)

    def _noise(self, recording: str, sample_rate: int) -> Noise:
        return Noise(recording, noise_at_rate(self.noise, recording, sample_rate))


def draw_second(recordings: Sequence[NoiseRecording], first: NoiseRecording, seed: int, key: str) -> str:
    """Draw a second noise as the first one was drawn, among the other recordings."""
    others = [one for one in recordings if one.id != first.id]
    second, _ = draw_noise(others, seed, f"{key}/second")
    return second.id


def check_conditions(conditions: Sequence[Condition], recordings: Sequence[NoiseRecording]) -> None:
    """Raise UserError for what the conditions need and this machine or the noise source lacks."""
    if any(condition.room for condition in conditions):
        rooms_library()
    second = any(condition.second_noise for condition in conditions)
    if second and len({recording.id for recording in recordings}) < 2:
        raise UserError("mix.conditions: second_noise needs two recordings of noise; the source has one.")


def _rooms_version() -> str | None:
    try:
        return str(rooms_library().__version__)
    except UserError:
        return None
