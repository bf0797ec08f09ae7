"""Music in the background, and bells."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from squtr.noise_sources.generators.events import place, random_times, regular_times, ring
from squtr.noise_sources.generators.layer import Layer, PerMinute
from squtr.noise_sources.generators.spectra import SAMPLE_RATE, Signal

_PENTATONIC = (0, 2, 4, 7, 9, 12, 14, 16)
# Partials of a church bell against its prime, from hum tone to octave nominal.
_BELL: Signal = np.array([0.5, 1.0, 1.2, 1.5, 2.0, 2.66, 3.0, 4.0])


class Music(Layer):
    """Plucked notes over a bass, from a five-note scale: quiet music from a loudspeaker."""

    beats_per_minute: Annotated[float, Field(ge=30, le=240)] = 96.0
    key_hz: Annotated[float, Field(ge=50, le=1000)] = 220.0

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return music, shape (count,)."""
        seconds = count / SAMPLE_RATE
        key = self.key_hz * 2 ** (float(rng.integers(-4, 5)) / 12)
        beat = self.beats_per_minute / 60 * rng.uniform(0.9, 1.1)
        tones = [_pluck(rng, key * 2 ** (step / 12)) for step in _PENTATONIC]
        basses = [_pluck(rng, key / 4 * 2 ** (step / 12)) for step in (0, 5, 7, 9)]
        melody = regular_times(rng, seconds, 2 * beat, 0.01)
        kept = melody[rng.random(len(melody)) < 0.75]
        low = place(rng, count, regular_times(rng, seconds, beat / 2, 0.01), basses, 3.0)
        return place(rng, count, kept, tones, 8.0) + 1.2 * low


class Bells(Layer):
    """A church bell that is struck slowly; each recording has its own bell."""

    per_minute: PerMinute = 20.0
    prime_hz: Annotated[float, Field(ge=60, le=2000)] = 330.0

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return bells, shape (count,)."""
        prime = self.prime_hz * 2 ** rng.uniform(-0.4, 0.4)
        gains = np.array([0.5, 0.7, 0.9, 0.3, 1.0, 0.4, 0.4, 0.3]) * np.asarray(rng.uniform(0.7, 1.2, 8))
        bell = ring(rng, prime * _BELL, np.array([9, 6, 5, 3, 3, 2, 1.6, 1.0]), gains, 0.002)
        starts = random_times(rng, count / SAMPLE_RATE, self.per_minute, gap_s=0.8 * 60 / self.per_minute)
        return place(rng, count, starts, [bell], 2.0)


def _pluck(rng: np.random.Generator, hertz: float) -> Signal:
    orders: Signal = np.arange(1, 9).astype(np.float64)
    return ring(rng, hertz * orders, 1.6 / orders**0.6, 1 / orders**1.3, 0.004)
