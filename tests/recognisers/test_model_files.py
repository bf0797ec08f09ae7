"""Which files of a model are taken, from a folder or the hub, and what is said when some are missing."""

from __future__ import annotations

from pathlib import Path

import pytest

from squtr import plugins
from squtr.errors import UserError
from squtr.recognisers import fun_asr, sensevoice, transformers
from squtr.recognisers.model_files import FilesOf, folder_digest, model_files
from tests.hub_server import serving_hub

REVISION = "e" * 40
KIND = FilesOf("toy", "the toy package", ("*.json", "sub/*.txt"), ("config.json",), ("a.bin", "b-*.bin"))
FUN_ASR = ["config.yaml", "configuration.json", "model.pt", "multilingual.tiktoken"]
QWEN = ["config.json", "generation_config.json", "merges.txt", "tokenizer.json", "vocab.json"]


def test_patterns_do_not_reach_into_folders_and_the_best_weights_are_taken() -> None:
    names = ["config.json", "deep/x.json", "sub/y.txt", "sub/z/y.txt", "b-1.bin", "b-2.bin", "README.md"]
    assert KIND.chosen(names) == ["b-1.bin", "b-2.bin", "config.json", "sub/y.txt"]
    assert KIND.chosen([*names, "a.bin"]) == ["a.bin", "config.json", "sub/y.txt"]


@pytest.mark.parametrize(
    ("kind", "offered", "left"),
    [
        (
            fun_asr._FILES,
            [*FUN_ASR, *(f"Qwen3-0.6B/{name}" for name in QWEN)],
            ["README.md", "example/zh.mp3", "Qwen3-0.6B/model.safetensors", "images/a.png"],
        ),
        (
            sensevoice._FILES,
            [
                "am.mvn",
                "chn_jpn_yue_eng_ko_spectok.bpe.model",
                "config.yaml",
                "configuration.json",
                "model.pt",
            ],
            ["README.md", "example/en.mp3", "fig/asr_results.png", "tokens.json"],
        ),
        (
            transformers._FILES,
            ["config.json", "merges.txt", "model.safetensors", "preprocessor_config.json", "vocab.json"],
            [
                "flax_model.msgpack",
                "model.fp32-00001-of-00002.safetensors",
                "pytorch_model.bin",
                "tf_model.h5",
            ],
        ),
    ],
)
def test_of_the_published_repositories_only_what_is_needed_is_fetched(kind, offered, left) -> None:
    assert kind.chosen([*offered, *left]) == sorted(offered)


def test_a_folder_is_known_by_the_files_that_decide(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    for name in ("config.json", "a.bin", "sub/y.txt", "README.md"):
        (tmp_path / name).write_text(name)
    prints = [folder_digest.__wrapped__(tmp_path, KIND)]
    (tmp_path / "README.md").write_text("changed")
    assert folder_digest.__wrapped__(tmp_path, KIND) == prints[0]
    for name in ("a.bin", "sub/y.txt"):
        (tmp_path / name).write_text("changed")
        prints.append(folder_digest.__wrapped__(tmp_path, KIND))
    assert len(set(prints)) == 3


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    found = model_files(str(tmp_path), None, KIND, None)
    assert [need.present for need in found.needs()] == [False]
    with pytest.raises(UserError, match=r"no toy model; config\.json, a\.bin missing.* the toy package can"):
        found.place()
    for name in ("config.json", "b-1.bin"):
        (tmp_path / name).touch()
    assert found.place() == tmp_path and [need.present for need in found.needs()] == [True]
    with pytest.raises(UserError, match="is a folder, so revision says nothing"):
        model_files(str(tmp_path), REVISION, KIND, None)
    with pytest.raises(UserError, match="no revision is pinned"):
        model_files("org/name", None, KIND, None)


def test_the_hub_is_asked_once_and_not_at_all_when_the_files_are_there(tmp_path, monkeypatch) -> None:
    pytest.importorskip("huggingface_hub", reason="needs the hub's client")
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    files = {name: name.encode() for name in ("config.json", "b-1.bin", "other.bin")}
    found = model_files("org/once", REVISION, KIND, None)
    with serving_hub({f"models/org/once@{REVISION}": files}) as hub:
        monkeypatch.setenv("HF_ENDPOINT", hub.url)
        place = found.place()
        asked = len(hub.asked)
        assert sorted(hub.fetched) == ["b-1.bin", "config.json"]
        assert found.place() == place and len(hub.asked) == asked


@pytest.mark.parametrize("name", ["sensevoice", "fun-asr", "paraformer"])
def test_published_models_are_pinned_by_default(name, tmp_path, monkeypatch) -> None:
    monkeypatch.setenv("HF_HOME", str(tmp_path))
    monkeypatch.delenv("HF_HUB_CACHE", raising=False)
    needs = plugins.load("recogniser", name).needs()
    (model,) = [need for need in needs if need.kind == "model"]
    assert not model.present and len(model.name.partition("@")[2]) == 40
    assert model.how == f"hf download {model.name.replace('@', ' --revision ')}"
