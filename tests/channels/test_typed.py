"""Typed slips: keyboards, one step of distance each, shares, case, positions."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from rapidfuzz.distance import OSA, DamerauLevenshtein

from squtr.channels import Passed, read_channel
from squtr.channels.keyboard import read_keyboard, sounds_like
from squtr.errors import UserError

TEXT = "Which islands of the Aegean sea did the Romans take first and why did they leave"
CHINESE = "北京的人口是多少，为什么医生都喜欢在这里看电影"
TYPED = ("random-replace", "keyboard-neighbor", "key-swap", "repeated-key", "connected-key")


def send(spec: str, text: str = TEXT, language: str = "en", item: str = "q1") -> Passed:
    return read_channel(spec).apply(text, language, 1, item)


def test_neighbours_come_from_the_rows_of_the_board() -> None:
    keys = read_keyboard("qwerty", "en")
    assert [set(keys.neighbours(char)) for char in "aghp"] == [
        set("sqwz"),
        set("fhtyvb"),
        set("gjyubn"),
        set("ol"),
    ]
    assert set(keys.near("S")) == set("AD") and set(keys.far("S")) == set("WEZX")
    assert keys.neighbours("é") == keys.neighbours("北") == keys.neighbours("1") == ""
    assert all(one in keys.neighbours(other) for one in keys.letters for other in keys.neighbours(one))
    assert set(read_keyboard("qwertz", "de").near("z")) == set("tu") and "ö" in read_keyboard(
        "qwertz", "de"
    ).near("l")
    assert set(read_keyboard("azerty", "fr").near("a")) == {"z"}


def test_pinyin_with_one_wrong_key_is_a_syllable_again() -> None:
    keys = read_keyboard("qwerty", "zh")
    assert {"数", "书"} <= set(keys.neighbours("是"))  # shi, shu: u is beside i
    assert "事" in keys.same_keys["是"] and "是" not in keys.same_keys["是"]
    assert sounds_like()["事"].startswith("是") and "十" not in "".join(sounds_like().values())
    assert keys.neighbours("a") == read_keyboard("qwerty", "en").neighbours("a")


def test_a_board_of_ones_own_and_a_faulty_one(tmp_path: Path) -> None:
    own = tmp_path / "own.yaml"
    own.write_text("rows:\n  - {keys: ab, offset: 0}\n", encoding="utf-8")
    assert read_keyboard(str(own), "en").neighbours("A") == "B"
    assert send(f"keyboard-neighbor@1,keyboard={own}", "a b c").text == "b a c"
    faulty = tmp_path / "faulty.yaml"
    faulty.write_text("rows:\n  - {keys: ab}\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"faulty\.yaml:2: .*offset"):
        read_channel(f"typos,keyboard={faulty}")
    with pytest.raises(UserError, match=r"No keyboard 'qwertx', and no file\. Did you mean 'qwert[yz]'"):
        read_channel("connected-key,keyboard=qwertx")


@pytest.mark.parametrize("operator", [*TYPED, "missed-space"])
@pytest.mark.parametrize("rate", [0.25, 0.5, 1.0])
def test_every_slip_is_one_step_of_distance(operator: str, rate: float) -> None:
    for item in map(str, range(40)):
        passed = send(f"{operator}@{rate}", item=item)
        assert (
            DamerauLevenshtein.distance(TEXT, passed.text)
            == OSA.distance(TEXT, passed.text)
            == len(passed.edits)
        )


@pytest.mark.parametrize("operator", TYPED[:4])
def test_every_slip_of_chinese_is_one_step_of_distance(operator: str) -> None:
    for item in map(str, range(40)):
        passed = send(f"{operator}@0.2", CHINESE, "zh", item)
        assert DamerauLevenshtein.distance(CHINESE, passed.text) == len(passed.edits) > 0


@pytest.mark.parametrize("operator", [*TYPED, "missed-space"])
def test_the_share_of_the_words_is_exact_where_it_can_be(operator: str) -> None:
    text = "seven brown foxes and 2 lazy dogs cross over rivers"  # ten words, one of them a number
    for item in map(str, range(20)):
        assert len(send(f"{operator}@0.2", text, item=item).edits) == 2
    counts = [len(send(f"{operator}@0.25", text, item=str(item)).edits) for item in range(400)]
    assert set(counts) == {2, 3} and sum(counts) / 400 == pytest.approx(2.5, abs=0.08)


def test_positions_are_drawn_not_words() -> None:
    changed = Counter()
    for item in map(str, range(60)):
        passed = send("repeated-key@0.25", "sea sea sea sea", item=item)
        assert len(passed.edits) == 1
        changed[passed.edits[0]["start"] // 4] += 1
    assert set(changed) == {0, 1, 2, 3}


def test_every_letter_of_a_word_can_slip_and_every_neighbour_come() -> None:
    found = Counter(send("keyboard-neighbor@1", "sea", item=str(item)).text for item in range(1500))
    keys = read_keyboard("qwerty", "en")
    assert set(found) == {
        "sea"[:place] + key + "sea"[place + 1 :]
        for place, char in enumerate("sea")
        for key in keys.neighbours(char)
    }
    assert sum(count for text, count in found.items() if text[0] != "s") / 1500 == pytest.approx(
        1 / 3, abs=0.05
    )


@pytest.mark.parametrize("operator", TYPED)
def test_case_is_kept(operator: str) -> None:
    for item in map(str, range(60)):
        assert send(f"{operator}@1", "GREECE NATO", item=item).text.isupper()
        assert send(f"{operator}@1", "greece nato", item=item).text.islower()
    assert {send("key-swap@1", "The", item=str(item)).text for item in range(20)} == {"Teh"}


def test_letters_that_differ_alone_are_swapped() -> None:
    assert send("key-swap@1", "aa It bbb").text == "aa It bbb"
    assert send("key-swap@1", "aab").text == "aba"


def test_random_replacement_knows_no_neighbours() -> None:
    found = {send("random-replace@1", "a", item=str(item)).text for item in range(1000)}
    assert found == set("bcdefghijklmnopqrstuvwxyz")
    chinese = {send("random-replace@1", "的", "zh", str(item)).text for item in range(300)}
    assert len(chinese) > 250 and "的" not in chinese and not chinese & set("一二三十百")


def test_chinese_numerals_are_never_touched() -> None:
    for operator in ("random-replace", "keyboard-neighbor", "repeated-key", "typos", "clean+homophone"):
        for item in map(str, range(20)):
            assert "三十五" in send(f"{operator}@0.5", "他们有三十五个医生在那里工作", "zh", item).text
