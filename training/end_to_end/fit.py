"""Teaching the projection: ridge regression onto the texts' vectors, then contrast with all other texts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from squtr.draw import draw
from squtr.embedders.squtr_e2e import unit

Rows = npt.NDArray[np.float32]
Places = npt.NDArray[np.int64]

_BETAS = (0.9, 0.999)
_EPSILON = 1e-8


@dataclass(frozen=True)
class Settings:
    """How it is taught.

    `strength` is ridge's penalty on standardised features; `temperature` divides cosines in the contrast;
    `dropout` is the share of features left out of a step; `rate` falls linearly to 0 over `steps` of Adam.
    """

    strength: float = 3000.0
    temperature: float = 0.06
    dropout: float = 0.3
    rate: float = 2e-4
    steps: int = 80
    batch: int = 1024
    seed: int = 2604


@dataclass(frozen=True)
class Taught:
    """Standardised features (n, f) of clips, the place of each clip's text, and texts as unit rows (t, d)."""

    features: Rows
    places: Places
    texts: Rows


def standard(features: Rows) -> tuple[Rows, Rows]:
    """Return mean and scale of features, shape (f,); a feature that hardly moves keeps its size."""
    return features.mean(axis=0), features.std(axis=0) + np.float32(1e-3)


def ridge(taught: Taught, strength: float) -> Rows:
    """Return the matrix, (f, d), that minimises |XW - Y|^2 + strength |W|^2 (Hoerl and Kennard, 1970)."""
    x, y = taught.features.astype(np.float64), taught.texts[taught.places].astype(np.float64)
    penalty = strength * np.eye(x.shape[1])
    return np.linalg.solve(x.T @ x + penalty, x.T @ y).astype(np.float32)


def contrasted(taught: Taught, start: Rows, settings: Settings) -> Iterator[tuple[int, float, Rows]]:
    """Yield step, loss and matrix at every twentieth of the steps, taught to tell each text from all others.

    The loss is the cross-entropy of the right text under a softmax of cosines (InfoNCE; van den Oord et al.,
    arXiv 1807.03748, with all taught texts as negatives), minimised by Adam (Kingma and Ba, arXiv 1412.6980).
    """
    chance = draw(settings.seed, "fit", "contrast")
    matrix, first, second = start.copy(), np.zeros_like(start), np.zeros_like(start)
    every = max(1, settings.steps // 20)
    for step in range(1, settings.steps + 1):
        batch = chance.integers(len(taught.features), size=min(settings.batch, len(taught.features)))
        features = taught.features[batch]
        kept = chance.random(features.shape, dtype=np.float32) >= settings.dropout
        features = features * kept / np.float32(1 - settings.dropout)
        loss, slope = _contrast(features, taught.places[batch], taught.texts, matrix, settings.temperature)
        first += (1 - _BETAS[0]) * (slope - first)
        second += (1 - _BETAS[1]) * (slope * slope - second)
        rate = settings.rate * (1 - (step - 1) / settings.steps)
        fixed = np.sqrt(second / (1 - _BETAS[1] ** step)) + _EPSILON
        matrix = (matrix - rate * first / (1 - _BETAS[0] ** step) / fixed).astype(np.float32)
        if step % every == 0 or step == settings.steps:
            yield step, loss, matrix


def _contrast(
    features: Rows, places: Places, texts: Rows, matrix: Rows, temperature: float
) -> tuple[float, Rows]:
    """Return the loss and its gradient by the matrix, shape (f, d)."""
    projected = features @ matrix
    norms = np.linalg.norm(projected, axis=1, keepdims=True) + np.float32(1e-9)
    units = projected / norms
    logits = units @ texts.T / np.float32(temperature)
    logits -= logits.max(axis=1, keepdims=True)
    shares = np.exp(logits)
    shares /= shares.sum(axis=1, keepdims=True)
    rows = np.arange(len(places))
    loss = float(-np.log(shares[rows, places] + 1e-12).mean())
    shares[rows, places] -= 1
    toward = shares @ texts / np.float32(temperature * len(places))
    back = (toward - units * (units * toward).sum(axis=1, keepdims=True)) / norms
    return loss, features.T @ back


def projected(features: Rows, matrix: Rows) -> Rows:
    """Return standardised features, shape (n, f), as unit rows, shape (n, d)."""
    return unit(features @ matrix)
