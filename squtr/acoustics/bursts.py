"""Noise in bursts: it comes and goes, as cars and doors do, where plain noise is there throughout.

The signal-to-noise ratio still counts the whole utterance, so the bursts themselves are louder than the ratio
says: by about 1 / duty in power. The ratio inside the bursts is recorded beside it.

Example, in a recipe: `bursts: {duty: [0.2, 0.5], burst_seconds: [0.1, 0.4]}`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from pydantic import field_validator

from squtr.acoustics.span import Span, uniform, within
from squtr.levels import SILENCE_FLOOR_DBFS, dbfs, moments
from squtr.records import Samples
from squtr.section import Section

FADE_SECONDS = 0.01


class Bursts(Section):
    """Which share of the utterance has noise, and how long one burst is, in seconds."""

    duty: Span = (0.3, 0.6)
    burst_seconds: Span = (0.1, 0.5)

    @field_validator("duty")
    @classmethod
    def _duty_leaves_gaps(cls, span: tuple[float, float]) -> tuple[float, float]:
        return within(span, 0.05, 0.95, "a duty cycle")

    @field_validator("burst_seconds")
    @classmethod
    def _burst_can_be_heard(cls, span: tuple[float, float]) -> tuple[float, float]:
        return within(span, 0.05, 60.0, "a burst, in seconds,")

    def draw(self, rng: np.random.Generator, seconds: float) -> BurstPattern:
        """Draw a duty cycle and bursts for an utterance of `seconds`.

        As many bursts as fill the duty cycle, together exactly that long; the gaps before, between and behind
        them divide the rest uniformly.
        """
        duty = uniform(rng, self.duty, 4)
        count = max(1, round(duty * seconds / (sum(self.burst_seconds) / 2)))
        lengths = rng.uniform(*self.burst_seconds, count)
        lengths *= duty * seconds / lengths.sum()
        gaps = rng.dirichlet(np.ones(count + 1)) * (1 - duty) * seconds
        starts = np.cumsum(gaps[:-1]) + np.cumsum(lengths) - lengths
        edges = np.round(np.stack([starts, starts + lengths], axis=1), 6)
        return BurstPattern(duty, tuple((float(start), float(end)) for start, end in edges))


@dataclass(frozen=True, slots=True)
class BurstPattern:
    """The bursts of one utterance, each (start, end) in seconds."""

    duty: float
    bursts: tuple[tuple[float, float], ...]

    def apply(self, noise: Samples, sample_rate: int) -> tuple[Samples, dict[str, Any]]:
        """Silence `noise`, shape (n,), outside the bursts, with fades of 10 ms about their edges.

        Realised: `realised_duty`, the share of samples inside bursts.
        """
        gain = np.zeros(len(noise))
        for start, end in self._places(len(noise), sample_rate):
            fade = min(FADE_SECONDS * sample_rate, float(end - start))
            reach = int(fade / 2) + 1
            place = slice(max(0, start - reach), end + reach)
            times = np.arange(len(noise))[place] + 0.5
            rise = np.clip((times - start) / fade + 0.5, 0, 1)
            fall = np.clip((end - times) / fade + 0.5, 0, 1)
            np.maximum(gain[place], np.sin(np.pi / 2 * np.minimum(rise, fall)) ** 2, out=gain[place])
        inside = self.inside(len(noise), sample_rate)
        return (noise * gain).astype(np.float32), {"realised_duty": round(float(inside.mean()), 6)}

    def inside(self, count: int, sample_rate: int) -> npt.NDArray[np.bool_]:
        """Return which of `count` samples lie inside a burst."""
        inside = np.zeros(count, dtype=np.bool_)
        for start, end in self._places(count, sample_rate):
            inside[start:end] = True
        return inside

    def snr_db(self, speech: Samples, noise: Samples, noise_gain: float, sample_rate: int) -> float | None:
        """Return the ratio of speech to noise over the samples inside bursts; None where speech is silent."""
        inside = self.inside(len(noise), sample_rate)
        level = dbfs(moments(speech[inside]).deviation)
        if level < SILENCE_FLOOR_DBFS:
            return None
        return round(level - dbfs(noise_gain * moments(noise[inside]).deviation), 4)

    def _places(self, count: int, sample_rate: int) -> list[tuple[int, int]]:
        """Return first and end sample of each burst, at least one sample long."""
        places = []
        for start, end in self.bursts:
            first = min(round(start * sample_rate), count - 1)
            places.append((first, min(max(first + 1, round(end * sample_rate)), count)))
        return places
