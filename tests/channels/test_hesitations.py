"""Words, fillers and repetitions of one text, counted by hand."""

from __future__ import annotations

import pytest

from squtr.channels.distance import Distance, distance
from squtr.channels.hesitations import Hesitations, counted_words, hesitations
from squtr.errors import UserError


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("", (0, 0, 0, 0)),
        ("— … ?", (0, 0, 0, 0)),
        ("the- the fee", (3, 0, 1, 0)),
        ("I, uh, I need", (4, 1, 1, 0)),
        ("I, um, uh — I need", (5, 2, 1, 0)),
        ("are you- are you sure", (5, 0, 1, 0)),
        ("are you, uh, are you sure", (6, 1, 1, 0)),
        ("are you are you are you", (6, 0, 2, 0)),
        ("Um—I—I need", (4, 1, 1, 1)),
        ("um, uh, what", (3, 2, 0, 1)),
        ("I-I need the well-known one", (6, 0, 1, 0)),
        ("no no no no", (4, 0, 3, 0)),
        ("I did it. It was fun", (6, 0, 0, 0)),
        ("I... I mean", (3, 0, 1, 0)),
        ("uh-huh, umbrella, her error", (4, 0, 0, 0)),
        ("2.5%. Are — you uh, sure about uh, that?", (8, 2, 0, 0)),
    ],
)
def test_english(text: str, counts: tuple[int, ...]) -> None:
    assert hesitations(text, "en") == Hesitations(*counts)


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("我-我想", (3, 0, 1, 0)),
        ("我，嗯，我想看看", (5, 1, 1, 0)),
        ("我嗯我想", (4, 1, 1, 0)),
        ("你好吗-你好吗？", (4, 0, 1, 0)),
        ("嗯，那个，我想问那个城市", (7, 2, 0, 1)),
        ("看看，谢谢", (2, 0, 0, 0)),
        ("我喜欢。喜欢吧", (4, 0, 0, 0)),
        ("嗯哼 打呃 呃", (3, 1, 0, 0)),
        ("iPhone-iPhone怎么样", (3, 0, 1, 0)),
    ],
)
def test_chinese(text: str, counts: tuple[int, ...]) -> None:
    assert hesitations(text, "zh") == Hesitations(*counts)


def test_words_are_told_without_marks_and_dashes_part_them() -> None:
    assert counted_words("“Yes,” said O'Neil—at 2.5%…", "en") == ["yes", "said", "o'neil", "at", "2.5"]
    assert counted_words("北京的价格是2.5元", "zh") == ["北京", "的", "价格", "是", "2.5", "元"]


def test_words_of_languages_without_fillers_are_counted_too() -> None:
    assert counted_words("Wie hoch ist der Köln-Turm?", "de") == ["wie", "hoch", "ist", "der", "köln-turm"]
    assert counted_words("人口は12人？", "ja") == list("人口は12人")


def test_a_language_without_fillers_is_an_error() -> None:
    with pytest.raises(UserError, match=r"No fillers are known for 'ja'\. Known: en, zh"):
        hesitations("えーと", "ja")


def test_distance_by_hand() -> None:
    assert distance("the cat saw the dog", "the cat the saw dgo", "en") == Distance(
        words=5, kept=4, kept_in_order=3, word_edits=2, characters=19, character_edits=7, letters=15
    )
    assert distance("abcd 42", "abdc 42", "en") == Distance(2, 1, 1, 1, 7, 1, 4)
    assert distance("北京的人口", "北京人口", "zh") == Distance(3, 2, 2, 1, 5, 1, 5)
    assert distance("", "um", "en") == Distance(0, 0, 0, 1, 0, 2, 0)
