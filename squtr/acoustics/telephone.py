"""A telephone line: 300 to 3400 Hz at 8 kHz, through the 8-bit codes of ITU-T G.711.

Noise is at the talker's side, so the line gets the mixture. To the band-pass and the resampler, which are
linear, the codec adds its own rounding; both together make the signal-to-noise ratio behind the line.

Example, in a recipe: `telephone: {law: mu}`.
"""

from __future__ import annotations

import functools
import math
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from squtr.acoustics.g711 import companded
from squtr.audio import CEILING, from_pcm, limit_peak, resample, to_pcm
from squtr.levels import Wide
from squtr.records import Samples, Waveform
from squtr.section import Section

LINE_RATE = 8000
BAND_HERTZ = (300.0, 3400.0)
TAPS = 257


class Telephone(Section):
    """A line with G.711 mu-law (North America, Japan) or A-law (elsewhere)."""

    law: Literal["mu", "a"] = "mu"

    def draw(self, rng: np.random.Generator) -> TelephoneLine:
        """Return the line; nothing about it is left to chance."""
        return TelephoneLine(self.law)


@dataclass(frozen=True, slots=True)
class TelephoneLine:
    """One line."""

    law: Literal["mu", "a"]

    def apply(self, samples: Samples, sample_rate: int) -> tuple[Samples, dict[str, Any]]:
        """Send `samples`, shape (n,), through the line and back to `sample_rate`: same length, no delay.

        Realised: `line_gain`, below 1 where the line's filters would pass the ceiling.
        """
        narrow, before = limit_peak(self._narrow(samples, sample_rate))
        wide = self._back(from_pcm(companded(to_pcm(narrow), self.law)), len(samples), sample_rate)
        limited, behind = limit_peak(wide, CEILING)
        return limited, {"line_gain": before * behind}

    def band(self, samples: Samples, sample_rate: int) -> Samples:
        """Return what the line does to `samples` but for the codec: linear, shape (n,)."""
        return self._back(self._narrow(samples, sample_rate), len(samples), sample_rate)

    def _narrow(self, samples: Samples, sample_rate: int) -> Samples:
        """Return the band at 8 kHz; padded so that both rates hold a whole number of samples."""
        from scipy.signal import fftconvolve  # slow to import, and a recipe imports this file

        whole = sample_rate // math.gcd(sample_rate, LINE_RATE)
        padded = np.pad(samples.astype(np.float32), (0, -len(samples) % whole))
        narrow = resample(Waveform(padded, sample_rate), LINE_RATE).samples
        filtered: Wide = fftconvolve(narrow.astype(np.float64), band_pass(), mode="same")
        return filtered.astype(np.float32)

    def _back(self, narrow: Samples, count: int, sample_rate: int) -> Samples:
        return resample(Waveform(narrow, LINE_RATE), sample_rate).samples[:count]


@functools.cache
def band_pass() -> Wide:
    """Return the linear-phase band-pass, shape (257,): -6 dB at 300 and 3400 Hz."""
    from scipy.signal import firwin

    taps: Wide = firwin(TAPS, BAND_HERTZ, pass_zero=False, fs=LINE_RATE)
    return taps
