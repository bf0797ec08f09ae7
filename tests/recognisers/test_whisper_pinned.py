"""Whisper models on the hub: pinned, checked before work, and folders left as they were."""

from __future__ import annotations

from pathlib import Path

import pytest

from squtr import plugins
from squtr.errors import UserError
from squtr.recognisers import whisper
from squtr.recognisers.whisper import FasterWhisper, WhisperBase
from tests.hub_server import serving_hub

REVISION = "edaa852ec7e145841d8ffdb056a99866b5f0a478"
FILES = {
    "config.json": b"{}",
    "model.bin": b"weights",
    "tokenizer.json": b"{ }",
    "vocabulary.json": b"[]",
    "preprocessor_config.json": b"{  }",
    "README.md": b"a card",
}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    for name, data in FILES.items():
        (folder / name).write_bytes(data)
    return folder


def test_a_revision_is_in_the_fingerprint_and_a_folder_s_files_are(model: Path) -> None:
    prints = {FasterWhisper("org/name", revision=digit * 40).fingerprint for digit in "12"}
    prints |= {FasterWhisper("org/name").fingerprint, FasterWhisper(str(model)).fingerprint}
    assert len(prints) == 4
    spec = plugins.load("recogniser", f"faster-whisper,model=org/name,revision={'1' * 40}")
    assert spec.fingerprint in prints


def test_a_pinned_model_is_fetched_by_the_check_and_then_read_without_network(tmp_path, monkeypatch) -> None:
    pytest.importorskip("huggingface_hub", reason="needs the hub's client")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    recogniser = FasterWhisper("org/name", revision=REVISION)
    assert [need.present for need in recogniser.needs() if need.kind == "model"] == [False]
    with serving_hub({f"models/org/name@{REVISION}": FILES}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        recogniser.check()
        assert sorted(hub.fetched) == sorted(FILES.keys() - {"README.md"})
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    recogniser.check()
    assert all(need.present for need in recogniser.needs())
    loaded = []
    monkeypatch.setattr(whisper, "_load_named", lambda place, *how: loaded.append(place))
    monkeypatch.setattr(whisper, "_transcribed", lambda model, audio, language: None)
    recogniser.transcribe(None, "en")  # type: ignore[arg-type]
    assert loaded == [str(tmp_path / "hf/hub/models--org--name/snapshots" / REVISION)]


def test_what_is_wrong_is_said_before_work(model: Path, tmp_path: Path, monkeypatch) -> None:
    FasterWhisper(str(model)).check()
    (model / "model.bin").unlink()
    assert FasterWhisper(str(model)).needs()[-1].present is False
    with pytest.raises(UserError, match=r"no faster-whisper model; it has no config\.json and model\.bin"):
        FasterWhisper(str(model)).check()
    with pytest.raises(UserError, match="is a folder, so revision says nothing"):
        FasterWhisper(str(model), revision=REVISION)
    with pytest.raises(UserError, match="'main' can move"):
        FasterWhisper("org/name", revision="main")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    with pytest.raises(UserError, match="HF_HUB_OFFLINE is set"):
        FasterWhisper("org/name", revision=REVISION).check()


def test_a_name_without_a_revision_is_looked_for_by_the_package_itself(monkeypatch) -> None:
    import faster_whisper

    asked = []
    monkeypatch.setattr(faster_whisper, "download_model", asked.append)
    FasterWhisper("large-v3").check()
    assert asked == ["large-v3"]

    def nowhere(name: str) -> None:
        raise ValueError("Invalid model size")

    monkeypatch.setattr(faster_whisper, "download_model", nowhere)
    with pytest.raises(UserError, match="cannot load 'largest': Invalid model size"):
        FasterWhisper("largest").check()


def test_the_embedded_model_names_its_packages() -> None:
    assert all(need.present for need in WhisperBase().needs())
