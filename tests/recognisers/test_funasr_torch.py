"""FunASR's own loader and models on tiny checkpoints of random weights."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from squtr import plugins
from squtr.errors import ItemFailure, UserError
from squtr.recognisers import funasr, sensevoice
from squtr.records import Waveform
from tests.recognisers.sounds import THREE
from tests.recognisers.tiny_funasr import fun_asr, paraformer
from tests.recognisers.tiny_funasr import sensevoice as tiny_sensevoice

pytestmark = pytest.mark.torch
pytest.importorskip("torch", reason="needs the extra torch")
pytest.importorskip("funasr", reason="needs the extra funasr")


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("models")
    return {
        "paraformer": paraformer(folder / "paraformer"),
        "sensevoice": tiny_sensevoice(folder / "sensevoice", sensevoice._PIECES),
        "fun-asr": fun_asr(folder / "fun-asr"),
    }


def made(models: dict[str, Path], name: str) -> Any:
    recogniser = plugins.load("recogniser", f"{name},model={models[name]}")
    recogniser.check()
    return recogniser


@pytest.mark.parametrize("name", ["paraformer", "sensevoice", "fun-asr"])
def test_a_recording_gives_the_same_text_in_any_order(models, name) -> None:
    recogniser = made(models, name)
    first = [recogniser.transcribe(audio, "zh").text for audio in THREE]
    again = [recogniser.transcribe(audio, "zh").text for audio in reversed(THREE)]
    assert first == again[::-1]
    assert len(set(first)) > 1 and all(first)


@pytest.mark.parametrize("name", ["paraformer", "sensevoice"])
def test_a_batch_gives_the_texts_of_single_calls(models, name) -> None:
    recogniser = made(models, name)
    alone = [recogniser.transcribe(audio, "zh") for audio in THREE]
    assert recogniser.transcribe_many(THREE, "zh") == alone
    assert recogniser.transcribe_many(THREE[::-1], "zh") == alone[::-1]


def test_fun_asr_takes_one_recording_a_call(models) -> None:
    assert not hasattr(made(models, "fun-asr"), "transcribe_many")


@pytest.mark.parametrize("name", ["paraformer", "sensevoice", "fun-asr"])
def test_random_dither_is_off_and_nothing_is_printed(models, name, capsys) -> None:
    recogniser = made(models, name)
    recogniser.transcribe(THREE[0], "zh")
    assert funasr._model(models[name], "cpu", 1).kwargs["frontend"].dither == 0.0
    assert capsys.readouterr().out == ""


def test_sensevoice_is_told_the_language(models) -> None:
    recogniser = made(models, "sensevoice")
    texts = {language: recogniser.transcribe(THREE[2], language).text for language in ("zh", "en", "ja")}
    assert len(set(texts.values())) > 1
    assert not any("<|" in text or "|>" in text for text in texts.values())
    with pytest.raises(UserError, match="SenseVoice knows zh, yue, en, ja, ko, not 'de'"):
        recogniser.transcribe(THREE[0], "de")


def test_fun_asr_is_told_the_language_and_decodes_greedily(models) -> None:
    recogniser = made(models, "fun-asr")
    model = funasr._model(models["fun-asr"], "cpu", 1)
    asked: list[dict[str, Any]] = []
    generate = model.model.llm.generate
    model.model.llm.generate = lambda **options: asked.append(options) or generate(**options)
    try:
        recogniser.transcribe(THREE[0], "en")
    finally:
        model.model.llm.generate = generate
    assert (asked[0]["do_sample"], asked[0]["num_beams"]) == (False, 1)
    with pytest.raises(UserError, match="there is none here for 'ko'"):
        recogniser.transcribe(THREE[0], "ko")
    korean = plugins.load("recogniser", f"fun-asr,model={models['fun-asr']},spoken=韩文")
    assert korean.transcribe(THREE[0], "ko").text
    assert korean.fingerprint != recogniser.fingerprint


def test_changed_weights_are_another_recogniser(models, tmp_path: Path) -> None:
    prints = {made(models, name).fingerprint for name in models}
    other = tiny_sensevoice(tmp_path / "other", sensevoice._PIECES)
    (other / "model.pt").write_bytes((models["sensevoice"] / "model.pt").read_bytes() + b"\0")
    prints.add(plugins.load("recogniser", f"sensevoice,model={other}").fingerprint)
    assert len(prints) == 4


def test_a_recording_without_a_frame_is_a_failure_not_an_empty_text(models) -> None:
    for name in models:
        with pytest.raises(ItemFailure, match="the recording is 6 ms short"):
            made(models, name).transcribe(Waveform(np.zeros(100, np.float32), 16000), "zh")


def test_a_gpu_that_is_not_there_is_said(models) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(UserError, match="there is no cuda:0 on this machine"):
        plugins.load("recogniser", f"sensevoice,model={models['sensevoice']},device=cuda:0").transcribe(
            THREE[0], "zh"
        )
