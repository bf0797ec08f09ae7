"""The dictation judge: cut off, invented, left out; a slip of the recogniser is no fault."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr.judges.dictation import Dictation
from squtr.records import Judgement, Waveform

NO_AUDIO = Waveform(np.zeros(0, np.float32), 24000)
TEXT = "what is the name of the highest mountain in the world"


def judged(text: str, transcript: str, language: str = "en") -> Judgement:
    return Dictation().judge(NO_AUDIO, text, transcript, language)


@pytest.mark.parametrize(
    ("transcript", "score", "reasons"),
    [
        (TEXT, 5.0, ()),
        ("What is the name of the highest mountain in the world?", 5.0, ()),
        ("what is the name of the highest fountain in the world", 5.0, ()),
        ("what is the name of highest mountain in the world", 5.0, ()),
        ("what is the name of the highest mountain", 5 - 8 * 3 / 11, ("cut off: in the world",)),
        ("of the highest mountain in the world", 5 - 8 * 4 / 11, ("cut off: what is the name",)),
        ("what is the mountain in the world", 5 - 8 * 4 / 11, ("left out: name of the highest",)),
        (f"{TEXT} thank you for watching", 5 - 8 * 4 / 11, ("invented: thank you for watching",)),
        (f"so now {TEXT}", 5 - 8 * 2 / 11, ("invented: so now",)),
        (f"{TEXT} please", 5.0, ()),
        ("", 1.0, (f"cut off: {TEXT}",)),
    ],
)
def test_english(transcript, score, reasons):
    found = judged(TEXT, transcript)
    assert (found.score, found.reasons) == (pytest.approx(score, abs=1e-4), reasons)
    assert found.scale == "dictation, 1 to 5"


@pytest.mark.parametrize(
    ("transcript", "score", "reasons"),
    [
        ("今天北京的天气怎么样？", 5.0, ()),
        ("今天北京的天起怎么样", 5.0, ()),
        ("今天北京的天气怎么", 5.0, ()),
        ("今天北京的天气", 5 - 8 * 3 / 10, ("cut off: 怎么样",)),
        ("今天北京的天气怎么样谢谢观看", 5 - 8 * 4 / 10, ("invented: 谢谢观看",)),
        ("今天气怎么样", 5 - 8 * 4 / 10, ("left out: 天北京的",)),
    ],
)
def test_chinese(transcript, score, reasons):
    found = judged("今天北京的天气怎么样", transcript, "zh")
    assert found.score == pytest.approx(score, abs=1e-4)
    assert [reason.partition(":")[0] for reason in found.reasons] == [
        text.partition(":")[0] for text in reasons
    ]
    assert [len(reason) for reason in found.reasons] == [len(text) for text in reasons]


def test_c36_a_loop_is_invention():
    found = judged("capital of peru", "capital of peru" + 20 * " peru")
    assert found.score == 1.0
    assert found.reasons == ("invented: " + " ".join(20 * ["peru"]),)


def test_c34_an_empty_text():
    assert judged("?!", "").score == 5.0
    assert judged("?!", "thank you").score == 1.0


@given(st.text(max_size=60), st.text(max_size=60), st.sampled_from(["en", "zh"]))
def test_scores_stay_on_the_scale(text, transcript, language):
    found = judged(text, transcript, language)
    assert 1.0 <= found.score <= 5.0
    assert (found.score < 5.0) == bool(found.reasons)
    assert judged(text, text, language).score == 5.0
