"""What goes wrong in text-to-speech, each by its rule; a good take breaks none."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr import languages
from squtr.data_build import take_flags as rules
from squtr.data_build.take_flags import RULES, TakeFacts, take_flags

TEXT = "what is the capital of peru"
SONG = "row row row your boat"
ZH = "北京的人口是多少"
GOOD = TakeFacts(1.8, 0.4, -22.0, TEXT, TEXT, "en")
GOOD_ZH = TakeFacts(1.9, 0.4, -22.0, ZH, ZH, "zh")
PROMPT = "I hope that you will do it even better than me"
ZH_PROMPT = "希望你以后能够做的比我还好呦"


def en(transcript: str = TEXT, spoken: str = TEXT, **changes: object) -> TakeFacts:
    return replace(GOOD, transcript=transcript, spoken=spoken, **changes)  # type: ignore[arg-type]


def zh(transcript: str = ZH, spoken: str = ZH, **changes: object) -> TakeFacts:
    return replace(GOOD_ZH, transcript=transcript, spoken=spoken, **changes)  # type: ignore[arg-type]


@pytest.mark.parametrize("good", [GOOD, GOOD_ZH, replace(GOOD, prompt=TEXT), replace(GOOD_ZH, prompt=ZH)])
def test_a_good_take_breaks_no_rule(good):
    assert take_flags(good) == ()


def test_every_rule_can_break_and_has_a_name_of_its_own():
    assert len({name for name, _ in RULES}) == len({rule for _, rule in RULES}) == 12


def test_c41_too_short_and_too_long():
    assert rules.too_short(en(seconds=0.5))
    assert not rules.too_short(en(seconds=0.7))
    assert rules.too_short(zh(seconds=0.6))
    assert rules.too_long(en(seconds=6))
    assert rules.too_long(zh("好的", "好的", seconds=12))
    assert not rules.too_long(zh("好的", "好的", seconds=1.5))
    assert not rules.too_long(en("oh", "oh", seconds=1.4))


@pytest.mark.parametrize("language", languages.languages())
def test_each_language_has_a_pace_of_its_own(language):
    shortest, longest = languages.language_row(language).seconds_per_character
    ten = replace(GOOD, language=language, spoken="abcde fghij")
    assert rules.too_short(replace(ten, seconds=9.9 * shortest))
    assert not rules.too_short(replace(ten, seconds=10.1 * shortest))
    assert rules.too_long(replace(ten, seconds=10.1 * longest))
    assert not rules.too_long(replace(ten, seconds=9.9 * longest))


def test_an_empty_text_divides_by_nothing():
    assert take_flags(en("", "?!", seconds=0.5)) == ()


@pytest.mark.parametrize(
    ("facts", "broken"),
    [
        (en(f"{TEXT} {TEXT}"), True),
        (en("what is the capital the capital the capital the capital of peru"), True),
        (en("what is the the capital of peru"), False),
        (en("peru " * 20, "peru"), True),
        (zh("北京的人口北京的人口是多少"), True),
        (zh("好好学习天天向上", "好好学习天天向上"), False),
        (
            en("row row row your boat row row row your boat", "row row row your boat row row row your boat"),
            False,
        ),
    ],
)
def test_c36_repeats(facts, broken):
    assert rules.repeats_itself(facts) is broken


def test_long_hallucinated_loops_are_found_in_time():
    assert rules.repeats_itself(zh("多少" * 400))


def test_silence():
    assert rules.silent_at_the_ends(en(trimmed_seconds=2.1))
    assert not rules.silent_at_the_ends(en(trimmed_seconds=2.0))
    assert rules.nearly_silent(en(level_dbfs=-46.0))
    assert not rules.nearly_silent(en(level_dbfs=-44.0))
    assert rules.says_nothing(en(" ... "))
    assert not rules.says_nothing(en("", "?!"))
    assert take_flags(en("")) == ("says nothing",)


@pytest.mark.parametrize(
    ("facts", "broken"),
    [
        (zh("比我还好呦北京的人口是多少", prompt=ZH_PROMPT), True),
        (zh("呦北京的人口是多少", prompt=ZH_PROMPT), True),
        (zh("北京的人口是多少希望你以后", prompt=ZH_PROMPT), True),
        (zh("北京的人口是多好", prompt=ZH_PROMPT), False),
        (zh("呦北京的人口是多少"), False),
        (en(f"than me {TEXT}", prompt=PROMPT), True),
        (en(f"me {TEXT}", prompt=PROMPT), True),
        (en(f"{TEXT} you will do it", prompt=PROMPT), True),
        (en(f"oh {TEXT}", prompt=PROMPT), False),
        (en("what will you do", "what will you do", prompt=PROMPT), False),
        (en("you will do it", "you will do it", prompt=PROMPT), False),
        (en("me and my dog", "me and my dog", prompt=PROMPT), False),
        (en("the the cat sat", "the cat sat", prompt="look at the"), True),
        (en("", prompt=PROMPT), False),
        (en("me", "", prompt=PROMPT), False),
    ],
)
def test_a_leaked_prompt(facts, broken):
    assert rules.leaks_its_prompt(facts) is broken


@pytest.mark.parametrize(
    ("heard", "skips", "breaks", "leaves"),
    [
        ("is the capital of peru", True, False, False),
        ("the capital of peru", True, False, False),
        ("what is the capital of", False, True, False),
        ("what is of peru", False, False, True),
        ("what is capital of peru", False, False, False),
        ("is the capital of", True, True, False),
        ("that is the capital of peru", False, False, False),
        ("", False, False, False),
    ],
)
def test_words_that_are_missing(heard, skips, breaks, leaves):
    facts = en(heard)
    found = (rules.skips_its_beginning(facts), rules.breaks_off(facts), rules.leaves_words_out(facts))
    assert found == (skips, breaks, leaves)


def test_characters_that_are_missing():
    assert rules.skips_its_beginning(zh("京的人口是多少"))
    assert rules.breaks_off(zh("北京的人口是"))
    assert rules.leaves_words_out(zh("北京的多少"))
    assert not rules.leaves_words_out(zh("北京的是多少"))


def test_invented_speech():
    assert rules.says_more(en(f"{TEXT} thank you"))
    assert rules.says_more(en(f"so then {TEXT}"))
    assert not rules.says_more(en(f"oh {TEXT}"))
    assert rules.says_more(zh("北京的人口是多少谢谢你"))
    assert not rules.says_more(zh("北京的人口是多少呢"))


def test_numbers_read_out_are_no_fault():
    assert take_flags(en("who won in 1998", "who won in nineteen ninety eight")) == ()
    assert take_flags(zh("一共有12个人", "一共有十二个人")) == ()


def test_a_short_text_beside_a_long_prompt():
    assert rules.short_beside_its_prompt(zh("好的", "好的", prompt=ZH_PROMPT))
    assert not rules.short_beside_its_prompt(zh(prompt=ZH_PROMPT))
    assert not rules.short_beside_its_prompt(zh("好的", "好的"))


@given(
    st.floats(0, 60),
    st.floats(0, 60),
    st.text(alphabet="ab 京北。1", max_size=30),
    st.text(alphabet="ab 京北。1", max_size=30),
    st.text(alphabet="ab 京北。1", max_size=30),
    st.sampled_from(["en", "zh"]),
)
def test_rules_never_crash_and_a_perfect_transcript_breaks_no_text_rule(
    seconds, trimmed, spoken, heard, prompt, language
):
    take_flags(TakeFacts(seconds, trimmed, -20.0, spoken, heard, language, prompt))
    perfect = TakeFacts(seconds, trimmed, -20.0, spoken, spoken, language, prompt)
    text_rules = {name for name, _ in RULES[5:11]} | {"repeats itself"}
    assert not text_rules & set(take_flags(perfect))
