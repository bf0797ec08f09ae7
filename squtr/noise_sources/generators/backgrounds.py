"""The bed under a scene: noise of a given spectrum, steady or slowly swelling."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated

import numpy as np
from pydantic import Field, field_validator

from squtr.noise_sources.generators.layer import Decibel, Hertz, Layer
from squtr.noise_sources.generators.spectra import Signal, coloured, swell


class Noise(Layer):
    """Gaussian noise whose power spectrum runs through `curve`, (Hz, dB) points in rising order."""

    curve: Annotated[tuple[tuple[Hertz, Decibel], ...], Field(min_length=2, max_length=64)]
    swell_hz: Annotated[float, Field(ge=0.01, le=20)] = 0.2
    swell_db: Annotated[float, Field(ge=0, le=20)] = 0.5
    tilt_db: Annotated[float, Field(ge=0, le=20)] = 1.0

    @field_validator("curve")
    @classmethod
    def _rising(cls, curve: tuple[tuple[float, float], ...]) -> tuple[tuple[float, float], ...]:
        if any(low[0] >= high[0] for low, high in pairwise(curve)):
            raise ValueError("the frequencies of a curve must rise")
        return curve

    def render(self, rng: np.random.Generator, count: int) -> Signal:
        """Return noise, shape (count,). Its points move by `tilt_db` from recording to recording."""
        moved = [(hertz, level + self.tilt_db * float(rng.standard_normal())) for hertz, level in self.curve]
        return coloured(rng, count, moved) * swell(rng, count, self.swell_hz, self.swell_db)
