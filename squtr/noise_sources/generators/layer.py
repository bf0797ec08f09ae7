"""What every layer of a scene has: a level, a room, a band; and a generator that renders it."""

from __future__ import annotations

from typing import Annotated, Any

import numpy as np
from pydantic import Field, model_validator

from squtr.noise_sources.generators.rooms import Room
from squtr.noise_sources.generators.spectra import Signal, band, decibels, unit_active
from squtr.section import Section

Hertz = Annotated[float, Field(ge=10, le=11_500)]
PerMinute = Annotated[float, Field(gt=0, le=6000)]
Seconds = Annotated[float, Field(gt=0, le=600)]
Share = Annotated[float, Field(ge=0, le=1)]
Count = Annotated[int, Field(ge=1, le=64)]
Decibel = Annotated[float, Field(ge=-80, le=80)]

_RISING = (
    ("low_hz", "high_hz"),
    ("low_tone_hz", "high_tone_hz"),
    ("idle_hz", "pull_hz"),
    ("lowest_pitch", "highest_pitch"),
    ("slowest", "fastest"),
)


class Layer(Section):
    """One layer. `level_db` is its level while it sounds, against the other layers' of the same scene.

    `vary_db` is the standard deviation of that level over the recordings of a category.
    """

    level_db: Decibel = 0.0
    vary_db: Annotated[float, Field(ge=0, le=20)] = 1.0
    low_hz: Hertz | None = None
    high_hz: Hertz | None = None
    room: Room | None = None

    @model_validator(mode="after")
    def _limits_rise(self) -> Layer:
        for low, high in _RISING:
            ends: list[Any] = [getattr(self, low, None), getattr(self, high, None)]
            if None not in ends and ends[0] > ends[1]:
                raise ValueError(f"{low} is above {high}: {ends[0]:g} and {ends[1]:g}")
        return self

    def sound(self, rng: np.random.Generator, count: int) -> Signal:
        """Return the layer at its level, shape (count,)."""
        level_db = self.level_db + self.vary_db * float(np.clip(rng.standard_normal(), -2, 2))
        signal = band(self.render(rng, count), self.low_hz, self.high_hz)
        if self.room is not None:
            signal = self.room.around(rng, signal)
        return unit_active(signal) * decibels(level_db)

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return the bare sound at any level, shape (count,)."""
        raise NotImplementedError
