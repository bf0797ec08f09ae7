"""The rule on dialogue turns of our own beside the figures that Wang et al. (arXiv:2610.11015) print.

Theirs are of 299 turns that are not published, so two samples of the same rule are compared: a figure may be
off by the sampling error of both. `data/dialogue_turns.txt` has 28 conversations of 14 turns; 7 words a turn,
as a first-word share of one in seven says of theirs.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from benchmarks.disfluency import samples
from squtr.channels import read_channel
from squtr.channels.audit import Audit, Turn, audit

SETTINGS = ("0.25", "0.5", "0.75", "1.0")
FILE = Path(__file__).parents[1] / "data" / "dialogue_turns.txt"
FIRST_WORD = {"0.25": 0.111, "0.5": 0.156, "0.75": 0.143, "1.0": 0.136}
OTHER_SAMPLE = 2**0.5


@pytest.fixture(scope="module")
def turns() -> list[tuple[str, str]]:
    """(conversation, text) of every turn."""
    conversations = FILE.read_text(encoding="utf-8").strip().split("\n\n")
    return [(str(place), text) for place, one in enumerate(conversations) for text in one.split("\n")]


@pytest.fixture(scope="module")
def found(turns: list[tuple[str, str]]) -> Audit:
    spoken = []
    for setting in SETTINGS:
        channel = read_channel(f"disfluent@{setting}")
        for key, (conversation, text) in enumerate(turns):
            said = channel.apply(text, "en", 1, str(key)).text
            spoken.append(Turn(said, conversation, str(key), setting, text))
    return audit(spoken, "en")


def value(found: Audit, setting: str, measure: str) -> float:
    one = found.settings[SETTINGS.index(setting)].measures[measure]
    assert one.value is not None
    return one.value


def half(found: Audit, setting: str, measure: str) -> float:
    """Half of the 95 % interval, widened for the error of the other sample."""
    one = found.settings[SETTINGS.index(setting)].measures[measure]
    assert one.low is not None and one.high is not None
    return OTHER_SAMPLE * (one.high - one.low) / 2


def test_the_turns_are_many_and_varied(turns: list[tuple[str, str]]) -> None:
    lengths = [len(text.split()) for _, text in turns]
    assert (len(turns), len({conversation for conversation, _ in turns})) == (392, 28)
    assert sum(lengths) / len(lengths) == pytest.approx(7, abs=0.1)
    assert (min(lengths), max(lengths)) == (1, 18)


def test_the_repetition_rate_at_one(found: Audit) -> None:
    measure = "repetitions_per_1000_words"
    assert abs(value(found, "1.0", measure) - 47.06) < half(found, "1.0", measure)
    rates = [value(found, setting, measure) for setting in SETTINGS]
    assert rates == sorted(rates) and rates[0] > 0


@pytest.mark.parametrize("setting", SETTINGS)
def test_the_first_word_shares(found: Audit, setting: str) -> None:
    measure = "first_word_share_of_fillers"
    assert abs(value(found, setting, measure) - FIRST_WORD[setting]) < half(found, setting, measure)


def test_variance_to_mean(found: Audit) -> None:
    """Their band is 1.15 to 1.29: the mean over settings is in it, each setting as near as chance allows."""
    measure = "variance_to_mean"
    ratios = [value(found, setting, measure) for setting in SETTINGS]
    assert 1.15 <= sum(ratios) / 4 <= 1.29 and min(ratios) > 1
    for setting, ratio in zip(SETTINGS, ratios, strict=True):
        assert 1.15 - half(found, setting, measure) < ratio < 1.29 + half(found, setting, measure)


def test_turns_equal_at_all_settings(found: Audit) -> None:
    equal = found.equal_at_all
    assert equal.value is not None and equal.low is not None and equal.high is not None
    assert abs(equal.value - 0.43) < OTHER_SAMPLE * (equal.high - equal.low) / 2


def test_the_trend_is_weak_since_most_turns_tie(found: Audit) -> None:
    assert found.tau_b.value == pytest.approx(0.243, abs=0.001) and found.tau_b_p < 1e-20


def test_every_word_of_the_source_survives(found: Audit) -> None:
    assert {value(found, setting, "token_survival_in_order") for setting in SETTINGS} == {1.0}


def test_the_published_figures_are_what_the_rule_gives_samples_of_their_size(
    turns: list[tuple[str, str]],
) -> None:
    """With other seeds than the texts themselves, on 299 turns at a time."""
    found = samples(40, [text for _, text in turns])
    low, high = np.quantile(found, [0.025, 0.975], axis=0)
    repeated, dispersion, first = range(3)
    assert low[3, repeated] < 47.06 < high[3, repeated]
    for place, setting in enumerate(SETTINGS):
        assert low[place, dispersion] < 1.29 and high[place, dispersion] > 1.15
        assert low[place, first] < 100 * FIRST_WORD[setting] < high[place, first]
    means = found.mean(axis=0)
    assert means[3, repeated] == pytest.approx(50.4, abs=2) and list(means[:, 1]) == sorted(means[:, 1])
