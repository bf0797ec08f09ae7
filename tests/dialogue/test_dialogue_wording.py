"""What was said by a pause, and whether it asks."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from squtr.dialogue.activity import Span, agent_turns
from squtr.dialogue.rules import BACKCHANNEL, INTERRUPT
from squtr.dialogue.stock import stock, stocks
from squtr.dialogue.wording import Counted, Heard, Said, Script, read_transcript, recognised
from squtr.errors import ItemFailure, UserError
from squtr.records import Transcription, Waveform

TURNS = agent_turns([Span(1.0, 2.0), Span(2.3, 4.3), Span(6.0, 7.0), Span(7.3, 8.3)])


def test_words_are_spread_over_the_speech_and_not_over_its_pauses() -> None:
    script = Script([Said(1.0, 4.3, "one two six ten one two six ten one ")], TURNS, "en")
    assert script.heard(TURNS[0], 0) == Heard(3, "one two six ")
    assert script.heard(TURNS[0], 1).words == 9
    assert script.heard(TURNS[1], 0) == Heard(0, "")


def test_rows_of_one_word_each_are_taken_at_their_times() -> None:
    rows = [Said(1.0, 1.4, "It "), Said(1.4, 2.0, "is. "), Said(2.3, 4.0, "Is "), Said(4.0, 4.3, "it? ")]
    script = Script(rows, TURNS, "en")
    assert script.heard(TURNS[0], 0) == Heard(2, "It is. ")
    assert script.heard(TURNS[0], 1) == Heard(4, "It is. Is it? ")


def test_chinese_words_are_those_of_its_segmenter() -> None:
    script = Script([Said(6.0, 8.3, "您的包裹已经到达分拣中心。")], TURNS, "zh")
    assert script.heard(TURNS[1], 0).words == 4
    assert script.heard(TURNS[1], 1) == Heard(7, "您的包裹已经到达分拣中心。")


def test_without_words_three_count_for_each_second_of_speech() -> None:
    assert Counted().heard(TURNS[0], 0) == Heard(3, None)
    assert Counted().heard(TURNS[0], 1) == Heard(9, None)


def test_a_recogniser_hears_each_stretch_alone() -> None:
    class Lengths:
        def transcribe(self, audio: Waveform, language: str) -> Transcription:
            return Transcription(f"heard {audio.seconds:.0f} {language}")

    sound = Waveform(np.zeros(8300, np.float32), 1000)
    rows = recognised(sound, TURNS, Lengths(), "en")
    assert [row.text for row in rows] == ["heard 1 en ", "heard 2 en ", "heard 1 en ", "heard 1 en "]
    assert Script(rows, TURNS, "en").heard(TURNS[0], 0) == Heard(3, "heard 1 en ")


def test_a_recogniser_that_fails_is_one_clear_error() -> None:
    class Deaf:
        def transcribe(self, audio: Waveform, language: str) -> Transcription:
            raise ItemFailure("nothing heard")

    with pytest.raises(UserError, match=r"from 1 to 2 s: nothing heard"):
        recognised(Waveform(np.zeros(8300, np.float32), 1000), TURNS, Deaf(), "en")


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", "That is done. Would you like a receipt?"),
        ("en", "That is done. Would you like"),
        ("en", "So what is the number on "),
        ("en", "And which day suits you"),
        ("en", "how many people are there"),
        ("en", "Please unplug the router"),
        ("en", "Good. Tell me the last four figures"),
        ("en", "I'd like you to wait"),
        ("zh", "好了。请问您的地址"),
        ("zh", "您要发票吗"),
        ("zh", "您能不能再说一遍"),
        ("zh", "这是什么颜色的"),
    ],
)
def test_questions_and_requests_are_told(language: str, text: str) -> None:
    assert stock(language).is_asking(text)


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("en", ""),
        ("en", "Is that all? Then it leaves the depot tonight"),
        ("en", "When the van arrives, the driver rings the bell"),
        ("en", "What you have heard is right, and it costs $4.50 a day"),
        ("en", "The price is 4.50 for what you are given"),
        ("en", "You can do that yourself"),
        ("en", "which means it should be with you before six"),
        ("en", "how you are billed does not change"),
        ("zh", "您要发票吗？好的，已经开了"),
        ("zh", "您的包裹明天到"),
    ],
)
def test_statements_are_none(language: str, text: str) -> None:
    assert not stock(language).is_asking(text)


def test_every_language_has_a_stock_and_each_text_is_drawn() -> None:
    for row in stocks().values():
        for kind in (BACKCHANNEL, INTERRUPT):
            drawn = {row.drawn(kind, 1, f"{number}") for number in range(200)}
            assert drawn == set(row.said[kind])
            assert row.drawn(kind, 1, "7") == row.drawn(kind, 1, "7")


def test_an_unknown_language_names_those_there_are() -> None:
    with pytest.raises(UserError, match=r"'de'\. Known: en, zh"):
        stock("de")


@pytest.mark.parametrize(
    "line",
    [
        '{"start": 1, "end": 2}',
        '{"start": 2, "end": 2, "text": "a"}',
        '{"start": -1, "end": 2, "text": "a"}',
        '{"start": true, "end": 2, "text": "a"}',
        '{"start": "1", "end": 2, "text": "a"}',
    ],
)
def test_a_faulty_transcript_is_told_with_its_line(tmp_path: Path, line: str) -> None:
    path = tmp_path / "said.jsonl"
    path.write_text(f'{{"start": 0.5, "end": 1, "text": "a"}}\n{line}\n', encoding="utf-8")
    with pytest.raises(UserError, match=r"said.jsonl:2: not a turn"):
        read_transcript(path)


def test_an_empty_transcript_is_refused(tmp_path: Path) -> None:
    (tmp_path / "said.jsonl").write_text("\n")
    with pytest.raises(UserError, match="no line in it"):
        read_transcript(tmp_path / "said.jsonl")


def test_the_margin_of_a_stretch_is_half_a_pause_and_ends_with_the_recording() -> None:
    heard: list[float] = []

    class Seconds:
        def transcribe(self, audio: Waveform, language: str) -> Transcription:
            heard.append(round(audio.seconds, 3))
            return Transcription("a")

    turns = agent_turns([Span(0.05, 1.0), Span(1.3, 2.3)])
    recognised(Waveform(np.zeros(2350, np.float32), 1000), turns, Seconds(), "en")
    assert heard == [1.1, 1.15]
