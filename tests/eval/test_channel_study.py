"""The statistics of channels, held against scipy and against sums done by hand."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from squtr.eval.channel_study import mean_loss, over_seeds, shown_loss, stars, study_subset
from squtr.eval.channels import ChannelRuns, ChannelTexts, Sent, condition_of
from squtr.eval.scores import DEFAULT_MEASURES, score_run
from squtr.eval.statistics import relative_loss
from squtr.eval.typo_curve import knee, typo_curve

MEASURE = DEFAULT_MEASURES[0]
SEEDS = (1, 2, 3, 4, 5)
QRELS = {f"q{n}": {"d": 1} for n in range(6)}
MEANS = [0.61, 0.55, 0.58, 0.6, 0.52]


def test_the_interval_over_seeds_is_students() -> None:
    found = over_seeds(0.7, MEANS)
    losses = np.array([1 - mean / 0.7 for mean in MEANS])
    half = 2.7764451051977987 * losses.std(ddof=1) / math.sqrt(5)  # t of 4 degrees of freedom at 0.975
    assert found["loss"]["mean"] == pytest.approx(losses.mean(), abs=1e-12)
    assert found["loss"]["low"] == pytest.approx(losses.mean() - half, abs=1e-12)
    assert found["loss"]["high"] == pytest.approx(losses.mean() + half, abs=1e-12)


def test_the_p_is_the_paired_t_test_over_seeds() -> None:
    differences = 0.7 - np.array(MEANS)
    t = differences.mean() / (differences.std(ddof=1) / math.sqrt(5))
    assert over_seeds(0.7, MEANS)["p"] == pytest.approx(2 * stats.t.sf(t, 4), rel=1e-12)
    assert over_seeds(0.7, MEANS)["p"] == pytest.approx(stats.ttest_1samp(MEANS, 0.7).pvalue, rel=1e-12)


@pytest.mark.parametrize(
    ("reference", "means", "middle", "reason"),
    [
        (0.0, [0.1, 0.2], None, "the mean of the reference is 0"),
        (0.5, [0.4], 0.2, "one seed"),
        (0.5, [0.4] * 5, 0.2, "the same at every seed"),
    ],
)
def test_without_a_spread_there_is_no_interval_and_no_test(
    reference: float, means: list[float], middle: float | None, reason: str
) -> None:
    found = over_seeds(reference, means)
    assert found["loss"]["mean"] == (None if middle is None else pytest.approx(middle))
    assert found["loss"]["low"] is found["loss"]["high"] is found["p"] is None
    assert reason in found["reason"] and reason in found["loss"]["reason"]


def ranked(rank: int) -> dict[str, float]:
    """A run's ranking with the judged document at a rank; at 11 it is not in the first ten."""
    return {("d" if place == rank else f"x{place}"): float(20 - place) for place in range(1, 12)}


def study(channels: dict[str, list[list[int]]], survivals: dict[str, int] | None = None) -> dict:
    """Study one system; `channels` holds the rank of each query's document by seed."""
    texts, runs = {}, {}
    for name, by_seed in channels.items():
        kept = (survivals or {}).get(name, 2)
        texts[name] = {
            seed: {
                q: Sent(
                    " ".join(["aa", "bb", "cc", "dd"][:kept] + [f"z{seed}"] * (min(ranks) > 1)), "aa bb cc dd"
                )
                for q in QRELS
            }
            for seed, ranks in zip(SEEDS, by_seed, strict=True)
        }
        for seed, ranks in zip(SEEDS, by_seed, strict=True):
            runs[condition_of(name, seed)] = dict(zip(QRELS, map(ranked, ranks), strict=True))
    sent = ChannelTexts("en", SEEDS, texts, {})
    behind = ChannelRuns.scored(sent, {"s": runs}, QRELS, {"d"})
    text = {"s": score_run(QRELS, dict.fromkeys(QRELS, ranked(1)))}
    heard = {"s": {"clean": {"low": 0.0, "mean": 0.1, "high": 0.2}}}
    return study_subset(behind, text, heard, MEASURE, "en/trial", 2602)


RANKS = {
    "mild": [
        [1, 1, 1, 1, 1, 2],
        [1, 1, 1, 1, 2, 2],
        [1, 1, 1, 1, 1, 1],
        [1, 1, 1, 3, 1, 1],
        [1, 1, 1, 1, 1, 1],
    ],
    "hard": [[2, 2, 3, 11, 2, 2], [3, 2, 2, 2, 2, 2], [2, 2, 2, 2, 4, 2], [2, 3, 2, 11, 2, 2], [2] * 6],
}


def test_means_losses_and_bonferroni_of_a_subset() -> None:
    found = study(RANKS)
    cell = found["channels"]["hard"]["systems"]["s"]
    gains = [[0.0 if rank > 10 else 1 / math.log2(rank + 1) for rank in ranks] for ranks in RANKS["hard"]]
    means = [sum(row) / 6 for row in gains]
    assert cell["by_seed"] == pytest.approx(means)
    assert cell["mean"] == pytest.approx(sum(means) / 5)
    assert cell["difference"] == pytest.approx(1 - sum(means) / 5)
    assert cell["loss"]["mean"] == pytest.approx(1 - sum(means) / 5)
    assert found["tests"] == 2
    assert cell["p"] == pytest.approx(stats.ttest_rel([1.0] * 5, means).pvalue)
    assert cell["p_bonferroni"] == pytest.approx(2 * cell["p"])
    over_queries = np.mean(gains, axis=0)
    expected = relative_loss([1.0] * 6, list(over_queries), "en/trial", 2602)
    assert cell["loss_over_queries"]["low"] == pytest.approx(expected.low)
    assert cell["loss_over_queries"]["high"] == pytest.approx(expected.high)
    assert shown_loss(cell) is cell["loss"]


def test_equal_texts_at_all_seeds_are_told_and_bootstrapped() -> None:
    found = study({"still": [[1, 1, 1, 2, 2, 3]] * 5})
    one = found["channels"]["still"]
    assert not one["seeds_differ"]
    cell = one["systems"]["s"]
    assert cell["p"] is None and cell["p_bonferroni"] is None and stars(cell) == ""
    assert "same texts" in cell["reason"] and cell["loss"]["low"] is None
    shown = shown_loss(cell)
    assert shown["low"] < shown["mean"] < shown["high"]
    assert mean_loss(one) == pytest.approx(shown["mean"])


def test_survival_and_loss_go_together_as_pearson_says() -> None:
    ranks = {"a": [[1] * 6] * 5, "b": RANKS["mild"], "c": RANKS["hard"]}
    kept = {"a": 4, "b": 3, "c": 1}
    found = study(ranks, kept)
    losses = [found["channels"][name]["systems"]["s"]["loss"]["mean"] for name in ranks]
    expected = stats.pearsonr([kept[name] / 4 for name in ranks], losses).statistic
    assert found["survival_against_loss"]["s"]["r"] == pytest.approx(expected)
    assert found["survival_against_loss"]["s"]["n"] == 3 and expected < 0
    assert study(RANKS)["survival_against_loss"]["s"]["reason"] == "fewer than three channels"
    assert study(ranks)["survival_against_loss"]["s"]["reason"] == "all channels are alike"


def test_side_by_side_holds_channels_and_what_was_heard() -> None:
    found = study({"typos@0.1": RANKS["mild"]})["side_by_side"]["s"]
    assert [(one["condition"], one["kind"]) for one in found] == [("typos@0.1", "typed"), ("clean", "heard")]


def test_typos_in_order_of_their_rate() -> None:
    found = study({"typos@0.2": RANKS["hard"], "mild": RANKS["mild"], "typos@0.04": RANKS["mild"]})
    points = found["typo_curve"]["s"]["points"]
    assert [one["asked"] for one in points] == [0.04, 0.2]
    assert found["typo_curve"]["s"]["knee"] is None
    assert found["typo_curve"]["s"]["reason"] == "fewer than 4 rates"


def curve(rates: list[float], losses: list[float]) -> dict:
    return typo_curve(
        [{"asked": rate, "loss": {"mean": loss}} for rate, loss in zip(rates, losses, strict=True)]
    )


def test_the_knee_of_two_exact_lines_is_where_they_meet() -> None:
    rates = [0.01, 0.02, 0.04, 0.08, 0.12, 0.16]
    found = curve(rates, [0.5 * rate + 6 * max(0, rate - 0.08) for rate in rates])["knee"]
    assert found["asked"] == 0.08
    assert found["slope_before"] == pytest.approx(0.5)
    assert found["slope_after"] == pytest.approx(6.5)
    assert found["residual_left"] == pytest.approx(0, abs=1e-12)


def test_the_knee_is_the_best_of_all_inner_points() -> None:
    rates = np.array([0, 0.01, 0.02, 0.04, 0.08, 0.12, 0.16, 0.24])
    losses = np.array([0, 0.006, 0.008, 0.025, 0.05, 0.11, 0.2, 0.37])
    left = {}
    for place in rates[1:-1]:
        design = np.column_stack([np.ones(8), rates, np.maximum(0, rates - place)])
        left[place] = float(((losses - design @ np.linalg.lstsq(design, losses, rcond=None)[0]) ** 2).sum())
    assert knee(rates, losses)["asked"] == min(left, key=left.__getitem__)


@pytest.mark.parametrize("noise", [[0.0] * 6, [0.003, -0.002, 0.001, -0.003, 0.002, -0.001]])
def test_a_straight_line_has_no_knee(noise: list[float]) -> None:
    rates = [0.01, 0.02, 0.04, 0.08, 0.12, 0.16]
    found = curve(rates, [2 * rate + off for rate, off in zip(rates, noise, strict=True)])
    assert found["knee"] is None and found["reason"] == "two lines fit no better than one"
