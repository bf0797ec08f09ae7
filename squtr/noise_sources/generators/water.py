"""Water, steam and hot fat."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from squtr.noise_sources.generators.events import place, random_times
from squtr.noise_sources.generators.layer import Layer, PerMinute
from squtr.noise_sources.generators.spectra import (
    SAMPLE_RATE,
    Signal,
    band,
    coloured,
    cycles,
    edges,
    samples_of,
    swell,
    unit_rms,
)


class Stream(Layer):
    """Running water: a steady rush and single bubbles that ring as they close (M. Minnaert, 1933)."""

    rush_hz: Annotated[float, Field(ge=100, le=8000)] = 900.0
    bubbles_per_second: Annotated[float, Field(gt=0, le=400)] = 120.0
    bubbles_db: Annotated[float, Field(ge=-60, le=40)] = 0.0

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return water, shape (count,)."""
        centre = self.rush_hz * 2 ** rng.uniform(-0.3, 0.3)
        curve = ((80, -22), (centre / 3, -5), (centre, 0), (centre * 3, -5), (11_000, -18))
        rush = coloured(rng, count, curve) * swell(rng, count, 1.5, 1.0)
        starts = random_times(rng, count / SAMPLE_RATE, 60 * self.bubbles_per_second)
        bubbles = unit_rms(place(rng, count, starts, [_bubble(rng) for _ in range(48)], 24.0))
        return rush + 10 ** (self.bubbles_db / 20) * bubbles * swell(rng, count, 2.5, 2.5)


class Sizzle(Layer):
    """Frying: a bright hiss and crackles of very different strength."""

    crackles_per_second: Annotated[float, Field(gt=0, le=2000)] = 140.0
    hiss_db: Annotated[float, Field(ge=-60, le=40)] = 0.0

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return frying, shape (count,)."""
        sparks = np.zeros(count)
        places = rng.integers(count, size=max(1, int(count / SAMPLE_RATE * self.crackles_per_second)))
        np.add.at(sparks, places, rng.standard_normal(len(places)) * rng.gamma(0.7, 1.0, len(places)))
        crackle = unit_rms(band(sparks, 2500, 9500))
        hiss = coloured(rng, count, ((500, -36), (2500, -12), (6000, 0), (11_000, -2)))
        return (crackle + 10 ** (self.hiss_db / 20) * hiss) * swell(rng, count, 0.4, 3.0)


class Steam(Layer):
    """An espresso machine: the pump's buzz, or steam that roars in a jug of milk."""

    per_minute: PerMinute = 4.0

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return pump and steam by turns, shape (count,)."""
        sounds = [self._pump(rng), self._steam(rng), self._steam(rng)]
        starts = random_times(rng, count / SAMPLE_RATE, self.per_minute, gap_s=min(5.0, 40 / self.per_minute))
        return place(rng, count, starts, sounds, 3.0)

    def _pump(self, rng: np.random.Generator) -> Signal:
        count = samples_of(rng.uniform(3, 6))
        beat = np.exp(-4 * np.mod(cycles(np.full(count, 50.0)), 1.0))
        buzz = coloured(rng, count, ((80, -4), (300, 0), (1100, -3), (2600, -12), (9000, -36)))
        return edges(unit_rms(buzz * beat), 0.1, 0.3)

    def _steam(self, rng: np.random.Generator) -> Signal:
        count = samples_of(rng.uniform(2, 5))
        pitch = rng.uniform(1800, 3200)
        roar = coloured(rng, count, ((400, -24), (pitch, 0), (pitch * 1.6, -6), (7000, -4), (11_000, -10)))
        return edges(roar * swell(rng, count, 4.0, 2.5), 0.15, 0.4)


def _bubble(rng: np.random.Generator) -> Signal:
    hertz = float(np.exp(rng.uniform(np.log(380), np.log(3200))))
    time = np.arange(samples_of(14 / hertz + 0.004)) / SAMPLE_RATE
    rise = 1 + 0.25 * time / time[-1]
    return edges(np.sin(2 * np.pi * hertz * time * rise) * np.exp(-0.3 * hertz * time), 0.0008, 0.003)
