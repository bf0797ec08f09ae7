"""Synthetic noise made on the spot: every SQuTR category as a scene of layers, with no recording needed."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import soxr

from squtr.digest import digest
from squtr.draw import draw
from squtr.errors import UserError, did_you_mean
from squtr.needs import Need, embedded
from squtr.noise_sources.generators.scenes import Scene, find_preset, read_preset
from squtr.noise_sources.generators.spectra import SAMPLE_RATE, samples_of
from squtr.records import NoiseRecording, Samples, Waveform
from squtr.voices._espeak_library import EspeakLibrary

VERSION = 1
_PEAK = 0.5
_STEPS = 2**15
_KEPT = 8


class Procedural:
    """A NoiseSource that renders scenes from a preset.

    `preset` is the name of a built-in preset or the path of a YAML file like noise_sources/embedded.yaml.
    Each category offers `recordings_per_category` recordings of `seconds`, named synthetic_cafe_02. A
    recording depends on nothing but preset, seed, seconds and its own id.
    Raises UserError for a faulty preset or option.
    """

    def __init__(
        self,
        preset: str = "embedded",
        seed: int = 1701,
        recordings_per_category: int = 4,
        seconds: float = 30.0,
    ) -> None:
        _check_whole("seed", seed, 0, 2**63 - 1)
        _check_whole("recordings_per_category", recordings_per_category, 1, 99)
        if isinstance(seconds, bool) or not isinstance(seconds, (int, float)) or not 3 <= seconds <= 600:
            raise UserError(f"procedural noise: seconds is {seconds!r}; it must be from 3 to 600.")
        self._preset = read_preset(find_preset(Path(preset) if isinstance(preset, Path) else str(preset)))
        self._seed = seed
        self._seconds = float(seconds)
        self._scenes: dict[str, tuple[NoiseRecording, Scene]] = {}
        for scene in self._preset.scenes:
            for number in range(1, recordings_per_category + 1):
                recording = NoiseRecording(f"synthetic_{scene.category}_{number:02d}", scene.category, True)
                self._scenes[recording.id] = (recording, scene)
        self._rendered: OrderedDict[str, Samples] = OrderedDict()
        self._lock = threading.Lock()

    @property
    def licence(self) -> str:
        """The licence of the sound, from the preset."""
        return self._preset.licence

    @property
    def fingerprint(self) -> str:
        """Everything that changes the samples of any recording, and which recordings there are."""
        parts = {
            "source": "procedural",
            "version": VERSION,
            "preset": self._preset.digest,
            "seed": self._seed,
            "seconds": self._seconds,
            "recordings": [recording.id for recording in self.recordings()],
            "espeak": EspeakLibrary().version,
            "soxr": str(soxr.__libsoxr_version__),
        }
        return digest(parts)

    def needs(self) -> list[Need]:
        """Return the package with the voices of its murmurs."""
        return embedded("espeakng_loader")

    def recordings(self) -> Sequence[NoiseRecording]:
        """All recordings, in the order of the preset."""
        return tuple(recording for recording, _ in self._scenes.values())

    def read(self, recording_id: str) -> Waveform:
        """Render a recording: 24 kHz, mono, peak 0.5, on the grid of 16 bits; read-only samples.

        The last few recordings are kept. Raises UserError for an unknown id.
        """
        if recording_id not in self._scenes:
            hint = did_you_mean(recording_id, self._scenes) if len(recording_id) < 200 else ""
            raise UserError(f"procedural noise has no recording {recording_id!r}.{hint}")
        with self._lock:
            if recording_id not in self._rendered:
                self._rendered[recording_id] = self._render(recording_id)
                while len(self._rendered) > _KEPT:
                    self._rendered.popitem(last=False)
            self._rendered.move_to_end(recording_id)
            return Waveform(self._rendered[recording_id], SAMPLE_RATE)

    def _render(self, recording_id: str) -> Samples:
        _, scene = self._scenes[recording_id]
        rng = draw(self._seed, f"noise/{scene.category}", recording_id)
        mix = scene.render(rng, samples_of(self._seconds))
        mix -= mix.mean()
        # The grid of 16 bits hides last-digit differences between processors.
        peak = np.max(np.abs(mix))
        if not peak > 0:
            raise UserError(
                f"procedural noise: the layers of {scene.category!r} are silent in {recording_id!r}."
            )
        steps = np.round(mix * (_PEAK * _STEPS / peak))
        samples: Samples = (steps / _STEPS).astype(np.float32)
        samples.flags.writeable = False
        return samples


def _check_whole(name: str, value: int, low: int, high: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
        raise UserError(
            f"procedural noise: {name} is {value!r}; it must be a whole number from {low} to {high}."
        )
