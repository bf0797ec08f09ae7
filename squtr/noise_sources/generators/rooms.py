"""Rooms: reverberation by exponentially decaying noise."""

from __future__ import annotations

from typing import Annotated

import numpy as np
from pydantic import Field
from scipy.signal import fftconvolve

from squtr.noise_sources.generators.spectra import (
    SAMPLE_RATE,
    Signal,
    band,
    coloured,
    edges,
    samples_of,
    unit_rms,
)
from squtr.section import Section


class Room(Section):
    """A room around a layer. `seconds` is the time to -60 dB, `wet_db` the tail's level against the source.

    Polack's model: a diffuse tail is Gaussian noise under an exponential decay (J.-D. Polack, La transmission
    de l'énergie sonore dans les salles, 1988).
    """

    seconds: Annotated[float, Field(gt=0, le=10)] = 1.0
    wet_db: Annotated[float, Field(ge=-60, le=60)] = 0.0
    high_hz: Annotated[float, Field(ge=200, le=11_000)] = 5000.0
    pre_delay_s: Annotated[float, Field(ge=0, le=1)] = 0.01

    def around(self, rng: np.random.Generator, dry: Signal) -> Signal:
        """Return source and tail together, shape as `dry`."""
        wet = unit_rms(self.tail_of(rng, dry)) * np.sqrt(np.mean(dry**2))
        return np.asarray(dry + wet * 10 ** (self.wet_db / 20))

    def tail_of(self, rng: np.random.Generator, dry: Signal) -> Signal:
        """Return the tail alone, shape as `dry`.

        The recording starts in a room that sounds already: the end of the source is played before it.
        """
        response = self._response(rng)
        lead = min(len(response), len(dry))
        warm = np.concatenate([edges(dry[len(dry) - lead :], 0.05, 0.05), dry])
        return np.asarray(fftconvolve(warm, response)[lead : lead + len(dry)])

    def _response(self, rng: np.random.Generator) -> Signal:
        count = samples_of(self.seconds)
        decay = np.exp(-6.91 * np.arange(count) / SAMPLE_RATE / self.seconds)
        noise = coloured(rng, count, ((60, -6), (150, 0), (self.high_hz, -3), (11_000, -24)))
        early = band(noise, None, min(self.high_hz * 1.6, 11_000)) * decay
        late = band(noise, None, self.high_hz * 0.5) * decay
        blend = np.linspace(0, 1, count) ** 0.5
        return np.concatenate([np.zeros(samples_of(self.pre_delay_s)), early * (1 - blend) + late * blend])
