"""Intervals and robustness of the board are those of an evaluation with seed 0."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pytest

from squtr.eval.paired import PairedScores
from squtr.eval.resampling import resampled_means
from squtr.eval.robustness import robustness
from squtr.eval.statistics import bootstrap_mean, relative_loss
from squtr.leaderboard.curves import Curves, robustness_of, scores_of, summarise

M = "nDCG@10 (linear gain)"
KEY = "en/trial"
LEVELS = {"text": 0.7, "clean": 0.6, "snr_20": 0.6, "snr_10": 0.4, "snr_0": 0.2}
NOTHING = {"mean": None, "low": None, "high": None}


def scores(seed: int = 0, queries: int = 30, **levels: float) -> dict[str, list[float]]:
    rng = np.random.default_rng(seed)
    wanted = levels or LEVELS
    return {name: np.clip(rng.normal(level, 0.3, queries), 0, 1).tolist() for name, level in wanted.items()}


def curves(values: Mapping[str, Sequence[float]], key: str = KEY) -> Curves:
    return Curves(
        key,
        {
            condition: {f"q{place:02}": {M: value} for place, value in enumerate(column)}
            for condition, column in values.items()
        },
    )


def plain(interval: Any) -> dict[str, Any]:
    return {"mean": interval.mean, "low": interval.low, "high": interval.high}


def test_means_and_intervals_are_those_of_the_bootstrap_with_seed_0() -> None:
    values = scores()
    found = summarise(scores_of([curves(values)], [M]))
    assert list(found) == list(LEVELS)
    for condition, column in values.items():
        assert found[condition][M] == pytest.approx(plain(bootstrap_mean(column, KEY, seed=0)), abs=1e-12)
        assert found[condition][M]["low"] < found[condition][M]["mean"] < found[condition][M]["high"]
    assert found["clean"][M] != pytest.approx(plain(bootstrap_mean(values["clean"], KEY, seed=1)), abs=1e-6)


def test_losses_slope_and_area_are_those_of_an_evaluation() -> None:
    values = scores()
    found = summarise(robustness_of([curves(values)], M))
    for reference in ("text", "clean"):
        losses = found[f"loss_against_{reference}"]
        assert set(losses) == set(LEVELS) - {"text", reference}
        for condition, interval in losses.items():
            wanted = relative_loss(values[reference], values[condition], KEY, seed=0)
            assert interval == pytest.approx(plain(wanted), abs=1e-12)
    paired = PairedScores({("s", name): column for name, column in values.items()}, KEY)
    wanted = robustness(paired, {"snr_20": 20.0, "snr_10": 10.0, "snr_0": 0.0})["systems"]["s"]
    for what in ("slope_per_db", "area"):
        told = {name: wanted[what][name] for name in ("mean", "low", "high")}
        assert found[what] == pytest.approx(told, abs=1e-12)


def test_a_language_is_the_mean_of_its_subsets_however_many_queries_each_has() -> None:
    small, large = scores(1, 8), scores(2, 80)
    members = [curves(small, "en/a"), curves(large, "en/b")]
    found = summarise({"scores": scores_of(members, [M]), **robustness_of(members, M)})
    means = [np.mean(small["snr_0"]), np.mean(large["snr_0"])]
    assert found["scores"]["snr_0"][M]["mean"] == pytest.approx(np.mean(means))
    resampled = [
        resampled_means(np.array(column)[:, None], key)[:, 0]
        for key, column in (("en/a", small["snr_0"]), ("en/b", large["snr_0"]))
    ]
    low, high = np.quantile(np.mean(resampled, axis=0), [0.025, 0.975])
    assert found["scores"]["snr_0"][M]["low"] == pytest.approx(low)
    assert found["scores"]["snr_0"][M]["high"] == pytest.approx(high)
    alone = [summarise(robustness_of([one], M)) for one in members]
    for name, condition in (("loss_against_clean", "snr_0"), ("loss_against_text", "clean")):
        wanted = np.mean([one[name][condition]["mean"] for one in alone])
        assert found[name][condition]["mean"] == pytest.approx(wanted)
    assert found["area"]["mean"] == pytest.approx(np.mean([one["area"]["mean"] for one in alone]))


def test_a_hand_computed_curve() -> None:
    """Scores .8 clean, .6 at 20 dB, .4 at 10 dB, .2 at 0 dB: slope .02, area (.5 + .3) / 2 / .8, loss 3/4."""
    flat = {"clean": [0.8] * 4, "snr_20": [0.6] * 4, "snr_10": [0.4] * 4, "snr_0": [0.2] * 4}
    found = summarise(robustness_of([curves(flat)], M))
    assert found["slope_per_db"] == pytest.approx({"mean": 0.02, "low": 0.02, "high": 0.02})
    assert found["area"] == pytest.approx({"mean": 0.5, "low": 0.5, "high": 0.5})
    assert found["loss_against_clean"]["snr_0"] == pytest.approx({"mean": 0.75, "low": 0.75, "high": 0.75})


def test_without_a_reference_a_loss_is_undefined() -> None:
    found = summarise(robustness_of([curves(scores(clean=0.5, snr_10=0.4, snr_0=0.2))], M))
    assert found["loss_against_text"] == dict.fromkeys(("clean", "snr_10", "snr_0"), NOTHING)
    assert found["loss_against_clean"]["snr_0"]["mean"] is not None
    noisy = summarise(robustness_of([curves(scores(text=0.5, snr_10=0.4, snr_0=0.2))], M))
    assert noisy["area"] == NOTHING
    assert noisy["loss_against_clean"] == dict.fromkeys(("snr_10", "snr_0"), NOTHING)


def test_a_reference_of_0_gives_no_loss_and_no_area() -> None:
    values = {**scores(), "clean": [0.0] * 30}
    found = summarise(robustness_of([curves(values)], M))
    assert found["loss_against_clean"]["snr_0"] == NOTHING and found["area"] == NOTHING
    assert found["loss_against_text"]["clean"]["mean"] == 1.0
    assert found["slope_per_db"]["mean"] is not None


def test_one_subset_without_a_value_leaves_the_language_without() -> None:
    dumb = {**scores(), "clean": [0.0] * 30}
    found = summarise(robustness_of([curves(scores()), curves(dumb, "en/other")], M))
    assert found["area"] == NOTHING and found["loss_against_clean"]["snr_0"] == NOTHING


def test_resamples_in_which_the_reference_is_0_are_left_out() -> None:
    values = {"text": [0.0, 0.0, 1.0], "clean": [0.0, 0.0, 0.5]}
    found = summarise(robustness_of([curves(values)], M))["loss_against_text"]["clean"]
    assert found == pytest.approx(plain(relative_loss(values["text"], values["clean"], KEY)))
    assert found == {"mean": 0.5, "low": 0.5, "high": 0.5}


def test_one_snr_has_no_slope_and_no_area() -> None:
    found = summarise(robustness_of([curves(scores(clean=0.5, snr_10=0.4))], M))
    assert found["slope_per_db"] == NOTHING and found["area"] == NOTHING


def test_conditions_that_are_no_snr_are_no_points_of_the_curve() -> None:
    values = scores(clean=0.5, snr_10=0.4, snr_0=0.2)
    more = {**values, "reverb": [1.0] * 30, "typing@0.1/snr_5": [1.0] * 30}
    plainly, beside = (summarise(robustness_of([curves(one)], M)) for one in (values, more))
    assert plainly["slope_per_db"] == beside["slope_per_db"] and plainly["area"] == beside["area"]
    assert set(beside["loss_against_clean"]) == {"snr_10", "snr_0", "reverb", "typing@0.1/snr_5"}


def test_a_noise_category_of_few_queries_has_a_mean_alone() -> None:
    one = curves(scores())
    names = list(one.queries)
    found = summarise(
        {str(size): one.groups(M, ["snr_0"], names[:size], "car", 5)["snr_0"] for size in (1, 4, 5)}
    )
    values = one.values(M, "snr_0")
    for size in (1, 4):
        assert found[str(size)] == {"mean": pytest.approx(values[:size].mean()), "low": None, "high": None}
    wanted = bootstrap_mean(values[:5], f"{KEY}\0car", seed=0)
    assert wanted.low < wanted.high and found["5"] == pytest.approx(plain(wanted), abs=1e-12)
