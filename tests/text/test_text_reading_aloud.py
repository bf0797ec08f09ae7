"""The spoken form: right readings, spans that rebuild it, and nothing that stops the run."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from squtr.content import content
from squtr.errors import ItemFailure, UserError
from squtr.text import (
    ErrorCounts,
    Reading,
    corpus_rate,
    count_errors,
    read_aloud,
    reading_fingerprint,
)

SHARED = Path(__file__).resolve().parents[2] / ".." / "shared" / "data"
QUERIES = [
    ("en", SHARED / "msmarco-50" / "queries.jsonl", 0.01),
    ("zh", SHARED / "cmrc-zh-100" / "queries.jsonl", 0.015),
    ("en", content("data_build", "pocket", "en", "queries.jsonl"), 0.01),
    ("zh", content("data_build", "pocket", "zh", "queries.jsonl"), 0.015),
]
PHONE_AND_LINK = (
    "call +1 (555) 010-0199 or mail a.b@example.org, see https://example.org/q?id=7 for v0.0.16 and 192.0.2.1"
)


def rebuilt(reading: Reading) -> str:
    pieces, position = [], 0
    for written_start, written_end, spoken_start, spoken_end in reading.spans:
        pieces.append(reading.written[position:written_start])
        pieces.append(reading.spoken[spoken_start:spoken_end])
        position = written_end
    return "".join(pieces) + reading.written[position:]


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("-0.4", "minus zero point four"),
        ("007", "zero zero seven"),
        ("10.10", "ten point one zero"),
        ("1,234", "one thousand two hundred and thirty four"),
        ("about 1,234 people", "about one thousand two hundred and thirty four people"),
        ("3:30 this", "three thirty this"),
        ("3:05", "three oh five"),
        ("1300 555 019", "one three zero zero, five five five, zero one nine"),
        ("555-1234", "five five five, one two three four"),
        ("+44 20 7946 0958", "plus four four, two zero, seven nine four six, zero nine five eight"),
        ("+8613800138000", "plus eight six one three eight zero zero one three eight zero zero zero"),
        ("(020) 7946 0958", "zero two zero, seven nine four six, zero nine five eight"),
        ("+1-555-010-0199", "plus one, five five five, zero one zero, zero one nine nine"),
        ("1,00,000 or 2,34,000", "one hundred thousand or two hundred thirty four thousand"),
        ("x²", "x²"),
        ("iPhone15", "iPhone fifteen"),
        ("$1,500", "one thousand five hundred dollars"),
        ("$5.50", "five dollars and fifty cents"),
        ("$10k", "ten thousand dollars"),
        ("the 1990s", "the nineteen nineties"),
        ("in 1905", "in nineteen oh five"),
        ("1914-1918", "nineteen fourteen to nineteen eighteen"),
        ("100 m", "one hundred meters"),
        ("#1 and 60+", "number one and sixty plus"),
        ("2½ cups", "two and a half cups"),
        ("the Sun on TV", "the sun on tv"),
        ("what's a 401(k)?", "what's a four oh one k?"),
        ('say "5"', 'say "five"'),
        ("the range [5]", "the range [five]"),
        ("part of _____.", "part of ."),
    ],
)
def test_c48_english_readings(written: str, spoken: str) -> None:
    assert read_aloud(written, "en").spoken == spoken


@pytest.mark.parametrize(
    ("written", "spoken"),
    [
        ("100年", "一百年"),
        ("２０", "二十"),
        ("12.5平方", "十二点五平方"),
        ("10.10", "十点一零"),
        ("1,234元", "一千二百三十四元"),
        ("１２：３０", "十二点三十分"),
        ("罗店镇１９７９年？", "罗店镇一九七九年？"),
        ("F-16和歼-20", "F十六和歼二十"),
        ("气温-5度", "气温负五度"),
        ("7-11", "七到十一"),
        ("60kg", "六十公斤"),
        ("1300 555 019", "一三零零五五五零一九"),
        ("请拨+86 138 0013 8000。", "请拨八六一三八零零一三八零零零。"),
        ("1,00,000", "十万"),
        ("哪儿有2个“好”？", "哪儿有两个“好”？"),
        ('"2"是\\2', '"二"是\\二'),
    ],
)
def test_c48_chinese_readings(written: str, spoken: str) -> None:
    assert read_aloud(written, "zh").spoken == spoken


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize(
    "text",
    [
        PHONE_AND_LINK,
        "  two   blanks\tand 5\u00a0tabs \n",
        '{5} <6> |7| ₹8 5×3 ≥2 ß9 №1 \\ "q" it\'s 1½',
        "用Python 3写代码🙂, cafe\u0301 20℃",
        "mcdonalds.com. and B1-3, S7-1200",
        "a\x00b 5 \ud800 c",
        "9" * 200,
    ],
)
def test_c46_odd_texts_are_read_and_rebuilt(text: str, language: str) -> None:
    reading = read_aloud(text, language)
    assert reading.written == text
    assert rebuilt(reading) == reading.spoken
    assert reading.spoken.strip()


def test_spans_cover_what_differs_and_nothing_else() -> None:
    reading = read_aloud("in 1999 about 5 km away", "en")
    assert [reading.written[a:b] for a, b, _, _ in reading.spans] == ["1999", "5 km"]
    assert [reading.spoken[a:b] for _, _, a, b in reading.spans] == [
        "nineteen ninety nine",
        "five kilometers",
    ]
    assert read_aloud("who is robert gray", "en").spans == ()


@pytest.mark.parametrize("text", ["", "  ", "?!", "🙂", "👩🏽\u200d💻 ❤️", "🇩🇪→★", "_____", "\x00"])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_a_text_with_nothing_to_say_is_a_failure_of_the_item(text: str, language: str) -> None:
    with pytest.raises(ItemFailure, match="read aloud"):
        read_aloud(text, language)


def test_an_unknown_language_is_refused() -> None:
    with pytest.raises(UserError, match=r"en, .*zh"):
        read_aloud("nuqneH", "tlh")
    with pytest.raises(UserError, match=r"en, .*zh"):
        reading_fingerprint("tlh")


def test_the_fingerprint_names_package_version_and_options() -> None:
    assert reading_fingerprint("en").startswith("squtr-reading-en/3+wetext-")
    assert reading_fingerprint("en") != reading_fingerprint("zh")


@pytest.mark.parametrize(
    ("language", "path", "most"), QUERIES, ids=lambda value: Path(str(value)).parent.name
)
def test_a_perfect_reading_of_real_queries_has_no_errors(language: str, path: Path, most: float) -> None:
    if not path.exists():
        pytest.skip(f"{path.parent.name}/{path.name} is not there")
    lines = path.read_text(encoding="utf-8-sig").splitlines()
    counts: list[ErrorCounts] = []
    for text in (json.loads(line)["text"] for line in lines if line.strip()):
        reading = read_aloud(text, language)
        assert rebuilt(reading) == reading.spoken
        counts.append(count_errors(text, reading.spoken, language))
    assert len(counts) > 20
    assert corpus_rate(counts)["rate"] < most
