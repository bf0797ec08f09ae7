"""Learned sparse retrieval with a tiny random SPLADE that the real classes made."""

from __future__ import annotations

import pytest

pytest.importorskip("torch", reason="the torch lane")
pytest.importorskip("sentence_transformers", reason="the torch lane")

from squtr import plugins
from squtr.errors import UserError
from squtr.records import Document
from tests.retrievers.tiny_models import save_splade

pytestmark = pytest.mark.torch
TEXTS = ["red apple", "green pear", "rain", "", "ripe plum apple", "red apple"]
CORPUS = [Document(f"d{place}", "", text) for place, text in enumerate(TEXTS)]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_splade(tmp_path_factory.mktemp("splade"))


def build(folder, **options):
    written = "".join(f",{key}={value}" for key, value in options.items())
    return plugins.load("retriever", f"sparse,model={folder}{written}")


def test_rankings_are_the_dot_products_of_the_package(folder):
    from sentence_transformers import SparseEncoder

    model = SparseEncoder(str(folder), device="cpu")
    filled = [document for document in CORPUS if document.text]
    expected = model.similarity(
        model.encode_query(["ripe apple"]), model.encode_document([document.text for document in filled])
    ).numpy()[0]
    retriever = build(folder)
    retriever.check()
    retriever.index(CORPUS, "en")
    found = retriever.search(["ripe apple"], 10)[0]
    hits = {one.id: score for one, score in zip(filled, expected, strict=True) if score > 0}
    assert found == {name: pytest.approx(score, rel=1e-4) for name, score in hits.items()}
    assert found["d0"] == found["d5"] and list(found).index("d5") < list(found).index("d0")


def test_batches_and_company_do_not_move_a_score(folder):
    alone, together = build(folder, batch_size=1), build(folder, batch_size=4)
    for retriever in (alone, together):
        retriever.index(CORPUS, "en")
    queries = ["red", "plum rain", "the capital of france"]
    for query, ranking in zip(queries, together.search(queries, 6), strict=True):
        assert ranking == pytest.approx(alone.search([query], 6)[0], rel=1e-4)


def test_what_says_nothing_finds_nothing_and_is_not_found(folder):
    retriever = build(folder)
    retriever.index(CORPUS, "en")
    assert retriever.search(["", "?"], 3) == [{}, {}]
    assert "d3" not in retriever.search(["apple"], 6)[0]


def test_an_encoded_corpus_is_kept(folder, tmp_path, monkeypatch):
    first, second = build(folder), build(folder)
    first.index_kept(CORPUS, "en", tmp_path / "kept")
    monkeypatch.setattr(second, "_encoded_corpus", lambda documents: pytest.fail("encoded twice"))
    second.index_kept(CORPUS, "en", tmp_path / "kept")
    assert second.search(["apple"], 5) == first.search(["apple"], 5)
    assert [path.name for path in tmp_path.iterdir()] == ["kept.npz"]


def test_few_terms_and_cut_documents(folder):
    retriever = build(folder, max_terms=1, max_length=4)
    retriever.index(CORPUS, "en")
    assert retriever.truncation == {"documents": 6, "cut": 1}
    assert "max_terms=1" in retriever.fingerprint
    assert all(count <= 1 for count in retriever._encoded("encode_document", TEXTS, "", 1).counts)


def test_a_dense_model_is_told(tmp_path):
    with pytest.raises(UserError, match="no model"):
        build(tmp_path).check()
    with pytest.raises(UserError, match="empty"):
        build(tmp_path)._encoded_corpus([])
