"""PocketSphinx itself on speech of espeak-ng: words come out, and nothing is carried over."""

from __future__ import annotations

import importlib.metadata

import numpy as np
import pytest

from squtr import plugins
from squtr.errors import ItemFailure, UserError
from squtr.recognisers import pocketsphinx
from squtr.recognisers.pocketsphinx import PocketSphinx
from squtr.records import Speaker, Waveform

ENGLISH = Speaker("en-1", "en", {"voice": "en-us", "rate": 150, "pitch": 45, "range": 50})


def spoken(text: str) -> Waveform:
    voice = plugins.load("voice", "espeak")
    heard: Waveform = voice.speak(text, ENGLISH, 1)
    return heard


@pytest.mark.engines
def test_words_come_out_alike_in_any_order() -> None:
    pytest.importorskip("pocketsphinx", reason="needs the extra pocketsphinx")
    recogniser = plugins.load("recogniser", "pocketsphinx")
    recogniser.check()
    hum = np.sin(np.arange(24000) / 30).astype(np.float32) * np.float32(0.6)
    recordings = [
        spoken("what is the weather in the city"),
        Waveform(hum, 16000),
        spoken("one two three four"),
    ]
    first = [recogniser.transcribe(audio, "en") for audio in recordings]
    again = [recogniser.transcribe(audio, "en") for audio in reversed(recordings)]
    assert first == again[::-1]
    assert "weather" in first[0].text and first[0].confidence is None
    louder = Waveform(recordings[0].samples * np.float32(1.0 / np.abs(recordings[0].samples).max()), 22050)
    assert "weather" in recogniser.transcribe(louder, "en").text


def test_it_is_english_and_wants_audio() -> None:
    with pytest.raises(UserError, match="model is English, not 'zh'"):
        PocketSphinx().transcribe(Waveform(np.zeros(10, np.float32), 16000), "zh")
    PocketSphinx().check_language("en")
    with pytest.raises(UserError, match="model is English, not 'de'"):
        PocketSphinx().check_language("de")
    with pytest.raises(ItemFailure, match="no audio"):
        PocketSphinx().transcribe(Waveform(np.zeros(0, np.float32), 16000), "en")


def test_a_missing_package_is_said_before_work(monkeypatch: pytest.MonkeyPatch) -> None:
    def none(package: str) -> str:
        raise importlib.metadata.PackageNotFoundError(package)

    monkeypatch.setattr(pocketsphinx.importlib.metadata, "version", none)
    with pytest.raises(
        UserError, match=r"needs the package pocketsphinx\. pip install 'squtr\[pocketsphinx\]'"
    ):
        PocketSphinx().check()
    assert [need.name for need in PocketSphinx().needs()] == ["pocketsphinx"]
