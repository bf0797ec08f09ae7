"""Shaped noise and slow movements, and the levels and bands that all families share."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
from scipy.fft import irfft, next_fast_len, rfftfreq
from scipy.signal import butter, sosfilt

Signal = npt.NDArray[np.float64]
Curve = Sequence[tuple[float, float]]

SAMPLE_RATE = 24_000
_FRAME = SAMPLE_RATE // 20
_ACTIVE_DB = 16.0


def samples_of(seconds: float) -> int:
    """Return a length in samples, at least one."""
    return max(1, round(seconds * SAMPLE_RATE))


def unit_rms(signal: Signal) -> Signal:
    """Return the signal with an RMS of 1; silence stays silence."""
    rms = np.sqrt(np.mean(np.square(signal)))
    return signal / rms if rms > 0 else signal


def unit_active(signal: Signal) -> Signal:
    """Return the signal with an RMS of 1 while it sounds.

    Only frames of 50 ms within 16 dB of the loudest count, so that the level of a rare event does not depend
    on how rare it is.
    """
    frames = np.square(signal[: len(signal) // _FRAME * _FRAME]).reshape(-1, _FRAME).mean(axis=1)
    if not len(frames) or frames.max() <= 0:
        return unit_rms(signal)
    loud = frames[frames >= frames.max() * 10 ** (-_ACTIVE_DB / 10)]
    return signal / float(np.sqrt(loud.mean()))


def coloured(rng: np.random.Generator, count: int, curve: Curve) -> Signal:
    """Return Gaussian noise, shape (count,), RMS 1.

    `curve` gives the power spectrum as (Hz, dB) points in rising order, joined by straight lines over the
    logarithm of frequency and level beyond the ends.
    """
    size = next_fast_len(count, real=True)
    hertz = rfftfreq(size, 1 / SAMPLE_RATE)
    at, levels = zip(*curve, strict=True)
    gains = 10 ** (np.interp(np.log(np.maximum(hertz, 1.0)), np.log(at), levels) / 20)
    spectrum = np.empty(len(hertz), np.complex128)
    spectrum.real = rng.standard_normal(len(hertz)) * gains
    spectrum.imag = rng.standard_normal(len(hertz)) * gains
    spectrum[0] = 0
    return unit_rms(np.asarray(irfft(spectrum, size))[:count])


def wander(rng: np.random.Generator, count: int, hertz: float) -> Signal:
    """Return a slow random movement, shape (count,), mean about 0, deviation about 1, bandwidth `hertz`."""
    knots = int(np.ceil(count / SAMPLE_RATE * hertz * 8)) + 18
    window = np.hanning(18)[1:-1]
    window /= np.sqrt(np.sum(window**2))
    smooth = np.convolve(rng.standard_normal(knots), window, mode="valid")
    at = np.arange(count) * (hertz * 8 / SAMPLE_RATE)
    return np.asarray(np.interp(at, np.arange(len(smooth)), smooth))


def swell(rng: np.random.Generator, count: int, hertz: float, depth_db: float) -> Signal:
    """Return a gain that rises and falls at random by about `depth_db` at up to `hertz`."""
    return decibels(depth_db * wander(rng, count, hertz))


def decibels(level_db: Signal | float) -> Signal:
    """Return amplitude gains for levels in dB."""
    return np.asarray(np.exp(np.asarray(level_db) * (np.log(10) / 20)))


def band(signal: Signal, low_hz: float | None, high_hz: float | None, order: int = 2) -> Signal:
    """Return the signal between two edges (Butterworth, 6 dB an octave and order); None: no edge."""
    if low_hz is not None:
        signal = sosfilt(butter(order, low_hz, "highpass", fs=SAMPLE_RATE, output="sos"), signal)
    if high_hz is not None:
        signal = sosfilt(butter(order, high_hz, "lowpass", fs=SAMPLE_RATE, output="sos"), signal)
    return signal


def harmonics(phase: Signal, gains: Sequence[float], offsets: Signal) -> Signal:
    """Return a sum of harmonics of `phase` (in cycles), through a table of one cycle."""
    size = 8192
    cycle = np.arange(size) / size
    orders = np.arange(1, len(gains) + 1)
    waves = np.sin(2 * np.pi * (orders[:, None] * cycle + offsets[: len(gains), None]))
    table: Signal = np.asarray(gains) @ waves
    return table[(np.mod(phase, 1.0) * size).astype(np.int64) % size]


def cycles(hertz: Signal) -> Signal:
    """Return the running phase in cycles of a frequency in Hz that changes with time."""
    return np.cumsum(hertz) / SAMPLE_RATE


def edges(signal: Signal, attack_s: float, release_s: float) -> Signal:
    """Return the signal faded in and out by raised cosines, so that neither end clicks."""
    gain = np.ones(len(signal))
    rise = min(samples_of(attack_s), len(signal))
    fall = min(samples_of(release_s), len(signal))
    gain[:rise] *= 0.5 - 0.5 * np.cos(np.pi * np.arange(rise) / rise)
    gain[len(signal) - fall :] *= 0.5 + 0.5 * np.cos(np.pi * np.arange(1, fall + 1) / fall)
    return signal * gain
