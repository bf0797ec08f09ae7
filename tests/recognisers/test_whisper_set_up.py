"""Whisper's set-up: fingerprints, digests and errors; no model is run."""

from __future__ import annotations

import numpy as np
import pytest

from squtr.errors import UserError
from squtr.recognisers import whisper
from squtr.recognisers.whisper import FasterWhisper, WhisperBase
from squtr.records import Waveform

SILENCE = Waveform(np.zeros(16000, np.float32), 16000)


def test_c51_a_changed_file_of_a_model_folder_changes_the_fingerprint(tmp_path):
    prints = []
    for content in ("one", "two"):
        folder = tmp_path / content
        folder.mkdir()
        (folder / "model.bin").write_text("weights")
        (folder / "tokenizer.json").write_text(content)
        prints.append(FasterWhisper(str(folder)).fingerprint)
    assert prints[0] != prints[1]
    assert FasterWhisper(str(tmp_path / "one")).fingerprint == prints[0]
    assert FasterWhisper(str(tmp_path / "one"), compute_type="float32").fingerprint != prints[0]
    assert WhisperBase().fingerprint not in prints


def test_a_folder_without_a_model_is_an_error_of_the_set_up(tmp_path):
    with pytest.raises(UserError, match=r"faster-whisper cannot load .*Give a folder with model\.bin"):
        FasterWhisper(str(tmp_path)).transcribe(SILENCE, "en")


def test_a_changed_model_file_is_refused(monkeypatch):
    parts, _ = whisper._BASE_FILES["config.json"]
    monkeypatch.setitem(whisper._BASE_FILES, "model.bin", (parts, "0" * 64))
    with pytest.raises(UserError, match=r"data/config\.json: the model's SHA-256 is \w+, expected 0+"):
        WhisperBase().check()
