"""Wind, birds and insects."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from squtr.noise_sources.generators.events import join, place, random_times
from squtr.noise_sources.generators.layer import Count, Layer, PerMinute
from squtr.noise_sources.generators.spectra import (
    SAMPLE_RATE,
    Signal,
    band,
    coloured,
    cycles,
    decibels,
    edges,
    samples_of,
    wander,
)


class Wind(Layer):
    """Gusts: a low roar, and leaves that answer it. `leaves_db` is their level against the roar."""

    gust_hz: Annotated[float, Field(ge=0.01, le=5)] = 0.25
    gust_db: Annotated[float, Field(ge=0, le=20)] = 5.0
    leaves_db: Annotated[float, Field(ge=-80, le=40)] = -12.0

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return wind, shape (count,)."""
        gust = wander(rng, count, self.gust_hz)
        roar = coloured(rng, count, ((25, 0), (70, -3), (200, -14), (600, -30), (4000, -60)))
        flaps = decibels(2.5 * wander(rng, count, 6.0))
        leaves = coloured(rng, count, ((600, -26), (2500, -4), (5000, 0), (11_000, -8)))
        flutter = decibels(1.4 * self.gust_db * gust + 2 * wander(rng, count, 9.0))
        return roar * decibels(self.gust_db * gust) * flaps + 10 ** (self.leaves_db / 20) * leaves * flutter


class Birds(Layer):
    """Songbirds: each recording draws a few birds, each with a phrase of its own that it repeats."""

    birds: Count = 5
    per_minute: PerMinute = 50.0
    low_tone_hz: Annotated[float, Field(ge=500, le=9000)] = 2300.0
    high_tone_hz: Annotated[float, Field(ge=500, le=11_000)] = 7200.0

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return birdsong, shape (count,)."""
        songs = [self._song(rng) * 10 ** (-rng.uniform(0, 12) / 20) for _ in range(self.birds)]
        return place(rng, count, random_times(rng, count / SAMPLE_RATE, self.per_minute), songs, 8.0)

    def _song(self, rng: np.random.Generator) -> Signal:
        low, high = np.log(self.low_tone_hz), np.log(self.high_tone_hz)
        kinds = [(np.exp(rng.uniform(low, high, 3)), rng.uniform(0.04, 0.18)) for _ in range(3)]
        notes, at = [], 0.0
        for kind in np.repeat(rng.integers(3, size=4), rng.integers(1, 5, size=4)):
            bends, seconds = kinds[kind]
            notes.append((at, _chirp(bends, seconds)))
            at += seconds + rng.uniform(0.02, 0.09)
        return join(*notes)


class Pigeons(Layer):
    """Cooing, and wings that clap as a bird takes off."""

    per_minute: PerMinute = 20.0

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return pigeons, shape (count,)."""
        sounds = [self._coo(rng) for _ in range(4)] + [self._wings(rng) for _ in range(2)]
        return place(rng, count, random_times(rng, count / SAMPLE_RATE, self.per_minute), sounds, 8.0)

    def _coo(self, rng: np.random.Generator) -> Signal:
        pitch = rng.uniform(330, 470)
        notes = ((0.0, 0.35, 1.0), (0.42, 0.7, 1.12), (1.2, 0.4, 0.95))
        return join(*((at, self._note(pitch * bend, length)) for at, length, bend in notes))

    def _note(self, pitch: float, seconds: float) -> Signal:
        time = np.arange(samples_of(seconds)) / SAMPLE_RATE
        throat = 0.7 + 0.3 * np.sin(2 * np.pi * 26 * time)
        tone = np.sin(2 * np.pi * pitch * time) + 0.2 * np.sin(4 * np.pi * pitch * time)
        return edges(tone * throat, 0.05, 0.12)

    def _wings(self, rng: np.random.Generator) -> Signal:
        count = samples_of(rng.uniform(0.8, 1.6))
        beat = np.exp(-7 * np.mod(cycles(np.full(count, rng.uniform(7, 10))), 1.0))
        noise = coloured(rng, count, ((200, -12), (900, 0), (3000, -4), (10_000, -22)))
        return edges(noise * beat, 0.01, 0.6) * 1.5


class Insects(Layer):
    """Crickets (pulsed tones) and grasshoppers (chirring noise)."""

    crickets: Count = 4
    grasshoppers: Count = 2
    low_tone_hz: Annotated[float, Field(ge=1000, le=11_000)] = 3900.0
    high_tone_hz: Annotated[float, Field(ge=1000, le=11_000)] = 5200.0

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return insects, shape (count,)."""
        track = np.zeros(count)
        for _ in range(self.crickets):
            hertz = rng.uniform(self.low_tone_hz, self.high_tone_hz)
            chirp = np.mod(cycles(rng.uniform(1.8, 3.6) * (1 + 0.04 * wander(rng, count, 0.5))), 1.0) / 0.4
            pulse = np.clip(np.sin(2 * np.pi * chirp * rng.integers(4, 7)), 0, 1) * (chirp < 1)
            carrier = np.sin(2 * np.pi * hertz / SAMPLE_RATE * np.arange(count))
            track += carrier * pulse * 10 ** (-rng.uniform(0, 12) / 20)
        for _ in range(self.grasshoppers):
            noise = band(rng.standard_normal(count), rng.uniform(5500, 7500), 10_500)
            wing = np.abs(np.sin(np.pi * cycles(np.full(count, rng.uniform(35, 60)))))
            bout = np.clip(wander(rng, count, 0.3) + 0.4, 0, 1)
            track += 0.5 * noise * wing * bout * 10 ** (-rng.uniform(0, 8) / 20)
        return track


def _chirp(bends_hz: Signal, seconds: float) -> Signal:
    count = samples_of(seconds)
    hertz = np.interp(np.linspace(0, 1, count), np.linspace(0, 1, len(bends_hz)), bends_hz)
    phase = 2 * np.pi * cycles(hertz)
    return edges(np.sin(phase) + 0.12 * np.sin(2 * phase), 0.3 * seconds, 0.4 * seconds)
