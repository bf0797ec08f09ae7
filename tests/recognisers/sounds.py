"""Short sounds of different lengths and rates, for models of random weights to make something of."""

from __future__ import annotations

import numpy as np

from squtr.records import Waveform


def sweep(seconds: float, sample_rate: int = 24000, start_hz: float = 200.0) -> Waveform:
    """Return a rising tone with a little noise."""
    count = round(seconds * sample_rate)
    time = np.arange(count) / sample_rate
    noise = np.random.default_rng(count).standard_normal(count)
    tone = np.sin(2 * np.pi * (start_hz + 300 * time) * time)
    return Waveform((0.2 * tone + 0.05 * noise).astype(np.float32), sample_rate)


THREE = (sweep(2.0), sweep(1.25, 16000), sweep(3.7, start_hz=90))
