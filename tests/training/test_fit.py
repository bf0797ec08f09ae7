"""The projection's mathematics: the gradient, what contrast gains, and the measures."""

from __future__ import annotations

import math

import numpy as np
import pytest

from squtr.embedders.squtr_e2e import unit
from training.end_to_end.fit import Settings, Taught, _contrast, contrasted, projected, ridge, standard
from training.end_to_end.judge import Asked, Pool, chance, measured, ranks, table
from training.end_to_end.texts import Text


def made(clips: int = 60, features: int = 20, texts: int = 30, width: int = 8, noise: float = 0.5) -> Taught:
    """Make clips whose features are their text's vector, mixed up and noisy."""
    chance = np.random.Generator(np.random.PCG64(3))
    rows = unit(chance.normal(size=(texts, width)).astype(np.float32))
    places = np.arange(clips) % texts
    mixed = rows[places] @ chance.normal(size=(width, features)) + noise * chance.normal(
        size=(clips, features)
    )
    return Taught(mixed.astype(np.float32), places, rows)


def test_the_gradient_is_that_of_the_loss() -> None:
    taught = made(clips=12, features=5, texts=6, width=4)
    matrix = np.random.Generator(np.random.PCG64(1)).normal(size=(5, 4))
    features = taught.features.astype(np.float64)
    loss, slope = _contrast(features, taught.places, taught.texts, matrix, 0.5)
    for row, column in ((0, 0), (2, 3), (4, 1)):
        moved = matrix.copy()
        moved[row, column] += 1e-5
        more, _ = _contrast(features, taught.places, taught.texts, moved, 0.5)
        assert (more - loss) / 1e-5 == pytest.approx(slope[row, column], rel=1e-3, abs=1e-6)


def test_ridge_finds_the_matrix_that_made_the_features() -> None:
    taught = made(noise=0.0)
    matrix = ridge(taught, 1e-6)
    assert np.allclose(taught.features @ matrix, taught.texts[taught.places], atol=1e-3)
    assert np.abs(ridge(taught, 1e6)).max() < 1e-3


def test_contrast_tells_texts_apart_better_than_ridge_and_the_same_every_time() -> None:
    taught = made(clips=300, noise=1.5)
    settings = Settings(steps=100, rate=1e-2, dropout=0.1, batch=128)
    start = ridge(taught, 1.0)

    def right(matrix: np.ndarray) -> float:
        found = projected(taught.features, matrix) @ taught.texts.T
        return float((found.argmax(axis=1) == taught.places).mean())

    *_, (step, loss, matrix) = contrasted(taught, start, settings)
    assert step == 100 and math.isfinite(loss)
    assert right(matrix) > right(start)
    *_, (_, _, again) = contrasted(taught, start, settings)
    assert again.tobytes() == matrix.tobytes()


def test_features_are_standardised_even_where_one_never_moves() -> None:
    features = np.column_stack([np.arange(5), np.full(5, 7)]).astype(np.float32)
    mean, scale = standard(features)
    assert np.isfinite((features - mean) / scale).all()


def test_measures_of_known_ranks() -> None:
    found = measured(np.array([1, 2, 20]))
    assert found == {
        "clips": 3,
        "rank_1": round(1 / 3, 4),
        "mrr": round((1 + 1 / 2 + 1 / 20) / 3, 4),
        "ndcg_10": round((1 + 1 / math.log2(3)) / 3, 4),
    }
    assert measured(np.array([], dtype=np.int64))["mrr"] is None
    assert chance(100)["rank_1"] == 0.01
    assert chance(100)["mrr"] == pytest.approx(sum(1 / rank for rank in range(1, 101)) / 100, abs=1e-4)


def test_ranks_count_ties_against_the_right_text_and_draw_the_same_others() -> None:
    texts = tuple(Text(number, "en", f"text {number}", "new-text") for number in range(6))
    rows = np.eye(6, dtype=np.float32)
    pool, asked = Pool(texts, rows), Asked(np.array([0, 3]), (("a",), ("b",)))
    clips = np.stack([rows[0], np.ones(6, np.float32)])
    assert ranks(clips, asked, pool, 6).tolist() == [1, 6]
    assert ranks(clips, asked, pool, 3).tolist() == [1, 3]
    found = table(ranks(clips, asked, pool, 6), asked.labels)
    assert found["a"]["rank_1"] == 1.0 and found["b"]["rank_1"] == 0.0 and found["all"]["clips"] == 2
