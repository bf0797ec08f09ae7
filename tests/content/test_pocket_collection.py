"""The embedded collection: whole, judged in grades, and neither too easy nor too hard."""

from __future__ import annotations

import re

import pytest

from squtr.collection import Collection, read_collection
from squtr.content import content
from squtr.eval.scores import score_run
from squtr.retrievers.bm25 import Bm25
from squtr.retrievers.dense import Dense

MAIN = "nDCG@10 (linear gain)"
DOMAINS = {"finance", "medicine", "encyclopaedia", "two-hop"}


@pytest.fixture(scope="module", params=["en", "zh"])
def pocket(request: pytest.FixtureRequest) -> Collection:
    return read_collection(content("data_build", "pocket", request.param), request.param, strict=True)


def score(collection: Collection, retriever: Bm25 | Dense) -> float:
    retriever.index(list(collection.documents()), collection.language)
    found = retriever.search([query.text for query in collection.queries], 100)
    run = {query.id: ranking for query, ranking in zip(collection.queries, found, strict=True)}
    return score_run(collection.qrels, run).mean[MAIN]


def test_size_domains_and_kinds(pocket: Collection) -> None:
    assert pocket.document_count >= 200
    assert len(pocket.queries) >= 40
    metadata = [query.extra["metadata"] for query in pocket.queries]
    assert {facts["domain"] for facts in metadata} == DOMAINS
    kinds = [facts["kind"] for facts in metadata]
    assert kinds.count("keywords") >= 12 and kinds.count("question") >= 20


def test_judgements_are_graded_and_every_query_can_score(pocket: Collection) -> None:
    grades = [grade for judged in pocket.qrels.values() for grade in judged.values()]
    assert set(grades) == {0, 1, 2}
    assert set(pocket.qrels) == {query.id for query in pocket.queries}
    assert all(max(judged.values()) == 2 for judged in pocket.qrels.values())
    assert sum(sum(grade > 0 for grade in judged.values()) > 1 for judged in pocket.qrels.values()) >= 15


def test_texts_have_numbers_and_mixed_script(pocket: Collection) -> None:
    texts = [query.text for query in pocket.queries]
    assert sum(bool(re.search(r"\d", text)) for text in texts) >= 5
    foreign = r"[A-Za-z]{2}" if pocket.language == "zh" else r"[^\x00-\u024f\u2010-\u205e€£°]"
    documents = [document.full_text for document in pocket.documents()]
    assert sum(bool(re.search(foreign, text)) for text in documents) >= 5


def test_nothing_odd_is_found_in_it(pocket: Collection) -> None:
    assert [finding.message for finding in pocket.findings] == []


def test_bm25_on_the_true_text_is_in_the_band(pocket: Collection) -> None:
    assert 0.45 <= score(pocket, Bm25()) <= 0.85


@pytest.mark.engines
def test_dense_retrieval_on_the_true_text_is_in_the_band(pocket: Collection) -> None:
    assert 0.6 <= score(pocket, Dense()) < 0.95
