"""Single sounds, and when they happen."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from squtr.noise_sources.generators.spectra import (
    SAMPLE_RATE,
    Curve,
    Signal,
    coloured,
    decibels,
    edges,
    samples_of,
)


def random_times(rng: np.random.Generator, seconds: float, per_minute: float, gap_s: float = 0.0) -> Signal:
    """Return start times in seconds: a Poisson process with a dead time, and at least one event."""
    mean = max(60 / per_minute - gap_s, 0.001)
    draws = int(2 * seconds / (mean + gap_s)) + 10
    starts = rng.uniform(0, min(mean, 0.7 * seconds)) + np.concatenate(
        [[0.0], np.cumsum(gap_s + rng.exponential(mean, draws))]
    )
    return starts[starts < seconds]


def regular_times(rng: np.random.Generator, seconds: float, per_second: float, jitter: float) -> Signal:
    """Return start times in seconds of a steady beat, each off by `jitter` periods on average."""
    period = 1 / per_second
    beats = np.arange(int(seconds * per_second) + 1) + rng.uniform(0, 1)
    starts = (beats + jitter * rng.standard_normal(len(beats))) * period
    return np.sort(starts[(starts >= 0) & (starts < seconds)])


def place(
    rng: np.random.Generator, count: int, starts: Signal, sounds: Sequence[Signal], spread_db: float
) -> Signal:
    """Return sounds from a set, one drawn for each start, levels drawn within `spread_db` below full."""
    track = np.zeros(count)
    picks = rng.integers(len(sounds), size=len(starts))
    gains = decibels(-spread_db * rng.random(len(starts)))
    for start, pick, gain in zip((starts * SAMPLE_RATE).astype(int), picks, gains, strict=True):
        stop = min(count, start + len(sounds[pick]))
        track[start:stop] += gain * sounds[pick][: stop - start]
    return track


def ring(
    rng: np.random.Generator, hertz: Signal, decays_s: Signal, gains: Signal, attack_s: float = 0.001
) -> Signal:
    """Return a struck body: damped sines, one for each mode; `decays_s` are times to -60 dB."""
    seconds = float(np.max(decays_s)) * 0.75
    time = np.arange(samples_of(seconds)) / SAMPLE_RATE
    modes = np.exp(-6.91 * time / decays_s[:, None])
    modes *= np.sin(2 * np.pi * (hertz[:, None] * time + rng.random((len(hertz), 1))))
    return edges(gains @ modes, attack_s, 0.1 * seconds)


def burst(rng: np.random.Generator, seconds: float, curve: Curve, attack_s: float, decay_s: float) -> Signal:
    """Return a burst of shaped noise that decays to -60 dB in `decay_s`."""
    count = samples_of(seconds)
    noise = coloured(rng, count, curve) * np.exp(-6.91 * np.arange(count) / SAMPLE_RATE / decay_s)
    return edges(noise, attack_s, 0.2 * seconds)


def join(*sounds: tuple[float, Signal]) -> Signal:
    """Return sounds laid over one another, each at its offset in seconds."""
    starts = [round(offset * SAMPLE_RATE) for offset, _ in sounds]
    track = np.zeros(max(start + len(sound) for start, (_, sound) in zip(starts, sounds, strict=True)))
    for start, (_, sound) in zip(starts, sounds, strict=True):
        track[start : start + len(sound)] += sound
    return track
