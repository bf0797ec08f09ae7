"""The transformers library's own pipeline on tiny models of random weights."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from squtr import plugins
from squtr.errors import UserError
from squtr.recognisers import transformers
from squtr.recognisers.transformers import Transformers
from tests.hub_server import serving_hub
from tests.recognisers.sounds import THREE, sweep
from tests.recognisers.tiny_transformers import wav2vec2, whisper

pytestmark = pytest.mark.torch
pytest.importorskip("torch", reason="needs the extra torch")
pytest.importorskip("transformers", reason="needs the extra torch")

REVISION = "d" * 40


@pytest.fixture(scope="module")
def models(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("transformers")
    return {
        "whisper": whisper(folder / "whisper"),
        "english": whisper(folder / "english", is_multilingual=False),
        "ctc": wav2vec2(folder / "ctc"),
    }


def made(models: dict[str, Path], name: str) -> Any:
    language = ",language=en" if name == "ctc" else ""
    recogniser = plugins.load("recogniser", f"transformers,model={models[name]}{language}")
    recogniser.check()
    return recogniser


def pipeline(models: dict[str, Path], name: str) -> Any:
    return transformers._pipeline(models[name], "cpu", "float32", 1)


@pytest.mark.parametrize("name", ["whisper", "ctc"])
def test_a_batch_gives_the_texts_of_single_calls_in_any_order(models, name) -> None:
    recogniser = made(models, name)
    alone = [recogniser.transcribe(audio, "en") for audio in THREE]
    assert recogniser.transcribe_many(THREE, "en") == alone
    assert recogniser.transcribe_many(THREE[::-1], "en") == alone[::-1]
    assert all(one.text for one in alone) and len({one.text for one in alone}) > 1


def test_padded_ctc_batches_would_differ_and_are_not_made(models) -> None:
    model = pipeline(models, "ctc")
    alone = [one.text for one in made(models, "ctc").transcribe_many(THREE, "en")]
    inputs = [{"raw": audio.samples, "sampling_rate": 16000} for audio in (THREE[1], sweep(3.0, 16000))]
    single = [model(dict(one))["text"] for one in inputs]
    assert single[0].strip() == alone[1]
    assert [one["text"] for one in model([dict(one) for one in inputs], batch_size=2)] != single


def test_decoding_is_greedy_whatever_a_model_says_of_itself(models, tmp_path: Path) -> None:
    for file in models["whisper"].iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    own = json.loads((tmp_path / "generation_config.json").read_text())
    assert own.pop("do_sample") and own.pop("num_beams") == 3 and own.pop("temperature") == 3.0
    (tmp_path / "generation_config.json").write_text(json.dumps(own))
    plain = Transformers(str(tmp_path)).transcribe(THREE[0], "en")
    assert made(models, "whisper").transcribe(THREE[0], "en") == plain
    assert transformers._generation(pipeline(models, "whisper")).num_beams == 1


def test_whisper_is_told_language_task_and_temperature(models, monkeypatch) -> None:
    model = pipeline(models, "whisper").model
    asked: list[dict[str, Any]] = []
    generate = model.generate
    monkeypatch.setattr(model, "generate", lambda **kind: asked.append(kind) or generate(**kind))
    made(models, "whisper").transcribe(THREE[0], "zh")
    told = {name: asked[0][name] for name in ("temperature", "language", "task")}
    assert told == {"temperature": 0.0, "language": "zh", "task": "transcribe"}


def test_the_language_changes_what_whisper_writes(models) -> None:
    recogniser = made(models, "whisper")
    assert len({recogniser.transcribe(THREE[2], language).text for language in ("en", "zh", "ja")}) > 1


def test_more_than_thirty_seconds_is_heard_to_its_end(models) -> None:
    recogniser = made(models, "whisper")
    long = sweep(40.0, 16000)
    assert recogniser.transcribe_many([THREE[0], long], "en") == [
        recogniser.transcribe(THREE[0], "en"),
        recogniser.transcribe(long, "en"),
    ]


def test_languages_that_a_model_does_not_know(models) -> None:
    with pytest.raises(UserError, match="is a model of 3 languages, not 'de'"):
        made(models, "whisper").transcribe(THREE[0], "de")
    with pytest.raises(UserError, match="is a model for English, not 'zh'"):
        made(models, "english").transcribe(THREE[0], "zh")
    with pytest.raises(UserError, match="is told to know 'en', not 'zh'"):
        made(models, "ctc").transcribe(THREE[0], "zh")
    with pytest.raises(UserError, match=r"cannot be told a language\. Say which one it knows"):
        Transformers(str(models["ctc"])).check()


def test_fingerprints_and_faulty_options(models, tmp_path: Path) -> None:
    prints = {made(models, name).fingerprint for name in models}
    prints.add(Transformers(str(models["whisper"]), dtype="float16").fingerprint)
    prints.add(Transformers("org/name", revision=REVISION).fingerprint)
    assert len(prints) == 5 and Transformers(str(models["whisper"]), threads=2).fingerprint in prints
    with pytest.raises(UserError, match="dtype is 'float64'"):
        Transformers(str(models["whisper"]), dtype="float64")
    with pytest.raises(UserError, match="no revision is pinned"):
        Transformers("org/name")
    with pytest.raises(UserError, match=r"no transformers model; config\.json, .*model\.safetensors missing"):
        Transformers(str(tmp_path)).check()


def test_a_pinned_model_is_fetched_without_weights_of_other_kinds(models, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    files = {file.name: file.read_bytes() for file in models["whisper"].iterdir()}
    more = {
        "pytorch_model.bin": b"x",
        "model.fp32-00001-of-00002.safetensors": b"x",
        "onnx/config.json": b"x",
    }
    recogniser = Transformers("org/name", revision=REVISION)
    assert [need.present for need in recogniser.needs() if need.kind == "model"] == [False]
    with serving_hub(
        {f"models/org/name@{REVISION}": files | more | {"README.md": b"x", "code.py": b"x"}}
    ) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        recogniser.check()
        assert sorted(hub.fetched) == sorted(files)
    assert all(need.present for need in recogniser.needs())
    assert recogniser.transcribe(THREE[0], "en") == made(models, "whisper").transcribe(THREE[0], "en")


def test_a_gpu_that_is_not_there_is_said(models) -> None:
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU")
    with pytest.raises(UserError, match="on cuda:0"):
        Transformers(str(models["whisper"]), device="cuda:0").transcribe(THREE[0], "en")


def test_a_folder_that_cannot_be_loaded_is_one_message(models, tmp_path: Path) -> None:
    for file in models["ctc"].iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    (tmp_path / "model.safetensors").write_bytes(b"no weights")
    with pytest.raises(UserError, match=r"transformers cannot load .* on cpu"):
        Transformers(str(tmp_path), language="en").transcribe(THREE[0], "en")
