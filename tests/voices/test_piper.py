"""Piper through its own package, on a model of a few nodes: takes by seed, speakers, speed, faulty files."""

from __future__ import annotations

import importlib.metadata
import json
import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from squtr import plugins
from squtr.errors import ItemFailure, UserError
from squtr.records import Samples, Speaker
from squtr.voices.piper import Piper

pytest.importorskip("piper", reason="piper-tts is not installed (extra piper)")
pytest.importorskip("onnx", reason="the tiny model is made with onnx (extra dev)")

from tests.voices.piper_model import RATE, SAMPLES, write_voice

PLAIN = Speaker("en-1", "en", {})
TEXT = "who wrote hamlet"


def said(voice: Piper, text: str = TEXT, seed: int = 1, **settings: Any) -> Samples:
    return voice.speak(text, Speaker("en-1", "en", settings), seed).samples


def test_the_model_speaks(tmp_path):
    voice = Piper(str(write_voice(tmp_path)))
    voice.check()
    voice.check_speaker(PLAIN)
    sound = voice.speak(TEXT, PLAIN, 1)
    assert (sound.sample_rate, voice.sample_rate) == (RATE, RATE)
    assert sound.samples.dtype == np.float32
    assert sound.samples.ndim == 1
    assert len(sound.samples) % SAMPLES == 0
    assert 20 * SAMPLES < len(sound.samples) < 80 * SAMPLES


def test_a_take_depends_on_its_seed_and_not_on_what_was_said_before(tmp_path):
    voice = Piper(str(write_voice(tmp_path)))
    first, second = said(voice, seed=1), said(voice, seed=2)
    assert not np.array_equal(first, second)
    said(voice, "something else entirely", seed=7)
    assert np.array_equal(said(voice, seed=1), first)
    assert np.array_equal(said(Piper(str(tmp_path / "tiny.onnx")), seed=2), second)
    assert np.array_equal(said(voice, seed=2**31 + 1), first)


def test_all_sentences_are_joined(tmp_path):
    voice = Piper(str(write_voice(tmp_path)))
    one, two = len(said(voice, "one more tree.")), len(said(voice, "and a river."))
    assert len(said(voice, "one more tree. and a river.")) == pytest.approx(one + two, abs=8 * SAMPLES)


def test_speed(tmp_path):
    voice = Piper(str(write_voice(tmp_path)))
    assert len(said(voice, speed=2.0)) == len(said(voice)) / 2
    assert len(said(voice, speed=0.5)) == len(said(voice)) * 2


def test_speakers_of_one_model(tmp_path):
    voice = Piper(str(write_voice(tmp_path, speakers=3)))
    zero, two = said(voice, speaker=0), said(voice, speaker=2)
    assert np.abs(two).max() == pytest.approx(3 * np.abs(zero).max(), rel=1e-4)
    assert np.array_equal(said(voice, speaker="p2"), two)


@pytest.mark.parametrize(
    ("speakers", "settings", "message"),
    [
        (3, {}, "speaker is None; tiny.onnx has speakers 0 to 2"),
        (3, {"speaker": 3}, "speaker is 3"),
        (3, {"speaker": -1}, "speaker is -1"),
        (3, {"speaker": True}, "speaker is True"),
        (3, {"speaker": "p3"}, "has no 'p3'"),
        (1, {"speaker": 1}, "speaker is 1"),
        (1, {"speed": 0}, "speed is 0"),
        (1, {"speed": "slow"}, "speed is 'slow'"),
    ],
)
def test_speakers_it_cannot_use(tmp_path, speakers, settings, message):
    voice = Piper(str(write_voice(tmp_path, speakers)))
    with pytest.raises(UserError, match=f"speaker 'en-1'.*{message}"):
        voice.check_speaker(Speaker("en-1", "en", settings))


@pytest.mark.parametrize("text", ["", "  ", "[["])
def test_nothing_to_say(tmp_path, text):
    voice = Piper(str(write_voice(tmp_path)))
    if text == "[[":
        assert len(said(voice, "[[a]] tree")) > 0
        return
    with pytest.raises(ItemFailure, match="nothing"):
        said(voice, text)


def test_the_fingerprint_is_of_model_and_configuration(tmp_path):
    folders = [tmp_path / name for name in "abcd"]
    for folder in folders:
        folder.mkdir()
    same = [Piper(str(write_voice(folder))).fingerprint for folder in folders[:2]]
    other = Piper(str(write_voice(folders[2], speakers=2))).fingerprint
    slower = Piper(str(write_voice(folders[3], inference={"length_scale": 1.5}))).fingerprint
    assert same[0] == same[1]
    assert len({same[0], other, slower}) == 3


def test_missing_and_broken_files(tmp_path):
    path = write_voice(tmp_path)
    beside = Path(f"{path}.json")
    with pytest.raises(UserError, match=r"no\.onnx: cannot be read .*download_voices"):
        Piper(str(tmp_path / "no.onnx")).check()
    cases = {
        "bytes.onnx": (b"no model", beside.read_bytes(), "is no ONNX model"),
        "text.onnx": (path.read_bytes(), b"{", "no JSON"),
        "list.onnx": (path.read_bytes(), b"[]", "no Piper configuration"),
        "other.onnx": (path.read_bytes(), json.dumps({"audio": {}}).encode(), "lacks espeak"),
    }
    for name, (model, config, message) in cases.items():
        (tmp_path / name).write_bytes(model)
        (tmp_path / f"{name}.json").write_bytes(config)
        with pytest.raises(UserError, match=message):
            Piper(str(tmp_path / name)).check()
            Piper(str(tmp_path / name)).speak(TEXT, PLAIN, 1)


def test_a_model_that_is_no_voice(tmp_path):
    import onnx

    path = write_voice(tmp_path)
    model = onnx.load(path)
    for node in model.graph.node:
        node.input[:] = ["tokens" if name == "input" else name for name in node.input]
    model.graph.input[0].name = "tokens"
    path.write_bytes(model.SerializeToString())
    with pytest.raises(UserError, match="no Piper voice"):
        Piper(os.fspath(path)).check()


def test_the_package_is_named_when_it_is_missing(tmp_path, monkeypatch):
    def missing(name: str) -> str:
        raise importlib.metadata.PackageNotFoundError(name)

    voice = Piper(str(write_voice(tmp_path)))
    monkeypatch.setattr(importlib.metadata, "version", missing)
    with pytest.raises(UserError, match=r"needs the package piper-tts.*squtr\[piper\]"):
        voice.check()


def test_a_model_is_named():
    with pytest.raises(UserError, match="model is None"):
        plugins.load("voice", "squtr.voices.piper:Piper,model=")
