"""Reranking with a tiny random cross-encoder that the real classes made."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="the torch lane")
pytest.importorskip("sentence_transformers", reason="the torch lane")

from squtr import plugins
from squtr.errors import UserError
from squtr.records import Document
from tests.retrievers.tiny_models import save_cross_encoder

pytestmark = pytest.mark.torch
TEXTS = ["red apple", "green apple pear", "rain apple", "ripe plum apple " * 30, "blue", "apple"]
CORPUS = [Document(f"d{place}", "", text) for place, text in enumerate(TEXTS)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_cross_encoder(tmp_path_factory.mktemp("cross"))


def build(folder, **options):
    written = "".join(f",{key}={value}" for key, value in options.items())
    return plugins.load("retriever", f"rerank,model={folder}{written}")


def test_scores_are_the_logits_of_the_package(folder):
    import torch
    from sentence_transformers import CrossEncoder

    model = CrossEncoder(str(folder), device="cpu")
    names = ["d0", "d1", "d2", "d3", "d5"]
    pairs = [("apple", CORPUS[int(name[1])].full_text) for name in names]
    logits = model.predict(pairs, activation_fn=torch.nn.Identity())
    retriever = build(folder)
    retriever.check()
    retriever.index(CORPUS, "en")
    ranking = retriever.search(["apple"], 10)[0]
    expected = dict(zip(names, logits.tolist(), strict=True))
    assert ranking == {name: pytest.approx(score, abs=1e-5) for name, score in expected.items()}
    assert list(ranking) == sorted(ranking, key=lambda name: ranking[name], reverse=True)
    assert np.ptp(logits) > 0.01


def test_pairs_are_scored_once_and_in_any_batch(folder):
    retriever, alone = build(folder, batch_size=4), build(folder, batch_size=1)
    for one in (retriever, alone):
        one.index(CORPUS, "en")
    first = retriever.search(["apple", "red apple", "apple"], 5)
    assert retriever.truncation["pairs"] == 10
    assert retriever.truncation["cut"] == 2
    assert retriever.search(["apple"], 3)[0] == dict(list(first[0].items())[:3])
    assert retriever.truncation["pairs"] == 10
    for query, ranking in zip(["apple", "red apple"], first, strict=False):
        assert alone.search([query], 5)[0] == pytest.approx(ranking, abs=1e-5)


def test_a_model_of_several_labels_is_no_reranker(tmp_path):
    with pytest.raises(UserError, match="3 scores"):
        build(save_cross_encoder(tmp_path / "three", labels=3)).check()


def test_fingerprint_holds_first_stage_model_and_depth(folder):
    plain = build(folder).fingerprint
    assert "bm25 lucene" in plain and "depth=50" in plain and "sha256=" in plain
    others = {build(folder, depth=10).fingerprint, build(folder, max_length=32).fingerprint}
    assert plain not in others and len(others) == 2
