"""disfluent: the published examples to the letter, what is left alone, Chinese, and WER with and without."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from squtr.channels import Changed, read_channel
from squtr.channels.hesitations import hesitations
from squtr.channels.operators.disfluent import Disfluent
from squtr.errors import UserError
from squtr.text import count_errors, normaliser

FEE = "I thought the fee was 2.5%. Are you sure about that?"
BUY = (
    "Yes, I'm here. But I'm just a bit uncertain. Are you sure you can't give any advice on whether now is a"
    " good time to buy?"
)
BUY_HALF = (
    "Yes, I'm here. But- But I'm just a bit uncertain. Are you sure you can't give any uh, advice on whether"
    " now is a good uh, time to buy?"
)
PLAIN = st.lists(
    st.sampled_from("the fee was due last Monday but nobody will tell me why it is so high, please".split()),
    max_size=12,
    unique=True,
).map(" ".join)


def hesitant(text: str, rate: float, language: str = "en") -> Changed:
    return Disfluent(rate).change(text, language, np.random.default_rng(1))


@pytest.mark.parametrize(
    ("text", "rate", "spoken"),
    [
        (FEE, 0.25, FEE),
        (FEE, 0.5, FEE),
        (FEE, 0.75, "I thought the fee was 2.5%. Are you sure uh, about that?"),
        (FEE, 1.0, "I thought the fee was 2.5%. Are — you uh, sure about uh, that?"),
        (
            BUY,
            0.25,
            "Yes, I'm here. But- But I'm just a bit uncertain. Are you sure you can't give any advice on"
            " whether now is a good time to buy?",
        ),
        (BUY, 0.5, BUY_HALF),
        (BUY, 0.75, BUY_HALF),
        (
            BUY,
            1.0,
            "uh, Yes, I'm here. But I'm just a bit uncertain. Are you sure you can't- can't um, give any"
            " advice on whether — now is a good time to buy?",
        ),
    ],
)
def test_the_published_examples_to_the_letter(text: str, rate: float, spoken: str) -> None:
    assert hesitant(text, rate).text == spoken


def test_the_edits_say_what_was_put_in_where() -> None:
    passed = read_channel("disfluent@1").apply(BUY, "en", 7, "any")
    assert [(edit["kind"], edit["after"]) for edit in passed.edits] == [
        ("filler", "uh, "),
        ("repetition", "can't- "),
        ("filler", "um, "),
        ("pause", "— "),
    ]
    assert all(edit["before"] == "" for edit in passed.edits)
    assert BUY[passed.edits[1]["start"] :].startswith("can't give")


def test_seed_and_item_have_no_part_in_it_and_nought_does_nothing() -> None:
    channel = read_channel("disfluent@1.0")
    assert len({channel.apply(BUY, "en", seed, item).text for seed in (1, 2) for item in "ab"}) == 1
    assert hesitant(BUY, 0.0) == Changed(BUY)
    assert hesitant("", 1.0) == Changed("") and hesitant(" — ?", 1.0).text.split()[-2:] == ["—", "?"]


@given(st.lists(st.sampled_from(["4", "B2B", "bob@a.org", "go", "on"]), max_size=8).map(" ".join))
def test_no_boundary_beside_a_digit_or_an_at_sign_is_touched(text: str) -> None:
    for edit in hesitant(text, 1.0).edits:
        before, after = text[: edit.start].split()[-1:], text[edit.start :].split()[:1]
        assert set(before + after) <= {"go", "on"}


@settings(deadline=None)
@given(PLAIN, st.sampled_from([0.25, 0.5, 1.0]))
def test_the_audit_counts_what_the_edits_say_and_clean_text_loses_it(text: str, rate: float) -> None:
    found = hesitant(text, rate)
    kinds = [edit.kind for edit in found.edits]
    said = hesitations(found.text, "en")
    assert (said.fillers, said.repetitions) == (kinds.count("filler"), kinds.count("repetition"))
    chosen = normaliser("en")
    assert chosen.fluent(found.text) == chosen.fluent(text)
    verbatim = count_errors(text, found.text, "en")
    assert verbatim.insertions == len(kinds) - kinds.count("pause") and verbatim.errors == verbatim.insertions


CHINESE = "我想问一下北京大学的地址在哪里，谢谢你帮我看看iPhone 15 Pro和AT&T，邮箱是bob@a.org吗"


def test_chinese_hesitates_between_words_without_blanks() -> None:
    found = hesitant(CHINESE, 0.5, "zh")
    assert found.text.startswith("我，呃，想问一下") and "看看，嗯，iPhone 15 Pro和AT&T" in found.text
    assert [(edit.kind, edit.after) for edit in found.edits] == [("filler", "，呃，"), ("filler", "，嗯，")]
    assert hesitant("打开 www.foo.com 看看 iPhone Pro 的价格", 1.0, "zh").text == (
        "打开 www.foo.com 看看 iPhone-iPhone ——Pro 的-的，嗯，价格"
    )


@settings(deadline=None)
@given(st.text("请问北京的人口是多少公里天气怎么样图书馆几点开门，？", max_size=30))
def test_chinese_loses_fillers_and_keeps_its_characters(text: str) -> None:
    found = hesitant(text, 1.0, "zh")
    put_in = "".join(edit.after for edit in found.edits)
    assert sorted(found.text) == sorted(text + put_in)
    assert sum(edit.kind == "filler" for edit in found.edits) == hesitations(found.text, "zh").fillers


@pytest.mark.parametrize(
    "text", ["请问北京的人口是多少？", "我想查一下明天上海到南京的火车票还有没有", "苹果手机的电池多久换一次"]
)
def test_the_chinese_rate_is_given_verbatim_and_clean(text: str) -> None:
    spoken = "嗯，" + text.replace("的", "，那个，的", 1).replace("一", "一-一", 1).replace("多", "——多", 1)
    chosen = normaliser("zh")
    assert chosen.fluent(spoken) == chosen.fluent(text) != chosen.clean(spoken)


def test_faulty_settings_are_one_clear_error() -> None:
    with pytest.raises(UserError, match="from 0 to 1"):
        read_channel("disfluent@1.2")
    with pytest.raises(UserError, match=r"does not know the language 'ja'\. It knows en, zh"):
        read_channel("disfluent").check_language("ja")
    assert Disfluent(0.5).fingerprint != Disfluent(0.6).fingerprint
