"""Number words and digits meet in one form; a word that is no number is left alone."""

from __future__ import annotations

import pytest

from squtr.text import count_errors, normaliser

EN = normaliser("en")

SAME = [
    ("thirty six", "36", "36"),
    ("nineteen ninety nine", "1999", "1999"),
    ("nineteen oh five", "1905", "1905"),
    ("twenty twenty five", "2025", "2025"),
    ("fifteen hundred", "1500", "1500"),
    ("two thousand and seven", "two thousand seven", "2007"),
    ("one hundred and five", "105", "105"),
    ("two million five hundred thousand", "2,500,000", "2500000"),
    ("three point one", "3.1", "3.1"),
    ("ten point one zero", "10.10", "10.10"),
    ("zero point four", "0.4", "0.4"),
    ("minus zero point four", "-0.4", "minus 0.4"),
    ("negative five", "−5", "minus 5"),
    ("one point five million", "1.5 million", "1500000"),
    ("a hundred", "one hundred", "100"),
    ("one", "1", "1"),
    ("twenty first", "21st", "21st"),
    ("twenty-first", "21ST", "21st"),
    ("one hundredth", "100th", "100th"),
    ("twelfth", "12th", "12th"),
    ("nineteen nineties", "1990's", "1990s"),
    ("nineties", "’90s", "90s"),
    ("two thousands", "2000s", "2000s"),
    ("one thousand five hundred dollars", "$1,500", "1500 dollars"),
    ("one dollar", "$1", "1 dollars"),
    ("five dollars and fifty cents", "$5.50", "5.50 dollars"),
    ("ninety nine cents", "$0.99", "99 cents"),
    ("ten thousand dollars", "$10k", "10000 dollars"),
    ("twenty pounds", "£20", "20 pounds"),
    ("one point five billion euros", "€1.5 billion", "1500000000 euros"),
    ("12 euros and 50 cents", "€12.50", "12.50 euros"),
    ("three pounds and fifty pence", "£3.50", "3.50 pounds"),
    ("three pounds one penny", "£3.01", "3.01 pounds"),
    ("one thousand two hundred and thirty four euros and fifty cents", "€1,234.50", "1234.50 euros"),
    ("one pound", "£1", "1 pounds"),
    ("four pounds", "£4.00", "4 pounds"),
    ("fifty pence", "£0.50", "50 pence"),
    ("five cents", "€0.05", "5 cents"),
    ("zero point five dollars", "$0.5", "0.5 dollars"),
    ("one point five billion dollars", "1.5bn dollars", "1500000000 dollars"),
    ("two billion", "2bn", "2000000000"),
    ("one point five million people", "1.5m people", "1500000 people"),
    ("two million users", "2M users", "2000000 users"),
    ("one point five meters tall", "1.5m tall", "1.5 meters tall"),
    ("one hundred meters hurdles", "100m hurdles", "100 meters hurdles"),
    ("four oh one k", "401(k)", "401 k"),
    ("twelve thirty pm", "12.30 p.m.", "1230 pm"),
    ("twelve point three zero", "12.30", "12.30"),
    ("four point five percent", "4.5%", "4.5 percent"),
    ("five per cent", "5 percent", "5 percent"),
    ("three thirty", "3:30", "330"),
    ("three oh five pm", "3:05 p.m.", "305 pm"),
    ("three o'clock", "3:00", "3 o clock"),
    ("ten a.m.", "10:00 AM", "10 am"),
    ("december twenty fifth twenty twenty", "12/25/2020", "december 25 2020"),
    ("the twenty fifth of december twenty twenty", "2020-12-25", "december 25 2020"),
    ("the twenty eighth of june nineteen nineteen", "28 June 1919", "june 28 1919"),
    ("january fifth", "Jan 5", "january 5"),
    ("one half cup", "½ cup", "1 2 cup"),
    ("three quarters", "3/4", "3 4"),
    ("two and a half cups", "2½ cups", "212 cups"),
    ("nineteen fourteen to nineteen eighteen", "1914-1918", "1914 to 1918"),
    ("five five five one two three four", "555-1234", "5551234"),
    ("one three zero zero five five five zero one nine", "1300 555 019", "1300555019"),
    ("zero zero seven", "007", "007"),
    ("nine one one", "9/11", "911"),
    ("twenty millimeters", "20mm", "20 millimeters"),
    ("five kilometers per hour", "5 km/h", "5 kilometers per hour"),
    ("eighty degrees fahrenheit", "80 °F", "80 degrees fahrenheit"),
    ("world war two", "World War II", "world war 2"),
    ("number one", "#1", "number 1"),
    ("no one", "no 1", "no 1"),
]

UNCHANGED = [
    "o brother where art thou",
    "oh brother",
    "hundreds of thousands",
    "million dollar baby",
    "that is beside the point",
    "half of it",
    "someone often tends a tenor",
    "hand and foot",
    "had had new york new york",
    "um i uh think er so",
]


@pytest.mark.parametrize(("said", "written", "canonical"), SAME)
def test_c40_numbers_said_and_written_meet(said: str, written: str, canonical: str) -> None:
    assert EN.clean(said) == canonical
    assert EN.clean(written) == canonical


@pytest.mark.parametrize("text", UNCHANGED)
def test_words_that_are_no_numbers_stay(text: str) -> None:
    assert EN.clean(text) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("between one hundred and two hundred", "between 100 and 200"),
        ("one hundred and twenty thousand", "120000"),
        ("may twenty nineteen ninety", "may 20 1990"),
        ("one eight hundred five five five one two three four", "18005551234"),
        ("twenty four seven", "24 7"),
        ("seven one four", "714"),
        ("one two", "1 2"),
        ("one one one one one one one one one one one one one one one one one one one", " ".join("1" * 19)),
        ("10.10 and 3.14.15", "10.10 and 3.14.15"),
        ("the number 3.", "the number 3"),
        ("iphone15 mp3 b12", "iphone 15 mp 3 b 12"),
        ("five million million million million", "5000000000000 million million"),
        ("192.0.2.1", "192.0.2.1"),
    ],
)
def test_number_boundaries(text: str, expected: str) -> None:
    assert EN.clean(text) == expected


def test_c40_a_number_and_a_number_of_dollars_stay_apart() -> None:
    assert count_errors("one dollar", "one", "en").errors == 1
    assert count_errors("three point one", "31", "en").errors == 1
    assert count_errors("thirty six", "3006", "en").errors == 1


def test_c40_millimetres_never_become_something_else() -> None:
    assert EN.clean("20mm") == EN.clean("20 mm") == EN.clean("twenty millimeters")
    assert "hmm" not in EN.clean("20mm")


def test_money_rules_leave_weights_and_decimals_alone() -> None:
    assert EN.clean("0.75 lb") == EN.clean("zero point seven five pounds") == "0.75 pounds"
    assert EN.clean("1.5 dollars and 5 cents") == "1.5 dollars and 5 cents"
    assert EN.clean("3 pounds and 50 cents") == "3 pounds and 50 cents"
    assert count_errors("£3.50", "€3.50", "en").errors == 1


def test_a_clock_time_is_no_decimal() -> None:
    assert count_errors("12:30 pm", "12.30 pm", "en").errors == 0
    assert count_errors("12:30", "12.30", "en").errors == 1
    assert EN.clean("12.75 pm") == "12.75 pm"


def test_a_very_long_number_does_not_fail() -> None:
    digits = "9" * 6000
    assert EN.clean(digits) == digits
    assert EN.clean(f"{digits} million") == f"{digits} million"
