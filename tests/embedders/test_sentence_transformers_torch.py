"""The real sentence-transformers, from a folder that the test saves to a searched vector."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from squtr import plugins
from squtr.errors import UserError
from squtr.records import Document, Waveform

pytestmark = pytest.mark.torch
torch = pytest.importorskip("torch", reason="the torch lane: pip install 'squtr[torch]'")
library = pytest.importorskip("sentence_transformers", reason="the torch lane: pip install 'squtr[torch]'")
if not hasattr(library.SentenceTransformer, "supports"):
    pytest.skip("this sentence-transformers takes no sound; 5.4 or newer does", allow_module_level=True)

LOUD_AT_THE_END = Waveform(np.linspace(0, 0.5, 24000, dtype=np.float32), 24000)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    from tests.embedders.tiny_ears import TinyEars

    path = tmp_path_factory.mktemp("tiny-ears")
    model = library.SentenceTransformer(modules=[TinyEars()], prompts={"query": "q", "document": "d"})
    model.save(str(path), create_model_card=False)
    return path


def loaded(folder: Path, name: str = "sentence-transformers-audio", **options: object):
    return plugins.load("embedder", name, model=str(folder), dtype="float32", **options)


@pytest.mark.parametrize("name", ["sentence-transformers-audio", "omni-embed"])
def test_sound_and_text_lie_in_one_space(folder: Path, name: str) -> None:
    embedder = loaded(folder, name)
    embedder.check()
    sound = embedder.embed_audio(LOUD_AT_THE_END, "en")
    documents = embedder.embed_documents([Document("1", "A", "title"), Document("2", "", "text")])
    assert sound.shape == (16,) and documents.shape == (2, 16)
    assert sound.dtype == documents.dtype == np.float32
    assert np.linalg.norm(sound) == pytest.approx(1) and np.argmax(sound) == 15


def test_prompts_are_the_models_own_unless_given(folder: Path) -> None:
    document = [Document("1", "", "text")]
    own, ours = loaded(folder), loaded(folder, document_prompt="passage: ")
    assert not np.allclose(own.embed_documents(document), ours.embed_documents(document))
    assert np.allclose(
        own.embed_documents(document), loaded(folder, document_prompt="d").embed_documents(document)
    )
    assert own.fingerprint != ours.fingerprint


def test_a_batch_gives_the_vectors_of_single_calls(folder: Path) -> None:
    embedder = loaded(folder)
    sounds = [LOUD_AT_THE_END, Waveform(LOUD_AT_THE_END.samples[::-2].copy(), 24000)]
    together = embedder.embed_audio_many(sounds, "en")
    assert together.tobytes() == b"".join(embedder.embed_audio(one, "en").tobytes() for one in sounds)


def test_a_model_without_ears_is_refused(tmp_path: Path) -> None:
    from tests.embedders.tiny_ears import TinyEars

    class Deaf(TinyEars):
        @property
        def modalities(self) -> list[str]:
            return ["text"]

    embedder = loaded(tmp_path)
    model = library.SentenceTransformer(modules=[Deaf()])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("squtr.embedders.sentence_transformers._load", lambda *arguments: model)
        with pytest.raises(UserError, match=r"takes no audio\. Name a model that takes both"):
            embedder.check()


def test_a_folder_without_a_model_is_told(tmp_path: Path) -> None:
    (tmp_path / "modules.json").write_text("[")
    with pytest.raises(UserError, match="sentence-transformers cannot load"):
        loaded(tmp_path).check()
