"""What holds for any text: normalising settles, counts agree, nothing raises."""

from __future__ import annotations

import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr.languages import languages
from squtr.text import ErrorCounts, align, corpus_rate, count_errors, normaliser, units
from squtr.text.folding import settle

ENGLISH = (
    "zero one two five ten twelve twenty ninety hundred hundredth thousand million first third fifth tens"
    " nineties and a oh o point minus half quarters dollars cents percent km mm jan may january the of war"
    " ii who's don't 1 2 20 1999 3.1 .5 $5 5% 3:30 10:00 12/25/2020 5-10 555-1234 1,000 2½ 1st 30s - / ' ."
    " , # & = °c p.m. u.s. £0.50 €3.05 pounds euros pence penny bn m people users pm 12.30 401(k)"
    " e\u0301 \u0301 \u200d İ ß ﬁ"
).split()
CHINESE = [
    *"零〇一二三五九两幺十百千万亿点负分之年月日度米克几第时.,:/-~°$¥ 0125a'，。",
    *"百分之 km kg m2 3:30 2:1 1/2 -5 5% 公里 千米 零下 \u0301 e s".split(),
]
JAPANESE = [
    *"零〇一二三五九十百千万億兆点円年月日時分回度℃°メートルキロヶか・ー〜々0125a.,:/-~$¥、。「」",
    *"km 3:30 1/2 えーと センチ パーセント かヶ月 何百 ｶﾞ e s".split(),
]
LANGUAGES = st.sampled_from(sorted(languages()))
ANYTHING = st.text(max_size=40)
NUMBERED = st.one_of(
    st.lists(st.sampled_from(ENGLISH), max_size=9).map(" ".join),
    st.lists(st.sampled_from(CHINESE), max_size=12).map("".join),
    st.lists(st.sampled_from(JAPANESE), max_size=12).map("".join),
    st.tuples(st.lists(st.sampled_from(CHINESE), max_size=4).map("".join), st.integers(1, 30)).map(
        lambda pair: pair[0] * pair[1]
    ),
    st.tuples(st.lists(st.sampled_from(ENGLISH), max_size=4).map(" ".join), st.integers(1, 20)).map(
        lambda pair: (pair[0] + " ") * pair[1]
    ),
)
TEXTS = st.one_of(ANYTHING, NUMBERED)


@given(text=TEXTS, language=LANGUAGES)
def test_normalising_twice_changes_nothing(text: str, language: str) -> None:
    chosen = normaliser(language)
    for form in (chosen.raw, chosen.clean, chosen.fluent):
        once = form(text)
        assert chosen.clean(once) == once or form == chosen.raw
    assert chosen.raw(chosen.raw(text)) == chosen.raw(text)


@pytest.mark.parametrize("language", sorted(languages()))
def test_every_code_point_settles(language: str) -> None:
    chosen = normaliser(language)
    for code in [*range(0x3400), *range(0x3400, sys.maxunicode + 1, 97)]:
        once = chosen.clean(chr(code))
        assert chosen.clean(once) == once, hex(code)


@given(text=TEXTS, language=LANGUAGES)
def test_a_text_against_itself_has_no_errors(text: str, language: str) -> None:
    counts = count_errors(text, normaliser(language).clean(text), language)
    assert counts.errors == 0
    assert counts.rate in (0.0, None)


@given(
    reference=TEXTS, hypothesis=TEXTS, language=LANGUAGES, form=st.sampled_from(["clean", "raw", "written"])
)
def test_counts_agree_with_units_and_alignment(
    reference: str, hypothesis: str, language: str, form: str
) -> None:
    counts = count_errors(reference, hypothesis, language, form)
    edits = align(reference, hypothesis, language, form)
    sizes = [
        sum(max(len(e.reference), len(e.hypothesis)) for e in edits if e.kind == kind)
        for kind in ("substitution", "deletion", "insertion", "hit")
    ]
    assert counts == ErrorCounts(*sizes)
    assert counts.reference_length == sum(len(e.reference) for e in edits)
    assert counts.rate is None or (0 <= counts.rate < float("inf"))
    assert all(e.reference == e.hypothesis for e in edits if e.kind == "hit")


@given(reference=TEXTS, hypothesis=TEXTS, language=LANGUAGES)
def test_both_sides_are_treated_alike(reference: str, hypothesis: str, language: str) -> None:
    there = count_errors(reference, hypothesis, language)
    back = count_errors(hypothesis, reference, language)
    assert there.errors == back.errors
    assert there.reference_length - there.deletions + there.insertions == back.reference_length


@given(counts=st.lists(st.builds(ErrorCounts, *[st.integers(0, 50)] * 4), max_size=8))
def test_the_corpus_rate_is_the_rate_of_the_sum(counts: list[ErrorCounts]) -> None:
    result = corpus_rate(counts)
    total = sum(counts, ErrorCounts())
    assert result["rate"] == total.rate
    assert result["reference_length"] == sum(count.reference_length for count in counts)
    assert result["share_above_one"] is None or 0 <= result["share_above_one"] <= 1


@given(text=st.text(st.characters(min_codepoint=0x4E00, max_codepoint=0x9FFF), max_size=20))
def test_mixed_units_of_pure_chinese_are_characters(text: str) -> None:
    assert units(text, "zh", "mixed") == units(text, "zh", "character") == list(text)


@given(words=st.lists(st.text("abcdefgé'-", min_size=1), max_size=8))
def test_mixed_units_of_pure_english_are_words(words: list[str]) -> None:
    text = " ".join(words)
    assert units(text, "en", "mixed") == units(text, "en", "word")


def test_a_circle_of_steps_has_one_end() -> None:
    following = {"a": "b", "b": "c", "c": "b"}
    assert {settle(following.__getitem__, start) for start in "abc"} == {"b"}
