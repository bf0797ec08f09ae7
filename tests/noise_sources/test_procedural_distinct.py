"""Categories are told apart by their spectrum and by their movement, measured against their own spread.

Features of a recording: the levels of 24 bands between 60 Hz and 11 kHz against the whole (dB), and the power
of the log envelopes of four wide bands in six ranges of modulation frequency (dB).
"""

from itertools import pairwise

import numpy as np

from squtr.noise_sources.procedural import Procedural

RATE, HOP = 24_000, 600
TAKES = 4
EDGES = np.geomspace(60, 11_000, 25)
MODULATIONS = (0.05, 0.4, 1, 2, 4, 8, 20)
FLOOR_DB = 1.0


def features(samples):
    frames = np.lib.stride_tricks.sliding_window_view(samples.astype(np.float64), 2 * HOP)[::HOP]
    power = np.abs(np.fft.rfft(frames * np.hanning(2 * HOP), 4 * HOP)) ** 2
    hertz = np.fft.rfftfreq(4 * HOP, 1 / RATE)
    bands = np.stack(
        [power[:, (hertz >= low) & (hertz < high)].sum(1) for low, high in pairwise(EDGES)],
        axis=1,
    )
    levels = 10 * np.log10(bands.mean(0) / bands.sum(1).mean() + 1e-9)
    moves = [movement(bands[:, wide].sum(1)) for wide in np.split(np.arange(24), (8, 14, 19))]
    return levels, np.concatenate(moves)


def movement(envelope):
    log = np.log(envelope + 1e-12)
    power = np.abs(np.fft.rfft((log - log.mean()) * np.hanning(len(log)))) ** 2 / len(log) ** 2
    hertz = np.fft.rfftfreq(len(log), HOP / RATE)
    ranges = pairwise(MODULATIONS)
    return [10 * np.log10(power[(hertz >= low) & (hertz < high)].sum() + 1e-6) for low, high in ranges]


def spread(table):
    """Standard deviation within categories, shape (features,), of a table (categories, takes, features)."""
    residue = table - table.mean(1, keepdims=True)
    return np.maximum(np.sqrt((residue**2).sum((0, 1)) / (table.shape[0] * (table.shape[1] - 1))), FLOOR_DB)


def distances(table):
    """Distances between centroids, shape (pairs,), and of takes from their own centroid, shape (takes,)."""
    scaled = table / spread(table)
    centres = scaled.mean(1)
    between = np.sqrt(((centres[:, None] - centres[None]) ** 2).mean(2))
    takes = table.shape[1]
    within = np.sqrt(((scaled - centres[:, None]) ** 2).mean(2) * takes / (takes - 1))
    return between[np.triu_indices(len(table), 1)], within.ravel()


def held_out_accuracy(table):
    """Share of recordings whose nearest centroid, taught without their take number, is their own."""
    right = []
    for held in range(table.shape[1]):
        taught = np.delete(table, held, axis=1)
        gaps = (taught.mean(1)[None] - table[:, held][:, None]) / spread(taught)
        right.append(np.argmin((gaps**2).mean(2), axis=1) == np.arange(len(table)))
    return np.mean(right)


def test_17_categories_sound_like_17_categories():
    source = Procedural(seconds=10.0, recordings_per_category=TAKES)
    found = [features(source.read(recording.id).samples) for recording in source.recordings()]
    levels = np.array([level for level, _ in found]).reshape(17, TAKES, -1)
    moves = np.array([move for _, move in found]).reshape(17, TAKES, -1)
    both = np.concatenate([levels, moves], axis=2)
    between, within = distances(both)
    assert between.min() > np.percentile(within, 95)
    for alone in (levels, moves):
        between, within = distances(alone)
        assert between.min() > np.median(within)
    assert held_out_accuracy(both) >= 0.9


def test_one_category_under_17_names_does_not_pass():
    source = Procedural(seconds=3.0, recordings_per_category=51)
    found = [features(source.read(f"synthetic_river_{number:02d}").samples)[0] for number in range(1, 52)]
    table = np.array(found).reshape(17, 3, -1)
    between, within = distances(table)
    assert between.min() < np.median(within)
    assert held_out_accuracy(table) < 0.5
