"""OpenAI's own loader and decoder on a checkpoint of a few units and random weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from squtr import plugins
from squtr.errors import UserError
from squtr.languages import language_row
from squtr.recognisers import openai_whisper
from squtr.records import Waveform
from tests.recognisers.sounds import THREE, sweep

pytestmark = pytest.mark.torch
pytest.importorskip("torch", reason="needs the extra torch")
pytest.importorskip("whisper", reason="needs the extra torch")

MULTILINGUAL, ENGLISH = 51865, 51864


@pytest.fixture(scope="module")
def checkpoints(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("whisper")
    return {
        name: checkpoint(folder / name / "tiny.pt", words)
        for name, words in {"many": MULTILINGUAL, "english": ENGLISH}.items()
    }


def checkpoint(path: Path, words: int) -> Path:
    """Write random weights of Whisper's own class as its loader reads them."""
    import torch
    from whisper.model import ModelDimensions, Whisper

    torch.manual_seed(0)
    sizes = {"n_mels": 80, "n_audio_ctx": 1500, "n_audio_state": 8, "n_audio_head": 2, "n_audio_layer": 1}
    sizes |= {"n_vocab": words, "n_text_ctx": 48, "n_text_state": 8, "n_text_head": 2, "n_text_layer": 1}
    model = Whisper(ModelDimensions(**sizes))
    torch.nn.init.normal_(model.decoder.positional_embedding)
    path.parent.mkdir(parents=True)
    torch.save({"dims": sizes, "model_state_dict": model.state_dict()}, path)
    return path


def made(path: Path, **options: Any) -> openai_whisper.OpenAIWhisper:
    recogniser = openai_whisper.OpenAIWhisper(str(path), **options)
    recogniser.check()
    return recogniser


def test_a_recording_gives_the_same_text_and_confidence_in_any_order(checkpoints) -> None:
    recogniser = plugins.load("recogniser", f"openai-whisper,model={checkpoints['many']}")
    first = [recogniser.transcribe(audio, "en") for audio in THREE]
    again = [recogniser.transcribe(audio, "en") for audio in reversed(THREE)]
    assert first == again[::-1]
    assert all(one.text and one.confidence < 0 for one in first)
    assert made(checkpoints["many"].parent).fingerprint == recogniser.fingerprint


def test_decoding_is_greedy_without_ladder_and_earlier_text(checkpoints, monkeypatch) -> None:
    recogniser = made(checkpoints["many"])
    recogniser.transcribe(THREE[0], "en")
    model = openai_whisper._model(str(checkpoints["many"]), "cpu", 1)
    asked = []
    decode = type(model).decode

    def noted(model: Any, mel: Any, options: Any) -> Any:
        asked.append(options)
        return decode(model, mel, options)

    monkeypatch.setattr(type(model), "decode", noted)
    recogniser.transcribe(sweep(45.0, 16000), "zh")
    assert len(asked) == 2  # two windows of 30 s, each decoded once: no other temperature is tried
    assert {(one.temperature, one.beam_size, one.best_of, one.fp16) for one in asked} == {
        (0.0, None, None, False)
    }
    assert {(one.language, one.task, one.without_timestamps) for one in asked} == {("zh", "transcribe", True)}
    prompts = [one.prompt for one in asked]
    assert language_row("zh").whisper_prompt and prompts[0] and not prompts[1]


def test_languages_that_a_checkpoint_does_not_know(checkpoints) -> None:
    assert made(checkpoints["english"]).transcribe(THREE[0], "en").text
    with pytest.raises(
        UserError, match=r"does not know 'zh'\. It knows en\. Give the recogniser by language"
    ):
        made(checkpoints["english"]).transcribe(THREE[0], "zh")
    with pytest.raises(UserError, match=r"does not know 'xx'\. It knows af, am, "):
        made(checkpoints["many"]).transcribe(THREE[0], "xx")


def test_changed_weights_and_a_device_are_in_the_fingerprint(checkpoints) -> None:
    prints = {made(path).fingerprint for path in checkpoints.values()}
    prints |= {made(checkpoints["many"], device="cuda:0").fingerprint}
    prints |= {openai_whisper.OpenAIWhisper(name).fingerprint for name in ("base", "large", "large-v3")}
    assert len(prints) == 5
    assert made(checkpoints["many"], threads=2).fingerprint in prints


def test_what_cannot_be_loaded_is_one_message(tmp_path, checkpoints, monkeypatch) -> None:
    broken = tmp_path / "broken.pt"
    broken.write_bytes(b"no checkpoint")
    with pytest.raises(UserError, match=r"cannot load .*broken\.pt.* Name a \.pt file"):
        made(broken).transcribe(THREE[0], "en")
    with pytest.raises(UserError, match=r"0 \.pt files where one is expected"):
        made(tmp_path / "..", threads=1)
    with pytest.raises(UserError, match="no such file"):
        openai_whisper.OpenAIWhisper(str(tmp_path / "none.pt"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with pytest.raises(UserError, match="cannot load 'basest' on cpu"):
        made(Path("basest"))


def test_needs_are_told_without_loading(checkpoints, tmp_path, monkeypatch) -> None:
    assert all(need.present for need in made(checkpoints["many"]).needs())
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    turbo = openai_whisper.OpenAIWhisper("turbo")
    assert [need.present for need in turbo.needs() if need.kind == "model"] == [False]
    (tmp_path / "whisper").mkdir()
    (tmp_path / "whisper" / "large-v3-turbo.pt").touch()
    assert all(need.present for need in turbo.needs())


def test_a_gpu_that_is_not_there_is_said(checkpoints) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(UserError, match="on cuda:0"):
        made(checkpoints["many"], device="cuda:0").transcribe(THREE[0], "en")


def test_silence_is_no_failure(checkpoints) -> None:
    heard = made(checkpoints["many"]).transcribe(Waveform(np.zeros(16000, np.float32), 16000), "en")
    assert isinstance(heard.text, str)
