"""Late interaction against a stand-in with PyLate's interface: a vector a word."""

from __future__ import annotations

import sys
import types

import numpy as np
import pytest

from squtr import plugins
from squtr.errors import UserError
from squtr.records import Document
from squtr.retrievers import late_interaction, models

WORDS = {"red": 0, "green": 1, "apple": 2, "pear": 3}
CORPUS = [
    Document("d1", "", "red apple"),
    Document("d2", "green", "pear"),
    Document("d3", "", "?"),
    Document("d4", "", "red pear apple"),
]


class ColBERT:
    """What is called of pylate.models.ColBERT 1.3 to 1.6."""

    made: list = []  # noqa: RUF012
    calls: list = []  # noqa: RUF012

    def __init__(
        self, model_name_or_path, device, trust_remote_code, local_files_only, model_kwargs, **lengths
    ):
        self.lengths = lengths
        self.made.append((model_name_or_path, device, lengths))

    def eval(self):
        return self

    def encode(
        self, sentences, batch_size, is_query, normalize_embeddings, convert_to_numpy, show_progress_bar
    ):
        self.calls.append((list(sentences), is_query))
        most = self.lengths.get("query_length" if is_query else "document_length", 99)
        return [np.eye(4, dtype=np.float32)[[WORDS[w] for w in text.split()][:most]] for text in sentences]


@pytest.fixture
def folder(tmp_path, monkeypatch):
    torch = types.ModuleType("torch")
    torch.float32 = "float32"
    package, inner = types.ModuleType("pylate"), types.ModuleType("pylate.models")
    inner.ColBERT = ColBERT
    package.models = inner
    for module in (torch, package, inner):
        monkeypatch.setitem(sys.modules, module.__name__, module)
    monkeypatch.setattr(models, "_version", lambda name: "0")
    ColBERT.made.clear()
    ColBERT.calls.clear()
    models._loaded.cache_clear()
    (tmp_path / "m").mkdir()
    (tmp_path / "m" / "model.safetensors").write_bytes(b"weights")
    yield tmp_path / "m"
    models._loaded.cache_clear()


def build(folder, options=""):
    return plugins.load("retriever", f"late-interaction,model={folder}{options}")


def test_scores_are_max_sim_and_queries_are_told_from_documents(folder):
    retriever = build(folder)
    retriever.check()
    retriever.index(CORPUS, "en")
    ranking = retriever.search(["red pear"], 10)[0]
    assert list(ranking.items()) == [("d4", 2.0), ("d2", 1.0), ("d1", 1.0)]
    assert ColBERT.calls == [(["red apple", "green pear", "red pear apple"], False), (["red pear"], True)]


def test_equal_queries_are_encoded_once_and_empty_ones_never(folder):
    retriever = build(folder)
    retriever.index(CORPUS, "en")
    ColBERT.calls.clear()
    first, empty, again = retriever.search(["apple", "...", "apple"], 1)
    assert first == again == {"d4": 1.0} and empty == {}
    assert ColBERT.calls == [(["apple"], True)]


def test_lengths_reach_the_model_and_the_fingerprint(folder):
    retriever = build(folder, ",document_length=4,query_length=16")
    retriever.check()
    assert ColBERT.made == [(str(folder), "cpu", {"document_length": 4, "query_length": 16})]
    plain = build(folder).fingerprint
    assert plain != retriever.fingerprint and "sha256=" in plain and "pylate-0" in plain


def test_a_kept_corpus_is_not_encoded_again(folder, tmp_path):
    for _ in range(2):
        retriever = build(folder)
        retriever.index_kept(CORPUS, "en", tmp_path / "kept")
        assert list(retriever.search(["pear"], 2)[0]) == ["d4", "d2"]
    assert [is_query for _, is_query in ColBERT.calls] == [False, True, True]


def test_vectors_that_are_not_finite_are_told(folder, monkeypatch):
    rows = np.full((1, 4), np.nan)
    monkeypatch.setattr(ColBERT, "encode", lambda self, sentences, **options: [rows] * len(sentences))
    with pytest.raises(UserError, match="NaN"):
        build(folder).index(CORPUS, "en")


@pytest.mark.parametrize("options", [",max_length=5", ",query_length=1", ",revision=main", ",dtype=int8"])
def test_options_that_make_no_sense_are_refused(folder, options):
    with pytest.raises(UserError):
        build(folder, options)


def test_what_is_missing_is_told(tmp_path):
    retriever = build(tmp_path)
    assert {"pylate", str(tmp_path)} <= {need.name for need in retriever.needs() if not need.present}
    with pytest.raises(UserError, match="no model"):
        retriever.check()
    with pytest.raises(UserError, match="empty"):
        list(late_interaction.LateInteraction(str(tmp_path))._encoded_corpus([]))
    with pytest.raises(UserError, match="no revision is pinned"):
        build("org/name")
