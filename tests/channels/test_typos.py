"""Typos: the dial means what it says, the mix, the places, and slips that stay."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from rapidfuzz.distance import DamerauLevenshtein

from squtr.channels import read_channel
from squtr.channels.dial import realised, table
from squtr.channels.keyboard import read_keyboard
from squtr.channels.operators.typos import chances
from squtr.channels.typed_runs import letters_of
from squtr.channels.typo_settings import typo_settings
from squtr.collection.jsonl import read_jsonl

POCKET = Path(__file__).resolve().parents[2] / "data_build" / "pocket"
LONG = (
    "The quick brown fox jumps over the lazy dog while everybody nearby keeps watching another programme " * 3
)


def queries(language: str) -> list[str]:
    return [str(row["text"]) for _, row in read_jsonl(POCKET / language / "queries.jsonl")]


@pytest.mark.parametrize(("language", "rates"), [("en", (0.04, 0.16, 0.32)), ("zh", (0.08, 0.16, 0.32))])
def test_the_realised_rate_is_the_one_asked_for(language: str, rates: tuple[float, ...]) -> None:
    for row in realised(queries(language), language, rates, 1500, seed=2):
        assert row.rate == pytest.approx(row.asked, rel=0.03)
        low, high = row.interval()
        assert low <= row.asked <= high
        assert sum(row.kinds.values()) == pytest.approx(row.distance, rel=0.002)


def test_half_a_per_cent_means_half_a_per_cent() -> None:
    (row,) = realised([LONG], "en", (0.005,), 400)
    assert row.letters == 400 * sum(char.isalpha() for char in LONG)
    assert row.rate == pytest.approx(0.005, rel=0.03)
    assert "| 0.5% | 0.5" in table([row]) or "| 0.5% | 0.4" in table([row])


def test_every_text_gets_about_its_rate() -> None:
    letters = len(letters_of(LONG, "en"))
    counts = [len(read_channel("typos@0.08").apply(LONG, "en", 1, str(item)).edits) for item in range(200)]
    assert np.mean(counts) == pytest.approx(0.08 * letters, rel=0.02)
    assert np.var(counts) < 0.3 * np.mean(counts)


@pytest.mark.parametrize("rate", [0.001, 0.03, 0.5, 0.9, 1.0])
def test_chances_keep_their_mean_and_never_pass_one(rate: float) -> None:
    weights = np.array([0.4, 0.8, 1.4, 0.4, 1.1, 1.4, 0.4])
    found = chances(weights, rate)
    assert found.mean() == pytest.approx(rate) and found.max() <= 1
    assert (chances(weights, rate * 0.9) <= found).all()
    low = found[found < 1] / weights[found < 1]
    assert low == pytest.approx(np.full(len(low), low[0] if len(low) else 0))


def test_the_mix_of_kinds_of_rows_and_of_doublings() -> None:
    keys, kinds, near, doubled = read_keyboard("qwerty", "en"), Counter(), Counter(), Counter()
    channel = read_channel("typos@0.04")
    for item in range(500):
        passed = channel.apply(LONG, "en", 3, str(item))
        for edit in passed.edits:
            kinds[edit["kind"]] += 1
            if edit["kind"] == "replacement":
                assert edit["after"] in keys.neighbours(edit["before"])
                both = bool(keys.near(edit["before"])) and bool(keys.far(edit["before"]))
                near[edit["after"] in keys.near(edit["before"])] += both
            if edit["kind"] == "insertion":
                doubled[edit["after"] == LONG[edit["start"] - 1]] += 1
    share = {kind: count / kinds.total() for kind, count in kinds.items()}
    wanted = {"deletion": 0.283, "insertion": 0.152, "replacement": 0.283, "transposition": 0.283}
    assert share == pytest.approx(wanted, abs=0.02)
    assert near[True] / near.total() == pytest.approx(0.9, abs=0.02)
    assert doubled[True] / doubled.total() == pytest.approx(0.5, abs=0.05)


def test_first_letters_are_spared_and_ends_are_not() -> None:
    settings = typo_settings()
    assert [round(settings.weight(place, 4), 2) for place in range(4)] == [0.4, 0.8, 1.1, 1.4]
    text, places = "wonderful " * 12, Counter()
    for item in range(400):
        for edit in read_channel("typos@0.03").apply(text, "en", 1, str(item)).edits:
            if edit["kind"] in ("deletion", "replacement"):
                places[edit["start"] % 10] += 1
    assert places[0] < 0.7 * places[1] < places[8]
    assert places[7] + places[8] > 1.3 * (places[1] + places[2])


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("rate", [0.05, 0.16, 0.3, 0.6])
def test_the_number_of_edits_is_the_distance(language: str, rate: float) -> None:
    edits = distance = 0
    for number, text in enumerate(queries(language)):
        passed = read_channel(f"typos@{rate}").apply(text, language, 1, str(number))
        edits += len(passed.edits)
        distance += DamerauLevenshtein.distance(text, passed.text)
    assert distance == edits if rate < 0.2 else 0.995 * edits <= distance <= edits


def test_no_word_of_one_letter_vanishes_and_chinese_characters_may() -> None:
    assert all(read_channel("typos@1").apply("a", "en", 1, str(item)).text for item in range(30))
    assert "" in {read_channel("typos@1").apply("的", "zh", 1, str(item)).text for item in range(30)}


def test_letters_on_no_key_still_slip_in_the_other_ways() -> None:
    kinds = Counter(
        edit["kind"]
        for item in range(100)
        for edit in read_channel("typos@0.3").apply("þæđħŋ łøđæŋħ", "en", 1, str(item)).edits
    )
    assert kinds["replacement"] == 0 and kinds["deletion"] and kinds["transposition"] and kinds["insertion"]


def test_chinese_characters_are_dropped_doubled_swapped_or_of_near_pinyin() -> None:
    keys = read_keyboard("qwerty", "zh")
    for item in range(200):
        for edit in (
            read_channel("typos@0.1").apply("北京的人口是多少，医生在哪里看电影", "zh", 1, str(item)).edits
        ):
            before, after = edit["before"], edit["after"]
            if edit["kind"] == "replacement":
                assert after in keys.same_keys[before] + keys.neighbours(before)
            elif edit["kind"] == "transposition":
                assert after == before[::-1]
            elif edit["kind"] == "insertion":
                assert after == "北京的人口是多少，医生在哪里看电影"[edit["start"] - 1]
