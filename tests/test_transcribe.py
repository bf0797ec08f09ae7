"""The transcribe stage, and what the results were made with."""

from __future__ import annotations

import json

import numpy as np

import squtr
from squtr.audio import to_pcm
from squtr.environment import commit, environment
from squtr.records import Transcription
from squtr.store import Audio, PackWriter
from squtr.transcribe import Transcribe, TranscribeItem, recogniser
from tests.building import RECOGNISER
from tests.doubles import ToneRecogniser, read_tones, tones


def heard(tmp_path, text, language="en"):
    pack = PackWriter()
    ref = pack.add(to_pcm(tones(text)), 24000)
    item = TranscribeItem(ref, language)
    stage = Transcribe(RECOGNISER)
    assert stage.audio_of(item) == (ref,)
    return stage.run(item, Audio(pack.write(tmp_path)), PackWriter())


def test_the_doubles_are_honest():
    for text in ("who wrote hamlet", "今天天气怎么样", "", "🙂"):
        assert read_tones(tones(text)) == text
    assert not np.array_equal(tones("a", 1), tones("a", 2))


def test_what_was_said_is_heard(tmp_path):
    assert heard(tmp_path, "who wrote hamlet") == {"text": "who wrote hamlet", "confidence": -0.25}
    assert heard(tmp_path, "北京", "zh")["text"] == "北京"


def test_c35_no_text_is_the_empty_text(tmp_path, monkeypatch):
    monkeypatch.setattr(ToneRecogniser, "transcribe", lambda *_: Transcription(None))
    assert heard(tmp_path, "who wrote hamlet") == {"text": "", "confidence": None}


def test_one_recogniser_a_process_and_its_fingerprint():
    assert recogniser(RECOGNISER) is recogniser(RECOGNISER)
    assert Transcribe(RECOGNISER).fingerprint == ToneRecogniser().fingerprint
    assert Transcribe(f"{RECOGNISER},version=2").fingerprint != Transcribe(RECOGNISER).fingerprint


def test_the_environment_names_versions(monkeypatch):
    found = environment()
    assert found["squtr"] == squtr.__version__
    assert {"numpy", "soxr", "pyarrow", "soundfile"} <= set(found["packages"])
    assert all(version[0].isdigit() for version in found["packages"].values())
    json.dumps(found, allow_nan=False)


def test_without_git_there_is_no_commit(monkeypatch, tmp_path):
    monkeypatch.setattr("squtr.environment.__file__", str(tmp_path / "squtr" / "environment.py"))
    assert commit() is None
    (tmp_path / ".git").mkdir()
    monkeypatch.setenv("PATH", "")
    assert commit() is None
