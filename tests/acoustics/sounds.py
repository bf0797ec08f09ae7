"""Speech-like and noise-like sounds, and what is measured on them."""

from __future__ import annotations

import numpy as np

from squtr.acoustics.render import Noise
from squtr.audio import from_pcm, to_pcm
from squtr.records import Waveform

RATE = 24_000


def speech(seconds: float = 3.0, rate: int = RATE, level_db: float = -22.0, seed: int = 0) -> np.ndarray:
    """Coloured noise that comes and goes in syllables, on the grid of 16 bits."""
    rng = np.random.default_rng(seed)
    count = round(seconds * rate)
    raw = np.convolve(rng.standard_normal(count), np.ones(6) / 6, mode="same")
    raw *= 0.02 + np.clip(np.sin(2 * np.pi * 3 * np.arange(count) / rate), 0, 1)
    raw *= 10 ** (level_db / 20) / raw.std()
    return from_pcm(to_pcm(np.clip(raw, -0.99, 0.99).astype(np.float32)))


def hiss(seconds: float = 8.0, rate: int = RATE, level: float = 0.1, seed: int = 1) -> np.ndarray:
    return (level * np.random.default_rng(seed).standard_normal(round(seconds * rate))).astype(np.float32)


def noise(name: str = "hiss", seconds: float = 8.0, rate: int = RATE, seed: int = 1) -> Noise:
    return Noise(name, Waveform(hiss(seconds, rate, seed=seed), rate))


def tone(hertz: float, seconds: float = 2.0, rate: int = RATE, amplitude: float = 0.3) -> np.ndarray:
    times = np.arange(round(seconds * rate)) / rate
    return (amplitude * np.sin(2 * np.pi * hertz * times)).astype(np.float32)


def level_db(samples: np.ndarray) -> float:
    return float(20 * np.log10(np.std(samples.astype(np.float64)) + 1e-30))


def lag(heard: np.ndarray, said: np.ndarray) -> int:
    """Return by how many samples `heard` comes after `said`, from their correlation."""
    size = 2 * len(said)
    product = np.fft.rfft(heard, size) * np.conj(np.fft.rfft(said, size))
    place = int(np.argmax(np.fft.irfft(product, size)))
    return place if place < len(said) else place - size
