"""Punctuation, contractions, accents and fillers in English."""

from __future__ import annotations

import pytest

from squtr.text import count_errors, normaliser

EN = normaliser("en")

CASES_C40 = [
    ("the year nineteen ninety nine", "the year 1999", 0.6),
    ("what's the capital", "what’s the capital", 1 / 3),
    ("who's", "who is", 2.0),
    ("state of the art", "state-of-the-art", 1.0),
    ("caf\u00e9 near me", "cafe\u0301 near me", 1 / 3),
]


@pytest.mark.parametrize(("reference", "hypothesis", "written"), CASES_C40)
def test_c40_written_rates_and_clean_rates(reference: str, hypothesis: str, written: float) -> None:
    assert count_errors(reference, hypothesis, "en", form="written").rate == pytest.approx(written)
    assert count_errors(reference, hypothesis, "en").rate == 0.0


def test_raw_keeps_numbers_and_drops_marks() -> None:
    assert EN.raw("It’s Twenty-One, or 21?!  (état)") == "its twenty one or 21 état"


@pytest.mark.parametrize(
    ("reference", "hypothesis"),
    [
        ("rainy-day / emergency fund", "rainy day emergency fund"),
        ("Beyoncé's first café", "beyonces first cafe"),
        ("Beyonce\u0301's first cafe\u0301", "Beyoncé’s 1st café"),
        ("AT&T and R & B", "AT and T and R and B"),
        ("U.S. history, e.g. the U.S.A.", "US history eg the USA"),
        ("Dr. Who vs. Mr. Bean", "Doctor Who versus Mister Bean"),
        ("see example.org", "see example dot org"),
        ("naïve résumé", "naive resume"),
        ("full\u00adwidth ＡＢＣ\u200b", "fullwidth abc"),
        ("the letter π", "the letter pi"),
        ("line one\nline\ttwo\u00a0end", "line one line two end"),
        ("don't can't won't shan't", "do not cannot will not shall not"),
        ("whats the time, dont ask", "what's the time don't ask"),
        ("they're we've I'm you'll he'd let's", "they are we have i am you will he would let us"),
        ("medicare’s definition", "medicares definition"),
        ("rock 'n' roll 'quoted'", "rock n roll quoted"),
    ],
)
def test_a_perfect_transcript_has_no_errors(reference: str, hypothesis: str) -> None:
    assert EN.clean(reference) == EN.clean(hypothesis)
    assert count_errors(reference, hypothesis, "en").errors == 0


def test_accents_are_folded_in_clean_alone() -> None:
    assert EN.clean("café") == EN.clean("cafe")
    assert EN.raw("café") != EN.raw("cafe")


def test_spelling_variants_stay_apart() -> None:
    assert count_errors("colour", "color", "en").errors == 1


def test_fillers_stay_in_clean_and_go_in_fluent() -> None:
    text = "Um, I- I need, uh, the the fee of — of New York, New York. I had had enough, er."
    assert EN.clean("um what uh is") == "um what uh is"
    assert EN.fluent(text) == "i need the fee of new york new york i had had enough"


def test_fluent_takes_stuttered_pairs_and_keeps_whole_words() -> None:
    assert EN.fluent("are you- are you sure") == "are you sure"
    assert EN.fluent("umbrella errors, thermal") == "umbrella errors thermal"


def test_emoji_marks_and_symbols_alone_give_nothing() -> None:
    assert EN.clean("?! 🙂👩‍💻 ❤️ … —") == ""
