"""Names, numbers and marks as they are printed."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr.eval.report.summary import synthetic, told_conditions
from squtr.eval.report.words import (
    DASH,
    NAME_LENGTH,
    amount,
    condition_label,
    label,
    listed,
    number,
    ordered,
    percent,
    prose,
    score,
    snr_of,
    visible,
)
from squtr.eval.report.worst import MOST_UNITS, Piece, marked
from squtr.text import normaliser

ANY_TEXT = st.text(st.characters(codec=None, exclude_categories=()), max_size=80)


@given(ANY_TEXT)
def test_what_is_printed_has_no_controls_and_can_be_written(text: str) -> None:
    for printed in (visible(text), prose(text), label(text).text, label(text).full):
        assert not any(unicodedata.category(char) in ("Cc", "Cs", "Zl", "Zp") for char in printed)
        assert not set(printed) & set("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\u200e\u200f")
        printed.encode("utf-8")


@given(ANY_TEXT)
def test_names_fit_and_are_never_nothing(text: str) -> None:
    found = label(text)
    assert 0 < len(found.text) <= NAME_LENGTH
    assert found.text.strip()
    assert found.full == "" or found.full == visible(text)


@given(st.lists(st.floats(-60, 60).map(lambda snr: f"snr_{snr:g}"), max_size=8, unique=True))
def test_conditions_get_harder(names: list[str]) -> None:
    found = ordered([*names, "clean", "text", *names])
    assert found[:2] == ["text", "clean"]
    levels = [snr_of(name) or 0.0 for name in found[2:]]
    assert levels == sorted(levels, reverse=True) and len(levels) == len(names)


def test_conditions_have_plain_names() -> None:
    assert [condition_label(name) for name in ("text", "clean", "snr_20", "snr_-2.5", "snr_x", "reverb")] == [
        "text",
        "clean",
        "20\u202fdB",
        "\u22122.5\u202fdB",
        "snr_x",
        "reverb",
    ]
    assert ordered(["snr_x", "snr_0", "clean"]) == ["clean", "snr_0", "snr_x"]


@pytest.mark.parametrize(
    ("value", "digits", "printed"),
    [
        (0.78461, 3, "0.785"),
        (-0.05, 1, "\u22120.1"),
        (-1e-6, 4, "0.0000"),
        (22812, 0, "22,812"),
        (1, 3, "1.000"),
    ],
)
def test_numbers(value: float, digits: int, printed: str) -> None:
    assert number(value, digits) == printed


def test_nothing_is_a_dash() -> None:
    assert score(None) == percent(None) == DASH


def test_shares_are_per_cent() -> None:
    assert percent(0.10526) == "10.5\u202f%"
    assert percent(-0.0990) == "\u22129.9\u202f%"
    assert percent(1.5, 0) == "150\u202f%"


def test_counts_take_their_nouns() -> None:
    assert [amount(n, "query") for n in (0, 1, 2, 22812)] == [
        "0 queries",
        "1 query",
        "2 queries",
        "22,812 queries",
    ]
    assert amount(3, "subset") == "3 subsets"
    assert [listed("abc"[:n]) for n in range(4)] == ["", "a", "a and b", "a, b and c"]


def test_words_that_differ_are_marked() -> None:
    pieces, joiner = marked("Low sunlight bone softening", "low sunlight, bounce, softening now.", "en")
    assert joiner == " "
    assert pieces == (
        Piece("hit", "low sunlight"),
        Piece("lost", "bone"),
        Piece("added", "bounce"),
        Piece("hit", "softening"),
        Piece("added", "now"),
    )


def test_characters_that_differ_are_marked() -> None:
    pieces, joiner = marked("体温正常吗？", "提温正常。", "zh")
    assert joiner == ""
    assert pieces == (Piece("lost", "体"), Piece("added", "提"), Piece("hit", "温正常"), Piece("lost", "吗"))


def test_a_transcript_that_runs_on_is_cut() -> None:
    pieces, _ = marked("one", "one " + "two " * 5000, "en")
    assert sum(len(piece.text.split()) for piece in pieces) <= MOST_UNITS + 2
    assert pieces[-1].text.endswith("…")


@given(st.lists(st.sampled_from(["sky", "blue", "why", "moon"]), max_size=12), st.data())
def test_hits_and_marks_give_back_both_texts(reference: list[str], data: st.DataObject) -> None:
    heard = data.draw(st.lists(st.sampled_from(["sky", "blue", "why", "sun"]), max_size=12))
    pieces, joiner = marked(" ".join(reference), " ".join(heard), "en")
    clean = normaliser("en").clean
    assert joiner.join(p.text for p in pieces if p.kind != "added") == clean(" ".join(reference))
    assert joiner.join(p.text for p in pieces if p.kind != "lost") == clean(" ".join(heard))


def test_voices_by_language_are_all_named():
    mixing = {"synthetic_noise": 0, "noisy_recordings": 0}
    for voice, said in (
        ("kokoro", "(voice engine kokoro)"),
        ({"en": "espeak", "zh": "kokoro"}, "(voice engines espeak and kokoro)"),
        ({"en": "kokoro", "zh": "kokoro"}, "(voice engine kokoro)"),
    ):
        audit = {"recipe": {"speak": {"voice": voice}}, "mixing": mixing}
        assert synthetic(audit) == f"The speech is synthetic {said}."


@pytest.mark.parametrize(
    ("spoken", "told"),
    [
        (["clean"], "clean speech"),
        (["clean", "snr_10", "snr_0"], "clean speech and noise at 10\u202fdB and 0\u202fdB SNR"),
        (["clean", "phone"], "clean speech and phone"),
        (
            ["clean", "snr_0", "disfluent@0.5/clean", "disfluent@0.5/snr_0", "typos@0.1/clean"],
            "clean speech and noise at 0\u202fdB SNR, as written and behind disfluent@0.5 and typos@0.1",
        ),
    ],
)
def test_the_summary_tells_conditions_once_and_then_the_channels(spoken: list[str], told: str) -> None:
    assert told_conditions(spoken) == told
