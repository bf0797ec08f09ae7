"""Two noises at once: a second recording under the first, at a stated level relative to it.

Both levels are RMS over the whole utterance; the signal-to-noise ratio then counts their sum.

Example, in a recipe: `second_noise: {relative_db: -6}`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from pydantic import field_validator

from squtr.acoustics.span import Span, uniform, within
from squtr.errors import UserError
from squtr.levels import SILENCE_FLOOR_DBFS, dbfs, moments
from squtr.records import Samples
from squtr.section import Section


class SecondNoise(Section):
    """The level of the second noise relative to the first, in dB."""

    relative_db: Span = (-6.0, -6.0)

    @field_validator("relative_db")
    @classmethod
    def _both_can_be_heard(cls, span: tuple[float, float]) -> tuple[float, float]:
        return within(span, -40.0, 40.0, "a relative level, in dB,")

    def draw(self, rng: np.random.Generator) -> SecondNoiseLevel:
        """Draw the relative level."""
        return SecondNoiseLevel(uniform(rng, self.relative_db, 4))


@dataclass(frozen=True, slots=True)
class SecondNoiseLevel:
    """One relative level."""

    relative_db: float

    def apply(self, first: Samples, second: Samples) -> tuple[Samples, dict[str, Any]]:
        """Return first + gain * second, all of shape (n,), means removed from levels only.

        Realised: `second_gain`. Raises UserError when either is silent.
        """
        levels = [moments(noise).deviation for noise in (first, second)]
        if not all(dbfs(level) >= SILENCE_FLOOR_DBFS for level in levels):
            raise UserError("One of the two noises is silent here. Take another recording.")
        gain = levels[0] / levels[1] * 10 ** (self.relative_db / 20)
        both = first.astype(np.float64) + gain * second.astype(np.float64)
        return both.astype(np.float32), {"second_gain": gain}
