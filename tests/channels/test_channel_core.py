"""Channels: specs, order, chance, edits that rebuild the text, and what is left alone."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr.channels import Changed, Edit, changed, read_channel
from squtr.channels.changed import rewritten
from squtr.channels.words import drawn, protected_spans, words
from squtr.errors import UserError

TEXT = "how deep is the sea and who wrote hamlet"


class Shout:
    """An operator from outside: all capitals."""

    fingerprint = "shout-1"
    languages = ()

    def change(self, text: str, language: str, rng: np.random.Generator) -> Changed:
        return rewritten(text, text.upper())


def rebuilt(text: str, edits: list[dict]) -> str:
    for edit in reversed(edits):
        assert text[edit["start"] : edit["end"]] == edit["before"]
        text = text[: edit["start"]] + edit["after"] + text[edit["end"] :]
    return text


def test_a_spec_names_operator_rate_and_options() -> None:
    at, option = (read_channel(spec) for spec in ("missed-space@0.5", "typed:missed-space,rate=0.5"))
    assert at.apply(TEXT, "en", 1, "q1").text == option.apply(TEXT, "en", 1, "q1").text != TEXT


def test_operators_work_in_order_and_each_tells_of_its_own_source() -> None:
    channel = read_channel("missed-space@0.4|tests.channels.test_channel_core:Shout")
    passed = channel.apply(TEXT, "en", 1, "q1")
    assert passed.text == passed.text.upper() and len(passed.text) < len(TEXT)
    assert passed.source_text == TEXT and [step.operator for step in passed.steps] == channel.name.split("|")
    first, second = passed.steps
    assert rebuilt(first.source, passed.edits[: len(first.edits)]) == second.source
    assert rebuilt(second.source, passed.edits[len(first.edits) :]) == passed.text


def test_chance_comes_from_seed_and_item_alone() -> None:
    channel = read_channel("missed-space@0.4")
    found = {channel.apply(TEXT, "en", seed, item).text for seed in (1, 2, 3) for item in ("q1", "q2", "q3")}
    assert len(found) > 3
    assert channel.apply(TEXT, "en", 1, "q1") == read_channel("missed-space@0.4").apply(TEXT, "en", 1, "q1")


def test_a_higher_rate_keeps_what_a_lower_one_did() -> None:
    kept: set[tuple[int, int]] = set()
    for rate in (0.1, 0.2, 0.4, 0.8, 1.0):
        passed = read_channel(f"missed-space@{rate}").apply(TEXT, "en", 5, "q1")
        now = {(edit["start"], edit["end"]) for edit in passed.edits}
        assert kept <= now
        kept = now
    assert " " not in passed.text


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("missed-spice", "Unknown channel 'missed-spice'. Did you mean 'missed-space'?"),
        ("spoken:missed-space", "missed-space is typed. Write typed:missed-space."),
        ("typed:disfluent@0.5", "disfluent has no family. Write disfluent."),
        ("typed:missed-spice", "Unknown channel 'missed-spice'. Did you mean 'missed-space'?"),
        ("missed-space@1.5", "it must be from 0 to 1"),
        ("missed-space@-0.1", "it must be from 0 to 1"),
        ("missed-space@nan", "not a number"),
        ("missed-space@a lot", "'a lot' is no rate"),
        ("missed-space|", "empty operator"),
        ("", "empty operator"),
        ("missed-space,ratio=0.1", "has no option 'ratio'. Did you mean 'rate'?"),
    ],
)
def test_a_faulty_spec_is_one_clear_error(spec: str, message: str) -> None:
    with pytest.raises(UserError, match=r"(?s).*") as caught:
        read_channel(spec)
    assert message in str(caught.value)


def test_a_language_that_an_operator_lacks_is_an_error() -> None:
    with pytest.raises(UserError, match=r"'missed-space' does not know the language 'zh'\. It knows de, en"):
        read_channel("missed-space").check_language("zh")


def test_numbers_addresses_and_codes_are_protected() -> None:
    text = "mail bob@a.org or see https://a.b/c?d=1 about `x + y` 2.5% of B2B snake_case run() $HOME 再见 3天"
    kept = [text[start:end] for start, end in protected_spans(text)]
    assert kept == [
        "bob@a.org",
        "https://a.b/c?d=1",
        "`x + y`",
        "2.5%",
        "B2B",
        "snake_case",
        "run()",
        "$HOME",
        "3",
    ]
    assert [word.text for word in words(text, "en")][:4] == ["mail", "or", "see", "about"]


def test_chinese_words_are_where_they_stand() -> None:
    text = "北京的人口是多少？2024年"
    found = words(text, "zh")
    assert [word.text for word in found] == ["北京", "的", "人口", "是", "多少", "年"]
    assert all(text[word.start : word.end] == word.text for word in found)


def test_a_share_is_exact_where_it_can_be_and_right_in_the_mean() -> None:
    rng = np.random.default_rng(1)
    assert all(len(drawn(10, 0.2, rng)) == 2 for _ in range(50))
    counts = [len(drawn(7, 0.2, rng)) for _ in range(4000)]
    assert set(counts) == {1, 2} and np.mean(counts) == pytest.approx(1.4, abs=0.03)
    assert drawn(10, 1.0, rng, [1, 4]) == [1, 4]


@given(st.text(max_size=60), st.text(max_size=60))
def test_a_rewriting_is_told_as_edits_that_rebuild_it(source: str, text: str) -> None:
    found = rewritten(source, text)
    assert found.text == text == changed(source, found.edits).text


def test_a_rewriting_is_told_by_its_words() -> None:
    found = rewritten("how deep is the sea", "um, how deep is, uh, the lake")
    assert found.edits == (
        Edit("rewritten", 0, 0, "um, "),
        Edit("rewritten", 9, 11, "is, uh,"),
        Edit("rewritten", 16, 19, "lake"),
    )


def test_edits_that_overlap_are_refused() -> None:
    with pytest.raises(ValueError, match="overlaps"):
        changed("abcdef", [Edit("one", 0, 3, "x"), Edit("two", 2, 4, "y")])


def test_a_rate_given_twice_is_refused() -> None:
    with pytest.raises(UserError, match="has its rate twice"):
        read_channel("typos@0.1,rate=0.2")
    assert read_channel("typos,rate=0.2").operators[0][1].rate == 0.2
