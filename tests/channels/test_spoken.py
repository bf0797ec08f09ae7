"""Spoken by rule: fillers, numbers, function words, case and marks, homophones, and fillers taken out."""

from __future__ import annotations

import pytest

from squtr.channels import read_channel
from squtr.channels.spoken_words import homophone_languages, homophones, spoken_words
from squtr.text.english_numbers import NUMBER_WORDS


def send(spec: str, text: str, language: str = "en", item: str = "q1") -> str:
    return read_channel(spec).apply(text, language, 1, item).text


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("Um, what is, you know, the the sea?", "What is the sea?"),
        ("I, uh, I- I need to wh- what is that that thing", "I need to what is that that thing"),
        ("Are you- are you sure about that?", "Are you sure about that?"),
        ("The, uh, the cat", "The cat"),
        ("It's old, right?", "It's old?"),
        ("is that right? do you know what I mean", "is that right? do you know what I mean"),
        ("things like the sea, like, here", "things like the sea here"),
        ("very very old, that that had had", "very very old, that that had had"),
        ("very- very old", "very old"),
        ("Are — you uh, sure about uh, that?", "Are — you sure about that?"),
        ("in uh 5 5 of um, -5 and um bob@a.org", "in 5 5 of -5 and bob@a.org"),
        ("The sea. Um. It is, er", "The sea. It is"),
        ("um, uh.", "um, uh."),
        ("the- the- the the sea", "the sea"),
        ("Um bob@a.org", "bob@a.org"),
    ],
)
def test_fillers_and_repetitions_go(text: str, left: str) -> None:
    assert send("spoken-filler-stripped", text) == left


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("嗯，北京的人口，那个，是多少？", "北京的人口是多少？"),
        ("那个城市在哪里", "那个城市在哪里"),
        ("我，我想问，那个城市——那个城市在哪里", "我想问，那个城市在哪里"),
        ("看看妈妈，谢谢", "看看妈妈，谢谢"),
    ],
)
def test_fillers_and_repetitions_of_chinese_go(text: str, left: str) -> None:
    assert send("spoken-filler-stripped", text, "zh") == left


@pytest.mark.parametrize("language", ["en", "zh", "de", "fr", "es"])
def test_what_is_put_in_is_taken_out_again(language: str) -> None:
    text = {"zh": "北京人口多少医生哪里"}.get(language, "wonderful islands greet brave sailors daily")
    hesitant = {send("clean+fillers@0.4", text, language, str(item)) for item in range(20)}
    assert len(hesitant) > 10
    fixed = [send("spoken-filler-stripped", one, language) for one in hesitant]
    never_alone = [one for one in fixed if not any(word in one for word in ("怎么", "就是", "那个"))]
    assert never_alone and all(len(one) <= len(most) for one, most in zip(fixed, hesitant, strict=True))


def test_fillers_keep_every_word_and_stay_off_numbers() -> None:
    text = "how deep is the sea in 1999"
    for item in map(str, range(30)):
        said = send("clean+fillers@0.6", text, item=item)
        assert "in 1999" in said
        left = iter(said.split())
        assert all(word in left for word in text.split())
    assert all("1999年" in send("clean+fillers@1", "在1999年北京", "zh", str(item)) for item in range(20))


def test_function_words_go_with_their_blanks() -> None:
    said = "What is the capital of Australia? In the beginning, by the sea. Where did he come from?"
    assert send("clean-func-words", said) == "What is capital Australia? Beginning, sea. Where did he come?"
    assert send("clean-func-words", "the of a") == "the of a"
    assert send("clean-func-words", "The bob@a.org in 5") == "bob@a.org 5"
    assert send("clean-func-words", "Wie hoch ist der Turm in Paris?", "de") == "Wie hoch ist Turm Paris?"
    assert send("clean-func-words", "北京的人口在增加了吗", "zh") == "北京人口增加吗"


@pytest.mark.parametrize(
    ("text", "left"),
    [
        ("What's AT&T (in 2024)?", "whats at&t in 2024"),
        (
            "The U.S. “well-known” e-mail — Bob@X.org, https://A.b/C.",
            "the us well known e mail Bob@X.org https://A.b/C",
        ),
        ("B2B 2.5% -5 `Foo()` HELLO... World!", "B2B 2.5% -5 `Foo()` hello world"),
        ("One.Two,three", "one two three"),
    ],
)
def test_case_and_marks_go_but_not_in_numbers_addresses_and_codes(text: str, left: str) -> None:
    assert send("clean-case/punct", text) == left


def test_marks_of_chinese_leave_no_blank() -> None:
    assert send("clean-case/punct", "《DNA》是，什么？", "zh") == "dna是什么"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("5 cats", "five cats"),
        ("in 1999 and the 1990s", "in nineteen ninety nine and the nineteen nineties"),
        ("2.5% of the 3rd bill", "two point five percent of the third bill"),
        (
            "1,234 people paid $5.50",
            "one thousand two hundred and thirty four people paid five dollars and fifty cents",
        ),
        ("a 401(k) for B2B at b5@c.org", "a four oh one k for B2B at b5@c.org"),
        ("https://a.b/5 `x5 = 5` v_2", "https://a.b/5 `x5 = 5` v_2"),
        ("no number here", "no number here"),
    ],
)
def test_numbers_are_written_as_they_are_said(text: str, said: str) -> None:
    assert send("clean+numwords", text) == said


def test_numbers_of_other_languages() -> None:
    assert send("clean+numwords", "1949年有5个人，占3.5%", "zh") == "一九四九年有五个人，占百分之三点五"
    assert send("clean+numwords", "im Jahr 1999", "de") == "im Jahr neunzehnhundertneunundneunzig"


def test_homophones_keep_case_and_apostrophes_count() -> None:
    assert send("clean+homophone@1", "Sea SEA sea") == "See SEE see"
    assert send("clean+homophone@1", "It’s") == "Its"
    assert {send("clean+homophone@1", "there", item=str(item)) for item in range(20)} == {"their", "they're"}
    assert (
        send("clean+homophone@1", "Meer", "de") == "mehr"
        and send("clean+homophone@1", "mehr", "de") == "Meer"
    )


def test_homophones_never_touch_numbers_nor_make_any() -> None:
    known = homophones("en")
    assert not NUMBER_WORDS & known.keys() and not {"won", "for", "to", "too", "ate", "fore"} & known.keys()
    assert not any(set("一二三四五六七八九十百千万") & set(word) for word in homophones("zh"))
    assert send("clean+homophone@1", "one for two 8 won to 2") == "one for two 8 won to 2"


def test_homophones_of_chinese_words_and_characters() -> None:
    assert send("clean+homophone@1", "公式", "zh") in homophones("zh")["公式"]
    said = send("clean+homophone@1", "地铁", "zh")
    assert said not in homophones("zh") and sum(a != b for a, b in zip(said, "地铁", strict=True)) == 1


def test_the_lists_are_whole() -> None:
    assert {"en", "zh", "de", "fr", "es"} <= set(homophone_languages())
    for language in homophone_languages():
        assert all(word not in alike and alike for word, alike in homophones(language).items())
    assert all(row.fillers and row.always and row.function_words for row in spoken_words().values())
