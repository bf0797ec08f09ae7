"""Things that are struck, dropped, shut, torn and trodden on."""

from __future__ import annotations

from typing import Annotated, Literal

import numpy as np
from pydantic import Field

from squtr.noise_sources.generators.events import burst, join, place, random_times, regular_times, ring
from squtr.noise_sources.generators.layer import Count, Layer, PerMinute
from squtr.noise_sources.generators.spectra import SAMPLE_RATE, Curve, Signal, unit_active

# What it is: lowest and highest mode (Hz), shortest and longest decay (s), modes, share of knock.
_MATERIALS: dict[str, tuple[float, float, float, float, int, float]] = {
    "cups": (1200, 6500, 0.04, 0.22, 6, 0.5),
    "cutlery": (2800, 10_500, 0.05, 0.35, 7, 0.25),
    "plates": (700, 5000, 0.06, 0.30, 8, 0.8),
    "pans": (250, 3800, 0.15, 0.90, 9, 0.5),
    "glasses": (1800, 8500, 0.30, 1.10, 4, 0.1),
    "trays": (180, 2600, 0.03, 0.15, 7, 1.5),
    "chairs": (120, 900, 0.04, 0.20, 6, 1.5),
    "keys": (900, 5500, 0.008, 0.03, 4, 1.5),
}
_KNOCK: Curve = ((80, -12), (300, 0), (2500, -3), (9000, -20))


class Clatter(Layer):
    """Objects of one kind that knock together, singly or in short runs."""

    material: Literal["cups", "cutlery", "plates", "pans", "glasses", "trays", "chairs", "keys"] = "cups"
    per_minute: PerMinute = 60.0
    run: Count = 3
    spread_db: Annotated[float, Field(ge=0, le=40)] = 14.0

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return clatter, shape (count,)."""
        sounds = [self._knock(rng) for _ in range(14)]
        first = random_times(rng, count / SAMPLE_RATE, self.per_minute)
        repeats = rng.integers(1, self.run, size=len(first), endpoint=True)
        starts = np.repeat(first, repeats) + rng.gamma(2, 0.09, repeats.sum()) * (
            np.arange(repeats.sum()) % 4 > 0
        )
        return place(rng, count, starts[starts < count / SAMPLE_RATE], sounds, self.spread_db)

    def _knock(self, rng: np.random.Generator) -> Signal:
        low, high, short, long, modes, knock = _MATERIALS[self.material]
        hertz = np.sort(np.exp(rng.uniform(np.log(low), np.log(high), modes)))
        decays = np.exp(rng.uniform(np.log(short), np.log(long), modes)) * (low / hertz) ** 0.2 * 3
        body = unit_active(ring(rng, hertz, decays, rng.uniform(0.3, 1.0, modes)))
        return join((0.0, body), (0.0, knock * burst(rng, 0.03, _KNOCK, 0.0005, 0.02)))


class Footsteps(Layer):
    """People who walk past: each a steady beat of heel and sole that comes nearer and goes."""

    walkers: Count = 2
    per_second: Annotated[float, Field(ge=0.5, le=4)] = 1.9
    hard: Annotated[float, Field(ge=0, le=2)] = 1.0
    pass_s: Annotated[float, Field(ge=2, le=120)] = 10.0

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return footsteps, shape (count,)."""
        seconds = count / SAMPLE_RATE
        time = np.arange(count) / SAMPLE_RATE
        track = np.zeros(count)
        for _ in range(self.walkers):
            starts = regular_times(rng, seconds, self.per_second * rng.uniform(0.88, 1.12), 0.025)
            steps = place(rng, count, starts, [self._step(rng) for _ in range(4)], 3.0)
            nearest = rng.uniform(0, seconds)
            away = np.abs((time - nearest + self.pass_s) % (2 * self.pass_s) - self.pass_s) / self.pass_s
            track += steps / (0.25 + 2.5 * away**2)
        return track

    def _step(self, rng: np.random.Generator) -> Signal:
        tap = 2 ** rng.uniform(-0.4, 0.4)
        heel: Curve = ((60, 0), (160, 0), (600 * tap, -14), (6000, -40))
        sole: Curve = ((300, -20), (1100 * tap, 0), (2800 * tap, -3), (9000, -30))
        return join(
            (0.0, burst(rng, 0.09, heel, 0.002, 0.07)),
            (0.004, self.hard * burst(rng, 0.05, sole, 0.001, 0.03)),
            (rng.uniform(0.09, 0.13), 0.4 * self.hard * burst(rng, 0.07, sole, 0.004, 0.05)),
        )


class Doors(Layer):
    """Doors: a low thud, the latch, and the rattle after it."""

    per_minute: PerMinute = 6.0

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return doors, shape (count,)."""
        starts = random_times(rng, count / SAMPLE_RATE, self.per_minute, gap_s=min(2.0, 20 / self.per_minute))
        return place(rng, count, starts, [self._door(rng) for _ in range(4)], 8.0)

    def _door(self, rng: np.random.Generator) -> Signal:
        boom = ring(rng, rng.uniform(55, 260, 5), rng.uniform(0.2, 0.5, 5), rng.uniform(0.4, 1, 5))
        latch: Curve = ((500, -14), (1500, 0), (4000, -4), (10_000, -24))
        return join(
            (0.05, unit_active(boom)),
            (0.0, 0.5 * burst(rng, 0.04, latch, 0.001, 0.03)),
            (rng.uniform(0.1, 0.2), 0.35 * burst(rng, 0.06, latch, 0.002, 0.05)),
        )


class Rustle(Layer):
    """Paper and clothes: crackling noise in strokes."""

    per_minute: PerMinute = 25.0

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return rustling, shape (count,)."""
        paper: Curve = ((400, -24), (1800, -6), (4500, 0), (10_000, -6))
        strokes = []
        for _ in range(6):
            noise = burst(rng, rng.uniform(0.2, 0.7), paper, 0.05, 1.5)
            strokes.append(noise * np.repeat(rng.gamma(0.5, 2.0, len(noise) // 60 + 1), 60)[: len(noise)])
        starts = random_times(rng, count / SAMPLE_RATE, self.per_minute)
        return place(rng, count, starts, strokes, 10.0)


class Clock(Layer):
    """A clock: two slightly different ticks in turn."""

    per_second: Annotated[float, Field(ge=0.2, le=10)] = 2.0

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return ticking, shape (count,)."""
        starts = regular_times(rng, count / SAMPLE_RATE, self.per_second, 0.0)
        ticks = [_tick(rng) for _ in range(2)]
        return sum((place(rng, count, starts[odd::2], [ticks[odd]], 1.0) for odd in (0, 1)), np.zeros(count))


def _tick(rng: np.random.Generator) -> Signal:
    return ring(rng, rng.uniform(1800, 6500, 5), rng.uniform(0.01, 0.05, 5), rng.uniform(0.3, 1, 5), 0.0003)
