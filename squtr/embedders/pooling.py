"""A sound's states as one row of numbers: what was said, and roughly in which order."""

from __future__ import annotations

import numpy as np

from squtr.embedders.whisper_states import WIDTH, Frames

PARTS = 4
FEATURES = (3 + PARTS) * WIDTH


def pooled(frames: Frames) -> Frames:
    """Return mean, maximum, standard deviation and the means of four quarters of states, shape (3584,).

    `frames` has shape (n, 512); where n is below 4 the last quarters repeat the mean.
    """
    states = np.asarray(frames, dtype=np.float32)
    quarters = [
        part.mean(axis=0) if len(part) else states.mean(axis=0) for part in np.array_split(states, PARTS)
    ]
    return np.concatenate([states.mean(axis=0), states.max(axis=0), states.std(axis=0), *quarters])
