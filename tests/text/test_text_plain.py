"""Languages that need no code of their own: numbers and symbols in words, on both sides and aloud."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr.errors import UserError
from squtr.languages import language_row
from squtr.text import count_errors, normaliser, read_aloud
from squtr.text.plain import plain


@pytest.mark.parametrize(
    ("language", "one", "other"),
    [
        ("de", "Das kostet 5 €.", "das kostet fünf Euro"),
        ("de", "€5", "fünf Euro"),
        ("de", "im Jahr 1989", "im Jahr neunzehnhundertneunundachtzig"),
        ("de", "1.234,5 km/h", "eintausendzweihundertvierunddreißig Komma fünf Kilometer pro Stunde"),
        ("de", "-5 °C", "minus fünf Grad Celsius"),
        ("de", "50%", "fünfzig Prozent"),
        ("fr", "20 000 habitants, 3,5 %", "vingt mille habitants trois virgule cinq pour cent"),
        ("fr", "97 ans", "quatre-vingt-dix-sept ans"),
        ("fr", "L’eau", "l'eau"),
        ("es", "el 6 de enero de 2020", "el seis de enero de dos mil veinte"),
        ("es", "¿$5?", "cinco dólares"),
    ],
)
def test_two_ways_to_write_the_same(language, one, other):
    assert normaliser(language).clean(one) == normaliser(language).clean(other)
    assert count_errors(one, other, language).errors == 0


def test_accents_are_part_of_a_word():
    assert count_errors("il a mangé", "il a mange", "fr").substitutions == 1


@pytest.mark.parametrize(
    ("language", "written", "spoken"),
    [
        ("de", "Kostet das 3,50 €?", "Kostet das drei Komma fünf Euro?"),
        ("de", "am 3. Oktober 1990.", "am 3. Oktober neunzehnhundertneunzig."),
        ("de", "B12 und 007", "B12 und null null sieben"),
        ("de", "1990-1995 und 24/7", "1990-1995 und 24/7"),
        ("fr", "le 1er mai 2024", "le 1er mai deux mille vingt-quatre"),
        ("es", "¿Cuántos son 20 % de 50?", "¿Cuántos son veinte por ciento de cincuenta?"),
    ],
)
def test_reading_leaves_what_a_voice_knows_better(language, written, spoken):
    assert read_aloud(written, language).spoken == spoken


@given(st.sampled_from(["de", "fr", "es"]), st.integers(0, 10**15 - 1))
def test_any_number_is_said_and_counts_as_itself(language, number):
    spoken = read_aloud(f"a {number} b", language).spoken
    assert not any(char.isdigit() for char in spoken)
    assert count_errors(f"a {number} b", spoken, language).errors == 0


def test_the_version_holds_the_words_of_the_row():
    row = language_row("de")
    other = row.model_copy(update={"symbols": {**row.symbols, "%": "vom Hundert"}})
    assert plain(row).version != plain(other).version
    assert plain(row).version.startswith("squtr-plain/1+num2words-")


def test_without_number_words_digits_stay():
    row = language_row("de").model_copy(update={"number_words": None, "symbols": {}})
    assert plain(row).clean("Die 7 Zwerge!") == "die 7 zwerge"


def test_a_missing_package_is_told(monkeypatch):
    monkeypatch.setitem(sys.modules, "num2words", None)
    with pytest.raises(UserError, match=r"num2words: pip install 'squtr\[languages\]'"):
        plain(language_row("de"))
