"""Models of sentence-transformers on a stand-in: how they are called, named and refused."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import numpy as np
import pytest

from squtr import plugins
from squtr.embedders import sentence_transformers
from squtr.embedders.sentence_transformers import OMNI_EMBED_REVISION, OmniEmbed
from squtr.errors import ItemFailure, NotHere, UserError
from squtr.records import Document, Waveform

SOUND = Waveform(np.ones(24000, np.float32) / 4, 24000)


class StandIn:
    """Takes what SentenceTransformer takes and notes it."""

    made: list[tuple[str, dict[str, Any]]]
    calls: list[tuple[str, list[Any], dict[str, Any]]]

    def __init__(self, name: str, **options: Any) -> None:
        type(self).made.append((name, options))
        self.decoder = SimpleNamespace(config=SimpleNamespace(is_causal=True))
        self.first = SimpleNamespace(processing_kwargs={"video": {}})

    def __getitem__(self, place: int) -> Any:
        return self.first

    def eval(self) -> StandIn:
        return self

    def supports(self, kind: str) -> bool:
        return True

    def modules(self) -> list[Any]:
        named = type("BidirectQwen2_5OmniThinkerTextModel", (), {})()
        named.config = self.decoder.config
        return [named]

    def encode_query(self, inputs: list[Any], **options: Any) -> np.ndarray:
        self.calls.append(("query", inputs, options))
        return np.ones((len(inputs), 4))

    def encode_document(self, inputs: list[Any], **options: Any) -> np.ndarray:
        self.calls.append(("document", inputs, options))
        return np.ones((len(inputs), 4))


@pytest.fixture
def library(monkeypatch: pytest.MonkeyPatch) -> type[StandIn]:
    StandIn.made, StandIn.calls = [], []
    kind = type("dtype", (), {})
    torch: Any = ModuleType("torch")
    torch.dtype, torch.float32, torch.bfloat16 = kind, kind(), kind()
    module: Any = ModuleType("sentence_transformers")
    module.SentenceTransformer = StandIn
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setitem(sys.modules, "sentence_transformers", module)
    monkeypatch.setattr(sentence_transformers, "_versions", dict)
    sentence_transformers._load.cache_clear()
    yield StandIn
    sentence_transformers._load.cache_clear()


def test_omni_embed_is_pinned_and_called_as_its_model_card_says(library: type[StandIn]) -> None:
    embedder = plugins.load("embedder", "omni-embed,device=cuda")
    embedder.check()
    [(name, options)] = library.made
    assert name == "nvidia/omni-embed-nemotron-3b" and options["revision"] == OMNI_EMBED_REVISION
    assert options["device"] == "cuda" and options["trust_remote_code"] is True
    assert options["model_kwargs"]["torch_dtype"] is sys.modules["torch"].bfloat16  # type: ignore[attr-defined]
    embedder.embed_documents([Document("1", "Title", "text")])
    embedder.embed_audio(SOUND, "en")
    (side, inputs, told), (asked, sounds, plain) = library.calls
    assert (side, inputs, told["prompt"]) == ("document", ["Title text"], "passage: ")
    assert told["normalize_embeddings"] is True
    assert asked == "query" and "prompt" not in plain
    assert sounds[0]["audio"]["sampling_rate"] == 16000 and len(sounds[0]["audio"]["array"]) == 16000
    loaded = embedder._loaded
    assert loaded.first.processing_kwargs["audio"] == {"max_length": 2_048_000}
    assert loaded.decoder.config.is_causal is False


def test_every_sound_is_a_call_of_its_own(library: type[StandIn]) -> None:
    embedder = plugins.load("embedder", "sentence-transformers-audio,model=a/b")
    assert embedder.embed_audio_many([SOUND, SOUND], "en").shape == (2, 4)
    assert [len(inputs) for _, inputs, _ in library.calls] == [1, 1]
    with pytest.raises(ItemFailure, match="no sound"):
        embedder.embed_audio(Waveform(np.zeros(0, np.float32), 16000), "en")


def test_a_version_that_takes_no_sound_is_told(
    library: type[StandIn], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.modules["sentence_transformers"], "SentenceTransformer", object)
    with pytest.raises(NotHere, match=r"takes no sound, 5\.4 or newer does: pip install"):
        plugins.load("embedder", "sentence-transformers-audio,model=a/b").check()


def test_a_missing_package_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    sentence_transformers._load.cache_clear()
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))
    with pytest.raises(NotHere, match=r"need sentence_transformers: pip install"):
        plugins.load("embedder", "omni-embed").check()


def test_the_fingerprint_is_of_the_files_of_a_folder(library: type[StandIn], tmp_path: Path) -> None:
    prints = set()
    for content in ("one", "two"):
        folder = tmp_path / content
        folder.mkdir()
        (folder / "model.safetensors").write_text(content)
        prints.add(plugins.load("embedder", f"sentence-transformers-audio,model={folder}").fingerprint)
        prints.add(plugins.load("embedder", f"omni-embed,model={folder}").fingerprint)
    assert len(prints) == 4
    assert OmniEmbed().fingerprint != OmniEmbed(dtype="float32").fingerprint


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("sentence-transformers-audio", "needs the option model"),
        ("sentence-transformers-audio,model=a/b,revision=main", "'main' can move"),
        ("sentence-transformers-audio,model=a/b,trust_code=maybe", "it is true or false"),
        ("omni-embed,dtype=float3", "it is float32, float16 or bfloat16"),
    ],
)
def test_faulty_options_are_told(library: type[StandIn], spec: str, message: str) -> None:
    with pytest.raises(UserError, match=message):
        plugins.load("embedder", spec).check()


def test_needs_name_packages_model_and_device() -> None:
    needs = {need.kind: need for need in OmniEmbed(device="cuda").needs()}
    assert set(needs) == {"package", "device", "model"}
    assert needs["model"].name == f"nvidia/omni-embed-nemotron-3b@{OMNI_EMBED_REVISION}"
