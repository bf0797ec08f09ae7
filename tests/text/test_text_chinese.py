"""Chinese: blanks, widths, numerals, scripts, units."""

from __future__ import annotations

import pytest

from squtr.text import align, count_errors, normaliser

ZH = normaliser("zh")


def test_c37_one_wrong_character_in_eight() -> None:
    counts = count_errors("北京的人口是多少", "北京的人口有多少", "zh")
    assert (counts.substitutions, counts.reference_length, counts.rate) == (1, 8, 0.125)
    assert count_errors("北京的人口是多少", "北京的人口有多少", "zh", unit="word").rate == 1.0


def test_c37_blanks_between_characters_do_not_count() -> None:
    assert count_errors("今天天气怎么样", "今 天 天 气 怎 么 样", "zh").errors == 0
    written = count_errors("今天天气怎么样", "今 天 天 气 怎 么 样", "zh", form="written")
    assert written.rate == pytest.approx(6 / 7)


def test_c37_a_missing_question_mark_does_not_count() -> None:
    assert count_errors("今天天气怎么样？", "今天天气怎么样", "zh").errors == 0
    assert count_errors("今天天气怎么样？", "今天天气怎么样", "zh", form="written").rate == 0.125


@pytest.mark.parametrize(
    ("reference", "hypothesis", "written"),
    [
        ("２０２４年北京人口", "2024年北京人口", 4 / 9),
        ("二零二四年", "2024年", 0.8),
        ("百分之五十", "50%", 1.0),
    ],
)
def test_c38_digits_in_any_form(reference: str, hypothesis: str, written: float) -> None:
    assert count_errors(reference, hypothesis, "zh", form="written").rate == pytest.approx(written)
    assert count_errors(reference, hypothesis, "zh").rate == 0.0


def test_c38_a_telephone_number_is_no_quantity() -> None:
    assert ZH.clean("1300 555 019") == ZH.clean("一三零零五五五零一九") == "1300555019"
    assert ZH.clean("幺三八零零幺三八零零零") == "13800138000"


def test_c39_traditional_against_simplified() -> None:
    pair = ("你到底有没有在听我讲", "你到底有沒有在聽我講")
    assert count_errors(*pair, "zh", form="written").rate == pytest.approx(0.3)
    assert count_errors(*pair, "zh").rate == 0.0
    assert ZH.clean("兩萬點零") == "20000.0"


def test_c39_the_converter_is_part_of_the_version() -> None:
    assert ZH.version.startswith("squtr-zh/1+opencc-python-reimplemented-")
    assert normaliser("en").version == "squtr-en/2"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("三百六十五", "365"),
        ("一万二千", "12000"),
        ("一万二", "12000"),
        ("三百六", "360"),
        ("一百零五", "105"),
        ("两千", "2000"),
        ("两千零二十四", "2024"),
        ("一百二十亿零三千万", "12030000000"),
        ("十二万五千", "125000"),
        ("12万5千", "125000"),
        ("1.5亿", "150000000"),
        ("一点五亿", "150000000"),
        ("三点一四", "3.14"),
        ("负零点四", "负0.4"),
        ("-0.4", "负0.4"),
        ("零下五度", "负5度"),
        ("百分之百", "100%"),
        ("千分之三", "3‰"),
        ("三分之二", "3分之2"),
        ("2/3", "3分之2"),
        ("一百分之一", "100分之1"),
        ("3:05", "3点05分"),
        ("三点零五分", "3点05分"),
        ("12:00", "12点"),
        ("2:1", "2比1"),
        ("5-10天", "5到10天"),
        ("10%~20%", "10%到20%"),
        ("2024-05-01", "2024年5月1日"),
        ("20℃", "20摄氏度"),
        ("２０％", "20%"),
        ("30km/h", "每小时30公里"),
        ("六十千克", "60公斤"),
        ("60kg", "60公斤"),
        ("三千米", "3000米"),
        ("100m²", "100平方米"),
        ("12.5平方", "12.5平方"),
        ("100倍", "100倍"),
        ("1,234元", "1234元"),
        ("¥20和$5.50", "20元和5.50美元"),
        ("歼-20", "歼20"),
        ("1950s", "1950年代"),
        ("140 90", "14090"),
        ("一百四十 九十", "14090"),
    ],
)
def test_c38_numbers_have_one_form(text: str, expected: str) -> None:
    assert ZH.clean(text) == expected


@pytest.mark.parametrize("text", ["万一", "千万不要", "几十万", "成百上千", "亿万"])
def test_multipliers_without_a_number_stay(text: str) -> None:
    assert ZH.clean(text) == text


@pytest.mark.parametrize("idiom", ["一下", "第一", "十分", "三亚", "九江", "一九九〇年代", "三四百", "老幺"])
def test_idioms_change_alike_on_both_sides(idiom: str) -> None:
    assert count_errors(f"请问{idiom}吗", f"请问 {idiom} 吗？", "zh").errors == 0
    assert count_errors(idiom, "吗", "zh").errors > 0


def test_latin_words_keep_the_blank_between_them() -> None:
    assert ZH.clean("《Wow! eye  Taiwan》 全民 Windows 10") == "wow eye taiwan全民windows10"


def test_raw_leaves_numbers_and_script_alone() -> None:
    assert ZH.raw("《５０％》 沒有 五十") == "50沒有五十"


def test_fluent_takes_lone_fillers_and_stutters() -> None:
    assert ZH.fluent("嗯，那个，我，我想问北京，呃，在哪里？") == "我想问北京在哪里"
    assert ZH.fluent("那个城市看看嗯哼") == "那个城市看看嗯哼"


def test_repeated_multipliers_stay_fast_and_do_not_fail() -> None:
    for text in ("1" + "亿" * 3000, "一万" * 1000, "十" * 1000, "9" * 6000, " " * 20000 + "x"):
        once = ZH.clean(text)
        assert ZH.clean(once) == once


def test_alignment_counts_characters_not_blanks() -> None:
    last = align("北京的人口是多少", "北京的 人口", "zh")[-1]
    assert (last.kind, last.reference, last.reference_start) == ("deletion", tuple("是多少"), 5)
