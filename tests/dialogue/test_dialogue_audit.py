"""Rates, and tests in pairs: against scipy, by hand, and the sizes of the published study."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata, wilcoxon

from squtr.dialogue.audit import audit, signed_rank
from squtr.dialogue.event_log import Counts, read_counts
from squtr.dialogue.rules import Setting
from squtr.errors import UserError


def counts(name: str, b: float = 0.0, g: float = 0.0, **found: int) -> Counts:
    filled = {"turns": 4, "opportunities": 10, "interruptions": 0, "backchannels": 0, "at_first": 0}
    return Counts(name, Setting(b, g), **{**filled, "while_sounding": 0, **found})


def test_rates_are_sums_over_sums() -> None:
    dialogues = [
        counts("x", 0.5, interruptions=2, backchannels=1, at_first=1),
        counts("y", 0.5, turns=1, opportunities=2, interruptions=1),
    ]
    (one,) = audit(dialogues).settings
    assert (one.dialogues, one.turns, one.opportunities) == (2, 5, 12)
    assert one.interruptions_per_turn == 3 / 5
    assert one.interruptions_per_opportunity == 3 / 12
    assert one.interruptions_at_first == 1 / 3
    assert (one.backchannels_per_turn, one.backchannels_per_opportunity) == (1 / 5, 1 / 12)


def test_a_rate_without_opportunities_is_undefined() -> None:
    (one,) = audit([counts("x", opportunities=0)]).settings
    assert (one.interruptions_per_opportunity, one.interruptions_at_first) == (None, None)
    assert one.interruptions_per_turn == 0


def test_settings_are_compared_with_the_lowest_by_scenario() -> None:
    names = [f"s{number}" for number in range(20)]
    dialogues = [counts(name) for name in names]
    dialogues += [counts(name, 1.0, interruptions=2, opportunities=8) for name in names]
    dialogues += [counts(name, 0.0, 1.0, backchannels=1 + number % 2) for number, name in enumerate(names)]
    found = {(one.measure, one.b, one.g): one for one in audit(dialogues[::-1]).comparisons}
    interrupted, listened = found["interruptions", 1.0, 0.0], found["backchannels", 0.0, 1.0]
    assert (interrupted.difference, interrupted.low, interrupted.high) == (2, 2, 2)
    assert (interrupted.non_zero, interrupted.w, interrupted.p) == (20, 0, 2 / 2**20)
    assert listened.difference == 1.5
    assert 1 < listened.low < 1.5 < listened.high < 2
    assert interrupted.p_holm == listened.p_holm == 2 * 2 / 2**20
    assert found["opportunities", 1.0, 0.0].difference == -2
    assert found["opportunities", 1.0, 0.0].p_holm == 2 / 2**20
    unmoved = found["interruptions", 0.0, 1.0]
    assert (unmoved.difference, unmoved.non_zero, unmoved.w, unmoved.p, unmoved.p_holm) == (
        0,
        0,
        None,
        None,
        None,
    )


@given(st.lists(st.integers(1, 40), min_size=1, max_size=12, unique=True), st.integers(0, 2**12))
def test_without_ties_the_test_is_scipys_exact_one(sizes: list[int], signs: int) -> None:
    differences = [size if signs >> place & 1 else -size for place, size in enumerate(sizes)]
    theirs = wilcoxon(differences, method="exact")
    w, p = signed_rank([0, *differences, 0]) or (0, 0)
    assert w == theirs.statistic
    assert p == pytest.approx(theirs.pvalue, rel=1e-12)


@given(st.lists(st.integers(-3, 3).filter(bool), min_size=1, max_size=8))
def test_with_ties_p_counts_all_signs(differences: list[int]) -> None:
    ranks = rankdata([abs(value) for value in differences])
    sums = [
        sum(rank for rank, positive in zip(ranks, signs, strict=True) if positive)
        for signs in itertools.product((False, True), repeat=len(ranks))
    ]
    observed = sum(rank for rank, value in zip(ranks, differences, strict=True) if value > 0)
    smaller = min(observed, ranks.sum() - observed)
    expected = min(1.0, 2 * sum(one <= smaller for one in sums) / len(sums))
    w, p = signed_rank(differences) or (0, 0)
    assert (w, p) == (smaller, pytest.approx(expected, rel=1e-12))


def test_nothing_differs_no_test() -> None:
    assert signed_rank([0, 0]) is None


def test_the_same_seed_gives_the_same_intervals() -> None:
    dialogues = [counts(f"{n}", b, interruptions=round(b) * n**3) for n in range(6) for b in (0.0, 1.0)]
    assert audit(dialogues, 3) == audit(dialogues, 3)
    assert audit(dialogues, 3) != audit(dialogues, 4)


@pytest.mark.parametrize(
    ("dialogues", "message"),
    [
        ([], "no dialogue"),
        ([counts("x"), counts("x")], "'x' is there twice at b = 0, g = 0"),
        ([counts("x"), counts("y", 1.0)], "'x' is not at both b = 0, g = 0 and b = 1, g = 0"),
    ],
)
def test_what_cannot_be_paired_is_refused(dialogues: list[Counts], message: str) -> None:
    with pytest.raises(UserError, match=message):
        audit(dialogues)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "log.jsonl:1: not the log of a dialogue"),
        ('{"kind": "turn"}\n', "log.jsonl:1: not the log of a dialogue"),
        ('{"kind": "dialogue", "b": 1, "g": 0}\n', "not the log of a dialogue"),
        ('{"kind": "dialogue", "name": "x", "b": 7, "g": 0}\n', "b is 7"),
        (
            '{"kind": "dialogue", "name": "x", "b": 1, "g": 0}\n{"kind": "sneeze"}\n',
            "log.jsonl:2: the kind 'sneeze'",
        ),
    ],
)
def test_what_is_no_log_is_refused_with_its_place(tmp_path: Path, text: str, message: str) -> None:
    (tmp_path / "log.jsonl").write_text(text)
    with pytest.raises(UserError, match=message):
        read_counts(tmp_path / "log.jsonl")
