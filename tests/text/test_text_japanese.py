"""Japanese: one form on both sides, numbers above all, and the form that is read aloud."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr.errors import ItemFailure
from squtr.text import count_errors, normaliser, read_aloud
from squtr.text.japanese_numbers import grouped

JA = normaliser("ja")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("富士山の高さは3,776mです。", "富士山の高さは三千七百七十六メートルです"),
        ("50%", "５０パーセント"),
        ("12:30に", "十二時三十分に"),
        ("9:00", "九時"),
        ("2024/5/1", "二〇二四年五月一日"),
        ("5℃", "摂氏五度"),
        ("-5℃", "マイナス摂氏5度"),
        ("1/3", "三分の一"),
        ("20〜30代", "二十から三十代"),
        ("3ヶ月", "三か月"),
        ("¥500", "五百円"),
        ("$1.5億", "1.5億ドル"),
        ("1億2000万人", "一億二千万人"),
        ("120000000人", "1億2,000万人"),
        ("1兆5千億円", "一兆五千億円"),
        ("3.14", "三点一四"),
        ("百二十六", "126"),
        ("三百六", "306"),
        ("千円", "1000円"),
        ("ｶﾀｶﾅ、「ＡＢＣ」！", "カタカナabc"),
        ("100 km/h", "百キロメートル毎時"),
    ],
)
def test_two_ways_to_write_the_same(one, other):
    assert JA.clean(one) == JA.clean(other)
    assert count_errors(one, other, "ja").errors == 0


@pytest.mark.parametrize("text", ["千葉県", "百合の花", "何百人", "数千人", "子ども", "ラーメン", "時々"])
def test_what_is_no_number_stays(text):
    assert JA.clean(text) == text


def test_kana_and_kanji_are_not_the_same():
    counts = count_errors("子供の日", "子どもの日", "ja")
    assert (counts.substitutions, counts.insertions, counts.reference_length) == (1, 1, 4)


def test_raw_keeps_numbers_as_written():
    assert JA.raw("三千7m、Ｗｅｂ サイト！") == "三千7m webサイト"


def test_fluent_drops_fillers_and_stutters():
    assert JA.fluent("えーと、わ、わたしは、あの、行きます") == JA.clean("わたしは行きます")
    assert JA.fluent("あの人はえらい") == "あの人はえらい"


@given(st.integers(0, 10**16 - 1))
def test_a_number_is_read_as_what_it_is(number):
    spoken = read_aloud(f"人口は{number}人です", "ja").spoken
    assert not any(char in "0123456789" for char in spoken)
    assert JA.clean(spoken) == f"人口は{number}人です"


@pytest.mark.parametrize(
    ("digits", "said"), [("0", "0"), ("10000", "1万"), ("120000000", "1億2000万"), ("1000000000001", "1兆1")]
)
def test_groups_of_four(digits, said):
    assert grouped(digits) == said


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("富士山の高さは3776mですか", "富士山の高さは三千七百七十六メートルですか"),
        ("0120-123-456に電話", "零一二零の一二三の四五六に電話"),
        ("5℃", "摂氏五度"),
        ("20〜30代", "二十から三十代"),
        ("F-16", "F十六"),
        ("１０個🙂", "十個"),
        ("1,234,567円", "百二十三万四千五百六十七円"),
        ("「AI」とは", "「AI」とは"),
    ],
)
def test_reading(written, spoken):
    reading = read_aloud(written, "ja")
    assert reading.spoken == spoken
    rebuilt, place = "", 0
    for w_start, w_end, s_start, s_end in reading.spans:
        rebuilt += written[place:w_start] + spoken[s_start:s_end]
        place = w_end
    assert rebuilt + written[place:] == spoken


def test_nothing_to_read():
    with pytest.raises(ItemFailure):
        read_aloud("！？🙂", "ja")
