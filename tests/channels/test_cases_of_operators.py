"""Cases 46 to 48: what no operator may touch, other scripts, and numbers in words."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from squtr.channels import read_channel
from squtr.channels.words import words
from squtr.commands.perturb import run_perturb
from tests.building import write_lines

TYPED = (
    *("typos", "random-replace", "keyboard-neighbor", "key-swap", "repeated-key", "connected-key"),
    "missed-space",
)
OTHERS = ("clean+fillers", "clean+homophone", "clean-func-words", "disfluent")
CALL = (
    "call +1 (555) 010-0199 or mail a.b@example.org, see https://example.org/q?id=7 for v0.0.16 and 192.0.2.1"
)
KEPT = ("+1 (555) 010-0199", "a.b@example.org", "https://example.org/q?id=7", "v0.0.16", "192.0.2.1")


def come_out(operator: str, text: str, language: str = "en") -> set[str]:
    channel = read_channel(f"{operator}@1.0")
    return {channel.apply(text, language, seed, "x").text for seed in range(8)}


@pytest.mark.parametrize("operator", [*TYPED, *OTHERS])
@pytest.mark.parametrize("language", ["en", "zh"])
def test_c46_numbers_addresses_and_links_survive(operator: str, language: str) -> None:
    channel = read_channel(f"{operator}@1.0")
    if language not in (channel.operators[0][1].languages or (language,)):
        return
    for text in come_out(operator, CALL, language):
        left = text
        for kept in KEPT:
            assert kept in text
            left = left.replace(kept, "", 1)
        assert not any(char.isdigit() for char in left)


def test_c46_the_area_code_keeps_its_brackets_where_marks_go() -> None:
    assert read_channel("clean-case/punct").apply(f"(So) {CALL}, OK?", "en", 1, "x").text == (
        f"so {CALL.replace(',', '')} ok"
    )


@pytest.mark.parametrize("operator", ["typos", "keyboard-neighbor", "random-replace", "connected-key"])
def test_c46_only_letters_come_in(operator: str) -> None:
    for text in come_out(operator, "call or mail and see"):
        assert all(char.isalpha() or char == " " for char in text) and text != "call or mail and see"


@pytest.mark.parametrize("operator", TYPED[:-1])
@pytest.mark.parametrize("text", ["北京天气怎么样", "приклад тексту", "🙂👩‍💻", "שלום עולם", "हिन्दी में"])
def test_c47_other_scripts_are_left_alone(operator: str, text: str) -> None:
    assert come_out(operator, text) == {text}
    assert not read_channel(f"{operator}@0.2").acts_on(text, "en")


@pytest.mark.parametrize("operator", TYPED[:-1])
def test_c47_in_a_mixed_text_only_the_word_changes(operator: str) -> None:
    found = come_out(operator, "用Python写代码")
    assert all(text.startswith("用") and text.endswith("写代码") for text in found)
    assert found != {"用Python写代码"}


@pytest.mark.parametrize("operator", ["typos", "random-replace", "repeated-key"])
def test_c47_cyrillic_in_a_chinese_text_is_left_alone(operator: str) -> None:
    channel = read_channel(f"{operator}@1.0")
    assert all("приклад" in text for text in come_out(operator, "北京 приклад 天气", "zh"))
    assert channel.acts_on("北京 приклад", "zh") and not channel.acts_on("приклад", "zh")


@pytest.mark.parametrize("operator", ["random-replace", "keyboard-neighbor"])
@pytest.mark.parametrize("language", ["en", "es", "zh"])
def test_c47_letters_with_accents_stay_letters(operator: str, language: str) -> None:
    for text in come_out(operator, "perdón me confundí", language):
        assert all(char == " " or (char.isalpha() and char < "\u0250") for char in text)


@pytest.mark.parametrize("operator", TYPED)
def test_c47_emoji_are_not_split(operator: str) -> None:
    for text in come_out(operator, "🙂👩‍💻 hello 👩‍💻world"):
        assert text.startswith("🙂👩‍💻") and text.count("👩‍💻") == 2


def test_c47_the_record_says_that_nothing_applied(tmp_path: Path) -> None:
    texts = ["北京天气怎么样", "приклад тексту", "🙂👩‍💻", "用Python写代码", "plain words"]
    rows = [{"_id": str(place), "text": text} for place, text in enumerate(texts)]
    source, out = write_lines(tmp_path / "in.jsonl", rows), tmp_path / "out.jsonl"
    found = run_perturb(source, ["keyboard-neighbor@0.9"], out)
    told = [json.loads(line).get("status") for line in out.read_text(encoding="utf-8").splitlines()]
    assert told == ["not applicable"] * 3 + [None] * 2
    assert (found.changed, found.unchanged, found.not_applicable, found.without_letters) == (2, 0, 2, 1)


def test_a_text_left_alone_by_chance_is_no_such_text() -> None:
    assert read_channel("typos@0.0").acts_on("some words", "en")
    assert read_channel("disfluent@0.0").acts_on("some words", "en")
    assert not read_channel("disfluent@1.0").acts_on("12 345", "en")


@pytest.mark.parametrize(
    ("written", "said"),
    [
        ("-0.4", "minus zero point four"),
        ("007", "zero zero seven"),
        ("10.10", "ten point one zero"),
        ("1,234", "one thousand two hundred and thirty four"),
        ("3:30 this", "three thirty this"),
        ("1300 555 019", "one three zero zero, five five five, zero one nine"),
        ("½", "½"),
        ("x²", "x²"),
        ("1e3", "1e3"),
        ("iPhone15", "iPhone15"),
        ("２０", "twenty"),
    ],
)
def test_c48_numbers_in_words(written: str, said: str) -> None:
    assert read_channel("clean+numwords").apply(written, "en", 1, "x").text == said


@pytest.mark.parametrize(
    ("written", "said"),
    [("100年", "一百年"), ("12.5平方", "十二点五平方"), ("２０", "二十"), ("½", "½"), ("x²", "x²")],
)
def test_c48_numbers_in_chinese_words(written: str, said: str) -> None:
    assert read_channel("clean+numwords").apply(written, "zh", 1, "x").text == said


def test_full_width_letters_are_one_word_in_chinese() -> None:
    assert [word.text for word in words("ＤＮＡ是什么？用Ｐｙｔｈｏｎ", "zh")] == [
        "ＤＮＡ",
        "是",
        "什么",
        "用",
        "Ｐｙｔｈｏｎ",
    ]
    for operator in ("clean+fillers", "disfluent"):
        assert all("ＤＮＡ" in text for text in come_out(operator, "ＤＮＡ是什么？", "zh"))
