"""Engines, fans, vehicles and trains."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field

from squtr.noise_sources.generators.events import join, place, random_times
from squtr.noise_sources.generators.layer import Count, Layer, PerMinute, Share
from squtr.noise_sources.generators.spectra import (
    SAMPLE_RATE,
    Curve,
    Signal,
    band,
    coloured,
    cycles,
    edges,
    harmonics,
    samples_of,
    swell,
    unit_rms,
    wander,
)

_SOUND_SPEED = 343.0
Tone = Annotated[float, Field(ge=8, le=8000)]


class Motor(Layer):
    """A steady machine: a harmonic tone and the air it moves.

    `harmonic_db` is the fall from one harmonic to the next, `air_db` the air's level against the tone.
    """

    hertz: Tone = 50.0
    orders: Annotated[int, Field(ge=1, le=60)] = 8
    harmonic_db: Annotated[float, Field(ge=0, le=40)] = 4.0
    air_db: Annotated[float, Field(ge=-80, le=40)] = -6.0
    air_hz: Annotated[float, Field(ge=50, le=9000)] = 600.0
    drift: Annotated[float, Field(ge=0, le=0.2)] = 0.002

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return the machine, shape (count,)."""
        hertz = self.hertz * 2 ** rng.uniform(-0.06, 0.06) * (1 + self.drift * wander(rng, count, 0.5))
        gains = 10 ** (-(self.harmonic_db * np.arange(self.orders) + rng.uniform(0, 8, self.orders)) / 20)
        tone = unit_rms(harmonics(cycles(hertz), list(gains), rng.random(self.orders)))
        air: Curve = ((40, -14), (self.air_hz, 0), (self.air_hz * 2.5, -6), (11_000, -34))
        return tone + 10 ** (self.air_db / 20) * coloured(rng, count, air)


class Diesel(Layer):
    """A diesel engine between idle and pull: half-order harmonics, knock at the firing rate, slow revving."""

    idle_hz: Tone = 24.0
    pull_hz: Tone = 45.0
    revving_hz: Annotated[float, Field(ge=0.005, le=2)] = 0.06
    knock_db: Annotated[float, Field(ge=-60, le=20)] = -10.0

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return the engine, shape (count,)."""
        pull = np.clip(0.35 + 0.6 * wander(rng, count, self.revving_hz), 0, 1)
        firing = self.idle_hz * (self.pull_hz / self.idle_hz) ** pull * (1 + 0.006 * wander(rng, count, 6))
        phase = cycles(firing / 2 * 2 ** rng.uniform(-0.08, 0.08))
        orders = np.arange(1, 41)
        gains = 1 / orders**0.8 * np.where(orders % 2 == 0, 1.0, 0.3) * rng.uniform(0.5, 1, 40)
        tone = unit_rms(harmonics(phase, list(gains), rng.random(40)) * (0.6 + 0.6 * pull))
        stroke = np.exp(-5 * np.mod(2 * phase, 1.0))
        knock = unit_rms(coloured(rng, count, ((300, -18), (1200, 0), (2600, -4), (9000, -30))) * stroke)
        return tone + 10 ** (self.knock_db / 20) * knock


class Vehicles(Layer):
    """Vehicles that pass on a road: tyre noise by distance, and an engine tone with its Doppler shift."""

    per_minute: PerMinute = 14.0
    nearest_m: Annotated[float, Field(ge=1, le=200)] = 8.0
    speed_ms: Annotated[float, Field(ge=1, le=60)] = 13.0

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return passing vehicles, shape (count,)."""
        reach = samples_of(14.0)
        track = np.zeros(count + 2 * reach)
        bright = coloured(rng, 4 * reach, ((60, -6), (300, -4), (1000, 0), (2200, -6), (9000, -30)))
        dull = coloured(rng, 4 * reach, ((40, 0), (120, 0), (500, -10), (3000, -36)))
        for nearest in random_times(rng, count / SAMPLE_RATE, self.per_minute, gap_s=20 / self.per_minute):
            start = int(nearest * SAMPLE_RATE)
            cut = slice(begin := int(rng.integers(2 * reach)), begin + 2 * reach)
            track[start : start + 2 * reach] += self._pass(rng, bright[cut], dull[cut])
        return track[reach : reach + count]

    def _pass(self, rng: np.random.Generator, bright: Signal, dull: Signal) -> Signal:
        speed = self.speed_ms * rng.uniform(0.7, 1.4)
        closest = self.nearest_m * rng.uniform(0.8, 2.5)
        time = (np.arange(len(bright)) - len(bright) // 2) / SAMPLE_RATE
        distance = np.hypot(closest, speed * time)
        engine_hz = rng.uniform(55, 110) / (1 + speed * speed * time / distance / _SOUND_SPEED)
        engine = harmonics(cycles(engine_hz), list(1 / np.arange(1, 13)), rng.random(12))
        near = self.nearest_m / distance
        weight = rng.uniform(0.5, 2.0)
        return edges(bright * near**1.3 + weight * (0.5 * dull + 0.35 * engine) * near, 1.0, 1.0)


class Horns(Layer):
    """Car horns: two reedy notes, short or long, near or far."""

    per_minute: PerMinute = 5.0

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return horns, shape (count,)."""
        horns = [self._horn(rng) for _ in range(4)]
        return place(rng, count, random_times(rng, count / SAMPLE_RATE, self.per_minute), horns, 10.0)

    def _horn(self, rng: np.random.Generator) -> Signal:
        low = rng.uniform(330, 480)
        time = np.arange(samples_of(rng.choice([0.18, 0.3, 0.8]))) / SAMPLE_RATE
        gains = [1.0, 0.9, 0.8, 0.9, 0.6, 0.5, 0.35, 0.25, 0.2, 0.15]
        notes = [
            harmonics(low * ratio * time, gains, rng.random(10)) for ratio in (1.0, rng.uniform(1.18, 1.28))
        ]
        return edges(notes[0] + notes[1], 0.015, 0.04)


class Trains(Layer):
    """A train at a platform: rolls in, brakes with a squeal, stands, leaves with a rising inverter tone."""

    every_s: Annotated[float, Field(ge=10, le=600)] = 26.0
    squeal_db: Annotated[float, Field(ge=-60, le=20)] = -12.0
    inverter_db: Annotated[float, Field(ge=-60, le=20)] = -14.0

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return the trains' coming and going, shape (count,). `at` runs from 0 to 1 within each train."""
        time = np.arange(count) / SAMPLE_RATE
        at = np.mod(time / self.every_s + rng.uniform(0, 1), 1.0)
        speed = np.interp(at, [0, 0.22, 0.32, 0.5, 0.7, 1.0], [0.15, 1.0, 0.02, 0.02, 1.0, 0.15])
        rolling = coloured(rng, count, ((35, -3), (80, 0), (250, -5), (900, -14), (2500, -20), (10_000, -44)))
        rattle = 1 + 0.5 * np.sin(2 * np.pi * cycles(2.5 * speed + 0.2)) ** 8
        brake = np.exp(-(((at - 0.28) / 0.035) ** 2))
        tones = rng.uniform(2300, 5600, 3)
        squeal = sum(np.sin(2 * np.pi * cycles(tone * (1 + 0.004 * wander(rng, count, 8)))) for tone in tones)
        leaving = np.where((at > 0.5) & (at < 0.75), np.sin(np.pi * np.clip((at - 0.5) / 0.25, 0, 1)), 0.0)
        whine = harmonics(cycles(180 + 1100 * speed), [1, 0.3, 0.5, 0.2, 0.3], rng.random(5))
        track: Signal = rolling * speed * rattle
        track += 10 ** (self.squeal_db / 20) * squeal * brake
        track += 10 ** (self.inverter_db / 20) * whine * leaving
        return track


class Rolling(Layer):
    """Trolley cases on tiles: a hollow roll, beaten by the joints, that comes and goes."""

    cases: Count = 3
    joints_per_second: Annotated[float, Field(ge=1, le=40)] = 11.0

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return rolling cases, shape (count,)."""
        track = np.zeros(count)
        for _ in range(self.cases):
            rate = self.joints_per_second * rng.uniform(0.75, 1.3) * (1 + 0.03 * wander(rng, count, 1))
            joints = np.exp(-6 * np.mod(cycles(rate), 1.0))
            hollow = rng.uniform(350, 700)
            noise = coloured(rng, count, ((100, -20), (hollow, 0), (hollow * 3, -5), (9000, -30)))
            track += noise * (0.25 + joints) * 10 ** (7 * (wander(rng, count, 0.08) - 0.7) / 20)
        return track


class AirBrakes(Layer):
    """Air let off by doors and brakes: hisses that fade, some with a knock before them."""

    per_minute: PerMinute = 5.0
    share_knock: Share = 0.6

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return hisses, shape (count,)."""
        sounds = [self._hiss(rng) for _ in range(4)]
        starts = random_times(rng, count / SAMPLE_RATE, self.per_minute, gap_s=min(2.0, 20 / self.per_minute))
        return place(rng, count, starts, sounds, 8.0)

    def _hiss(self, rng: np.random.Generator) -> Signal:
        length = samples_of(rng.uniform(0.4, 1.4))
        hiss = coloured(rng, length, ((500, -30), (2500, -6), (6000, 0), (11_000, -4)))
        hiss = edges(hiss, 0.01, 0.8 * length / SAMPLE_RATE)
        thump = band(rng.standard_normal(samples_of(0.12)), 60, 400) * np.exp(
            -np.arange(samples_of(0.12)) / 500
        )
        knock = float(rng.random() < self.share_knock)
        return join((0.0, knock * edges(thump, 0.002, 0.05) * 3), (0.06, hiss))


class Drum(Layer):
    """A washing machine: motor, water lifted and dropped once a turn, and the thump of the load."""

    turns_per_second: Annotated[float, Field(ge=0.2, le=20)] = 0.85
    motor_hz: Tone = 98.0
    water_db: Annotated[float, Field(ge=-60, le=20)] = 0.0
    thump_db: Annotated[float, Field(ge=-60, le=20)] = 0.0

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return the machine, shape (count,)."""
        turn = cycles(
            self.turns_per_second * 2 ** rng.uniform(-0.25, 0.25) * (1 + 0.01 * wander(rng, count, 0.3))
        )
        lift = np.exp(4 * (np.cos(2 * np.pi * turn) - 1))
        water = unit_rms(
            coloured(rng, count, ((150, -16), (600, -3), (1500, 0), (3000, -6), (9000, -28))) * (0.12 + lift)
        )
        load = np.exp(-9 * np.mod(turn + 0.4, 1.0)) * swell(rng, count, 1.0, 3.0)
        thump = unit_rms(coloured(rng, count, ((40, -4), (75, 0), (160, -10), (600, -36))) * load)
        motor_hz = self.motor_hz * 2 ** rng.uniform(-0.1, 0.1) * (1 + 0.02 * np.sin(2 * np.pi * turn))
        motor = unit_rms(harmonics(cycles(motor_hz), [1, 0.5, 0.6, 0.2, 0.3, 0.1, 0.15, 0.2], rng.random(8)))
        return 0.7 * motor + 10 ** (self.water_db / 20) * water + 10 ** (self.thump_db / 20) * thump
