"""Loudspeakers: gongs, door chimes and announcements."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from squtr.noise_sources.generators.babble import Speech, Topic
from squtr.noise_sources.generators.events import join, place, random_times, ring
from squtr.noise_sources.generators.layer import Layer, PerMinute
from squtr.noise_sources.generators.spectra import SAMPLE_RATE, Signal, band, edges, samples_of, unit_active

_GONG_HZ = {"two": (659.3, 523.3), "three": (392.0, 523.3, 659.3), "four": (392.0, 493.9, 587.3, 784.0)}


class Announcement(Speech):
    """A gong and then a voice through a horn loudspeaker: narrow band, slightly overdriven."""

    topic: Topic = "station"
    gong: Literal["two", "three", "four"] = "three"
    per_minute: PerMinute = 4.0

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return announcements, shape (count,)."""
        sounds = [self._announce(rng) for _ in range(3)]
        starts = random_times(rng, count / SAMPLE_RATE, self.per_minute, gap_s=min(8.0, 45 / self.per_minute))
        return place(rng, count, starts, sounds, 1.0)

    def _announce(self, rng: np.random.Generator) -> Signal:
        tune = 2 ** rng.uniform(-0.08, 0.08)
        strokes = [
            (0.45 * index, _stroke(rng, note * tune)) for index, note in enumerate(_GONG_HZ[self.gong])
        ]
        gong = unit_active(join(*strokes))
        voice = band(self.talk(rng, self.person(rng), 3.0), 350, 3200, order=4)
        return join((0.0, gong), (0.45 * len(strokes) + 0.6, 1.3 * np.tanh(1.5 * unit_active(voice))))


class DoorChime(Layer):
    """Warning beeps as of closing doors: a few short tones, again and again."""

    low_tone_hz: Annotated[float, Field(ge=100, le=8000)] = 1560.0
    high_tone_hz: Annotated[float, Field(ge=100, le=8000)] = 1980.0
    per_minute: PerMinute = 5.0

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return chimes, shape (count,)."""
        tune = 2 ** rng.uniform(-0.1, 0.1)
        beeps = [_beep(self.low_tone_hz * tune), _beep(self.high_tone_hz * tune)]
        chime = join(*((0.28 * index, beeps[index % 2]) for index in range(8)))
        starts = random_times(rng, count / SAMPLE_RATE, self.per_minute, gap_s=min(4.0, 30 / self.per_minute))
        return place(rng, count, starts, [chime], 2.0)


def _stroke(rng: np.random.Generator, hertz: float) -> Signal:
    modes = hertz * np.array([1.0, 2.0, 3.01, 4.2])
    return ring(rng, modes, np.array([1.8, 1.2, 0.8, 0.5]), np.array([1.0, 0.5, 0.3, 0.15]), 0.004)


def _beep(hertz: float) -> Signal:
    time = np.arange(samples_of(0.2)) / SAMPLE_RATE
    return edges(np.sin(2 * np.pi * hertz * time) + 0.3 * np.sin(6 * np.pi * hertz * time), 0.004, 0.02)
