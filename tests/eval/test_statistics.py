import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_rel

from squtr.digest import canonical_json
from squtr.draw import draw
from squtr.errors import UserError
from squtr.eval import resampling
from squtr.eval.statistics import (
    Interval,
    Undefined,
    bootstrap_mean,
    holm,
    paired_bootstrap,
    paired_randomisation,
    relative_loss,
)

SAMPLES = st.lists(st.floats(0, 1), min_size=1, max_size=20)
PAIRS = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=20).map(
    lambda pairs: tuple(list(side) for side in zip(*pairs, strict=True))
)


def _scores(item: str, size: int = 400) -> np.ndarray:
    return draw(1, "test", item).random(size)


def test_the_interval_of_a_mean_is_that_of_the_normal_law() -> None:
    values = _scores("a")
    interval = bootstrap_mean(values, "system", resamples=4000)
    half = 1.96 * values.std() / np.sqrt(len(values))
    assert interval.mean == pytest.approx(values.mean())
    assert interval.low == pytest.approx(values.mean() - half, abs=0.1 * half)
    assert interval.high == pytest.approx(values.mean() + half, abs=0.1 * half)


def test_a_wider_level_gives_a_wider_interval() -> None:
    narrow, wide = (bootstrap_mean(_scores("a"), "system", level=level) for level in (0.5, 0.99))
    assert wide.low < narrow.low < narrow.high < wide.high


def test_the_same_item_gives_the_same_interval_and_another_one_another() -> None:
    values = _scores("a")
    first = bootstrap_mean(values, "system")
    assert bootstrap_mean(list(values), "system") == first
    assert bootstrap_mean(values, "another") != first
    assert bootstrap_mean(values, "system", seed=1) != first


def test_conditions_of_one_item_share_their_resamples() -> None:
    values = _scores("a")
    clean, noisy = bootstrap_mean(values, "system"), bootstrap_mean(values / 2, "system")
    assert noisy.low == pytest.approx(clean.low / 2, rel=1e-12)
    shift = paired_bootstrap(values, values - 0.25, "system")
    assert (shift.low, shift.high) == (pytest.approx(0.25), pytest.approx(0.25))


@pytest.mark.parametrize("block", [1, 1000, 1 << 24])
def test_the_size_of_a_block_changes_nothing(block: int, monkeypatch: pytest.MonkeyPatch) -> None:
    a, b = _scores("a", 101), _scores("b", 101)

    def results() -> list[object]:
        return [bootstrap_mean(a, "s", resamples=50), paired_randomisation(a, b, "s", flips=50)]

    expected = results()
    monkeypatch.setattr(resampling, "BLOCK", block)
    assert results() == expected


@given(SAMPLES)
@settings(max_examples=50)
def test_intervals_are_ordered_and_inside_the_values(values: list[float]) -> None:
    interval = bootstrap_mean(values, "s", resamples=50)
    assert min(values) - 1e-12 <= interval.low <= interval.high <= max(values) + 1e-12


@pytest.mark.parametrize("values", [[0.1], [0.1] * 7, [0.0] * 5])
def test_one_query_and_equal_values_have_no_width(values: list[float]) -> None:
    assert bootstrap_mean(values, "s") == Interval(values[0], values[0], values[0])


@pytest.mark.parametrize("values", [[], [float("nan")], [0.1, float("inf")], [[0.1]]])
def test_values_without_a_mean_are_refused(values: list[float]) -> None:
    with pytest.raises(UserError, match="scor"):
        bootstrap_mean(values, "s")


def test_unequal_numbers_of_queries_cannot_be_paired() -> None:
    for test in (paired_bootstrap, paired_randomisation, relative_loss):
        with pytest.raises(UserError, match="2 and 1 scores"):
            test([0.1, 0.2], [0.1], "s")


def test_settings_that_make_no_sense_are_refused() -> None:
    for settings_ in ({"resamples": 0}, {"level": 1.0}, {"level": 95}):
        with pytest.raises(UserError):
            bootstrap_mean([0.1, 0.2], "s", **settings_)
    with pytest.raises(UserError):
        paired_randomisation([0.1], [0.2], "s", flips=0)


def test_equal_systems_do_not_differ() -> None:
    values = _scores("a")
    result = paired_bootstrap(values, values, "s")
    assert (result.difference, result.low, result.high, result.p) == (0.0, 0.0, 0.0, 1.0)
    assert paired_randomisation(values, values, "s") == 1.0


def test_a_clear_difference_has_the_smallest_p() -> None:
    values = _scores("a")
    result = paired_bootstrap(values + 0.2, values, "s", resamples=999)
    assert result.difference == pytest.approx(0.2)
    assert result.p == pytest.approx(2 / 1000)
    assert paired_randomisation(values + 0.2, values, "s", flips=999) == pytest.approx(1 / 1000)


def test_both_tests_agree_with_the_t_test_on_a_middling_difference() -> None:
    a, b = _scores("a"), _scores("b")
    b = b - (b - a).mean() - 0.038
    expected = ttest_rel(a, b).pvalue
    assert 0.02 < expected < 0.2
    assert paired_bootstrap(a, b, "s", resamples=4000).p == pytest.approx(expected, abs=0.02)
    assert paired_randomisation(a, b, "s") == pytest.approx(expected, abs=0.02)


def test_the_randomisation_test_counts_ties_as_extreme_despite_rounding() -> None:
    assert paired_randomisation([0.1, 0.2, 0.0, 0.05], [0.0, 0.0, 0.3, 0.0], "s") == 1.0


def test_the_randomisation_test_approaches_the_exact_p_of_few_queries() -> None:
    assert paired_randomisation([0.3, 0.3, 0.7], [0.0, 0.0, 0.7], "s", flips=20_000) == pytest.approx(
        0.5, abs=0.02
    )


@given(PAIRS)
@settings(max_examples=50)
def test_swapping_the_systems_swaps_the_sign_and_keeps_p(pair: tuple[list[float], list[float]]) -> None:
    there, back = paired_bootstrap(*pair, "s", resamples=39), paired_bootstrap(*pair[::-1], "s", resamples=39)
    assert back.difference == pytest.approx(-there.difference, abs=1e-12)
    assert (back.low, back.high) == (
        pytest.approx(-there.high, abs=1e-9),
        pytest.approx(-there.low, abs=1e-9),
    )
    assert 0 < there.p <= 1
    assert paired_randomisation(*pair, "s", flips=39) == paired_randomisation(*pair[::-1], "s", flips=39)


def test_relative_loss_against_the_reference() -> None:
    reference = _scores("a")
    loss = relative_loss(reference, 0.9 * reference, "s")
    assert (loss.low, loss.mean, loss.high) == tuple(pytest.approx(0.1) for _ in range(3))
    gain = relative_loss(reference, reference * 1.1, "s")
    assert gain.mean == pytest.approx(-0.1)


def test_relative_loss_interval_follows_the_delta_method() -> None:
    reference, observed = _scores("a"), 0.8 * _scores("a") + 0.1 * (_scores("b") - 0.5)
    loss = relative_loss(reference, observed, "s", resamples=4000)
    ratio = observed.mean() / reference.mean()
    half = 1.96 * (observed - ratio * reference).std() / reference.mean() / np.sqrt(len(reference))
    assert loss.mean == pytest.approx(1 - ratio)
    assert loss.low == pytest.approx(1 - ratio - half, abs=0.1 * half)
    assert loss.high == pytest.approx(1 - ratio + half, abs=0.1 * half)


def test_c12_loss_against_zero_is_undefined_with_a_reason() -> None:
    loss = relative_loss([0.0, 0.0], [0.0, 0.5], "s")
    assert loss == Undefined("the mean of the reference is 0")
    assert loss.mean is None
    assert '"mean":null' in canonical_json(loss)


def test_c12_nan_never_reaches_json() -> None:
    with pytest.raises(ValueError, match="JSON compliant"):
        canonical_json({"wer": float("nan")})


def test_resamples_without_a_positive_reference_are_left_out() -> None:
    loss = relative_loss([1.0, 0.0, 0.0], [0.5, 0.0, 0.0], "s")
    assert loss == Interval(0.5, 0.5, 0.5)


def test_holm_steps_down_and_keeps_the_order() -> None:
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.9]) == [1.0, 1.0]
    assert holm([]) == []
    with pytest.raises(UserError):
        holm([0.1, float("nan")])
