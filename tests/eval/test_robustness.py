"""Slope, area and crossings, by hand and by their laws."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from squtr.draw import draw
from squtr.errors import UserError
from squtr.eval.paired import PairedScores
from squtr.eval.robustness import area, crossing, crossings, macro, robustness, slope, snr_of_conditions

SNRS = {"snr_20": 20.0, "snr_10": 10.0, "snr_0": 0.0}
CURVES = st.lists(st.floats(-1, 1), min_size=3, max_size=3)


def _paired(curves: dict[str, list[float]], queries: int = 1) -> PairedScores[tuple[str, str]]:
    """Systems with the same score on every query, by (clean, 20, 10, 0 dB)."""
    columns = {
        (system, condition): [value] * queries
        for system, values in curves.items()
        for condition, value in zip(("clean", *SNRS), values, strict=True)
    }
    return PairedScores(columns, "item", resamples=50)


def test_slope_and_area_by_hand() -> None:
    means = np.array([[0.8, 0.6, 0.2]])
    assert slope([20, 10, 0], means)[0] == pytest.approx(0.03)
    # (0.8 + 0.6) / 2 * 10 + (0.6 + 0.2) / 2 * 10 = 11 over 20 dB and 0.8 on clean speech.
    assert area([20, 10, 0], means, np.array([0.8]))[0] == pytest.approx(11 / (20 * 0.8))


def test_uneven_steps_weigh_by_their_width() -> None:
    assert area([15, 5, 0], np.array([[1.0, 1.0, 0.0]]), np.array([1.0]))[0] == pytest.approx(12.5 / 15)


@given(CURVES, st.permutations([0, 1, 2]))
@settings(max_examples=40)
def test_the_order_of_snrs_changes_nothing(curve: list[float], order: list[int]) -> None:
    snrs, means = np.array([20.0, 10.0, 0.0]), np.array([curve])
    turned = snrs[order], means[:, order]
    assert slope(turned[0], turned[1]) == pytest.approx(slope(snrs, means), abs=1e-12)
    one = np.ones(1)
    assert area(turned[0], turned[1], one) == pytest.approx(area(snrs, means, one), abs=1e-12)
    assert crossings(turned[0], turned[1][0]) == pytest.approx(crossings(snrs, means[0]))


@pytest.mark.parametrize(
    ("curve", "expected"),
    [
        ([0.1, 0.1, 0.1], []),
        ([0.1, -0.1, -0.1], [15.0]),
        ([0.1, -0.1, 0.3], [15.0, 7.5]),
        ([0.1, 0.0, -0.1], [10.0]),
        ([0.1, 0.0, 0.1], []),
        ([0.0, 0.1, -0.1], [5.0]),
        ([0.0, 0.0, 0.0], []),
        ([0.2, 0.2, 0.0], []),
    ],
)
def test_crossings_by_hand(curve: list[float], expected: list[float]) -> None:
    assert crossings([20, 10, 0], np.array(curve)) == pytest.approx(expected)
    assert crossings([20, 10, 0], -np.array(curve)) == pytest.approx(expected)


def test_the_leader_at_the_highest_snr_falls_below() -> None:
    paired = _paired({"weak": [0.6, 0.5, 0.5, 0.5], "strong": [0.9, 0.7, 0.6, 0.3]})
    found = crossing(paired, "weak", "strong", SNRS)
    assert (found.leader, found.follower) == ("strong", "weak")
    assert found.snr_db == pytest.approx(10 - 10 / 3)
    assert (found.low, found.high) == (pytest.approx(found.snr_db), pytest.approx(found.snr_db))
    assert found.share == 1.0 and found.reason is None
    assert crossing(paired, "strong", "weak", SNRS) == found


def test_no_crossing_says_why() -> None:
    paired = _paired({"a": [0.9, 0.9, 0.9, 0.9], "b": [0.1, 0.1, 0.1, 0.1], "c": [0.9, 0.9, 0.9, 0.9]})
    found = crossing(paired, "b", "a", SNRS)
    assert (found.snr_db, found.share, found.snrs_db, found.low) == (None, 0.0, (), None)
    assert found.reason == "a is not below at any SNR"
    assert crossing(paired, "a", "c", SNRS).reason == "the two score the same at every SNR"


def test_resamples_that_cross_are_counted() -> None:
    generator = draw(0, "test", "crossing")
    noise = {name: generator.normal(0, 0.3, 30) for name in SNRS}
    columns = {("a", name): 0.5 + noise[name] for name in SNRS} | {
        ("b", name): np.full(30, 0.5) for name in SNRS
    }
    paired = PairedScores(columns, "item", resamples=400)
    found = crossing(paired, "a", "b", SNRS)
    assert 0 < found.share < 1
    sign = 1 if found.leader == "a" else -1
    curves = sign * np.stack([paired.means(("a", n)) - paired.means(("b", n)) for n in SNRS], axis=1)
    falls = ((curves[:, 0] > 0) & (curves[:, 1:] < 0).any(axis=1)) | ((curves[:, 1] > 0) & (curves[:, 2] < 0))
    assert found.share == falls.mean()


def test_results_of_a_subset() -> None:
    paired = _paired({"a": [0.8, 0.8, 0.6, 0.2], "none": [0.0, 0.0, 0.0, 0.0]}, queries=3)
    found = robustness(paired, SNRS)
    assert found["systems"]["a"]["slope_per_db"]["mean"] == pytest.approx(0.03)
    assert found["systems"]["a"]["area"]["mean"] == pytest.approx(11 / 16)
    assert found["systems"]["none"]["area"] == {
        "reason": "the mean on clean speech is 0",
        "low": None,
        "mean": None,
        "high": None,
    }
    assert len(found["crossings"]) == 1


@pytest.mark.parametrize("snrs", [{}, {"snr_0": 0.0}])
def test_one_snr_is_no_curve(snrs: dict[str, float]) -> None:
    found = robustness(_paired({"a": [0.8] * 4, "b": [0.7] * 4}), snrs)
    assert found["systems"]["a"]["slope_per_db"]["reason"] == "fewer than two SNRs of plain noise"
    assert found["systems"]["a"]["area"]["mean"] is None and found["crossings"] == []


def test_only_plain_noise_is_on_the_curve() -> None:
    conditions = {"clean": None, "snr_0": 0.0, "telephone": 10.0, "snr_10": 10.0, "snr_-5": -5.0}
    assert snr_of_conditions(conditions) == {"snr_10": 10.0, "snr_0": 0.0, "snr_-5": -5.0}


def test_macro_means_stay_within_a_language() -> None:
    def one(value: float | None) -> dict[str, object]:
        return {"systems": {"s": {what: {"mean": value} for what in ("slope_per_db", "area")}}}

    found = macro(
        {"en/a": one(0.2), "en/b": one(0.4), "zh/c": one(None)}, {"en/a": "en", "en/b": "en", "zh/c": "zh"}
    )
    assert found["en"]["s"]["area"] == {"mean": pytest.approx(0.3), "subsets": 2}
    assert found["zh"]["s"]["area"] == {"mean": None, "reason": "a subset of this language has no value"}


def test_curves_that_make_no_sense_are_refused() -> None:
    with pytest.raises(UserError, match="two different"):
        slope([10, 10], np.ones((1, 2)))
    with pytest.raises(UserError, match="do not fit"):
        area([20, 10], np.ones((1, 3)), np.ones(1))
