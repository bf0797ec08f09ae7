"""Prices, short scales, plans and emoji: what is said, and that the normaliser takes it for the text."""

from __future__ import annotations

import pytest

from squtr.text import count_errors, read_aloud

ENGLISH = [
    ("€12.50", "twelve euros and fifty cents"),
    ("£3.50", "three pounds and fifty pence"),
    (
        "€1,234.50",
        "one thousand two hundred and thirty four euros and fifty cents",
    ),
    ("$12.50", "twelve dollars and fifty cents"),
    ("£1", "one pound"),
    ("$1.50", "one dollar and fifty cents"),
    ("£1.01", "one pound and one penny"),
    ("$0.99", "ninety nine cents"),
    ("£0.50", "fifty pence"),
    ("$0.00", "zero dollars"),
    ("£4.00", "four pounds"),
    ("1.5bn dollars", "one point five billion dollars"),
    ("2bn", "two billion"),
    ("1.5m people", "one point five million people"),
    ("2m dollars", "two million dollars"),
    ("2M users", "two million users"),
    ("1.5m tall", "one point five meters tall"),
    ("5m", "five meters"),
    ("5m from here", "five meters from here"),
    ("100m women's final", "one hundred meters women's final"),
    ("3.5k people", "three point five k people"),
    ("802.11ac", "eight hundred and two point one one ac"),
    ("a 401k plan", "a four oh one k plan"),
    ("403(b)", "four oh three b"),
    ("12:30", "twelve thirty"),
    ("3.05pm", "three oh five PM"),
    ("remove files 😀", "remove files"),
    ("great 😀, thanks", "great, thanks"),
    ("hello😀world", "hello world"),
    ("👩🏽\u200d💻 go 🇩🇪 now 1\ufe0f\u20e3 ok ❤\ufe0f", "go now one ok"),
    ("a → b ★", "a b"),
    ("20℃ and 5% of €20", "twenty degrees Celsius and five percent of twenty euros"),
    ("½ cup 🙂", "one half cup"),
    ("sold for 3 🙂", "sold for three"),
]

CHINESE = [
    ("删除文件😀", "删除文件"),
    ("今天😀明天", "今天明天"),
    ("好👍🏽。", "好。"),
    ("用Python 😀 写", "用Python 写"),
    ("今天20℃，有€5和5%", "今天二十摄氏度，有五欧元和百分之五"),
]


@pytest.mark.parametrize(("written", "spoken"), ENGLISH)
def test_english_is_said_and_recognised(written: str, spoken: str) -> None:
    assert read_aloud(written, "en").spoken == spoken
    assert count_errors(written, spoken, "en").errors == 0


@pytest.mark.parametrize(("written", "spoken"), CHINESE)
def test_chinese_is_said_and_recognised(written: str, spoken: str) -> None:
    assert read_aloud(written, "zh").spoken == spoken
    assert count_errors(written, spoken, "zh").errors == 0


def test_a_dropped_emoji_is_a_span_of_the_reading() -> None:
    reading = read_aloud("remove files 😀", "en")
    assert [(reading.written[a:b], reading.spoken[c:d]) for a, b, c, d in reading.spans] == [(" 😀", "")]
