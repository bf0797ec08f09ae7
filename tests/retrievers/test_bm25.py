import json
import math
import random
import warnings
from collections import Counter
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr import plugins
from squtr.errors import UserError
from squtr.records import Document
from squtr.retrievers.analyser import analyser
from squtr.retrievers.bm25 import Bm25

FRUIT = ["red apple", "green apple", "blue pear", "ripe pear"]


def documents(texts):
    return [Document(f"d{number}", "", text) for number, text in enumerate(texts)]


def indexed(texts, language="en", **options):
    retriever = Bm25(**options)
    retriever.index(documents(texts), language)
    return retriever


def lucene_score(query, texts, at, k1, b):
    """Kamphuis et al. 2020, "Lucene (accurate)", written out term by term."""
    bags = [Counter(analyser("en").tokens(text)) for text in texts]
    lengths = [sum(bag.values()) for bag in bags]
    norm = k1 * (1 - b + b * lengths[at] / (sum(lengths) / len(lengths) or 1))
    total = 0.0
    for term in analyser("en").tokens(query):
        df = sum(term in bag for bag in bags)
        tf = bags[at][term]
        total += math.log(1 + (len(texts) - df + 0.5) / (df + 0.5)) * tf / (tf + norm) if tf else 0.0
    return total


def test_c42_chinese_words_find_the_document():
    ranking = indexed(["北京是中国的首都", "上海是最大的城市", "苹果公司生产手机"], "zh").search(
        ["中国首都"], 10
    )[0]
    assert list(ranking) == ["d0"]
    assert ranking["d0"] > 0


def test_c42_unknown_language_is_an_error():
    with pytest.raises(UserError, match=r"en, .*zh"):
        indexed(FRUIT, "tlh")
    with pytest.raises(UserError, match=r"en, .*zh"):
        Bm25(language="tlh")


@pytest.mark.parametrize("query", ["the of and", "to be or not to be", "", "🙂", "   ", "banana"])
def test_c43_query_without_usable_term_finds_nothing(query):
    assert indexed(["the cat", "of mice and men", "to be or not", "🙂"]).search([query], 10) == [{}]


def test_c43_documents_without_evidence_are_not_returned():
    assert set(indexed(FRUIT).search(["apple"], 4)[0]) == {"d0", "d1"}


def test_c44_positive_idf_where_half_the_corpus_holds_the_term():
    assert indexed(FRUIT, k1=1.5, b=0.75).search(["apple"], 10) == [
        {"d1": pytest.approx(math.log(2) / 2.5), "d0": pytest.approx(0.2773, abs=5e-5)}
    ]


def test_c44_k_above_the_corpus_is_lowered():
    assert len(indexed(FRUIT).search(["apple pear"], 10)[0]) == 4


def test_c44_empty_corpus_is_an_error():
    with pytest.raises(UserError, match="empty"):
        Bm25().index([], "en")


@pytest.mark.parametrize("texts", [[""], ["", "the"], ["", "red apple"]])
def test_c44_empty_documents_are_kept_and_never_found(texts):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ranking = indexed(texts).search(["apple the"], 10)[0]
    assert list(ranking) == [f"d{at}" for at, text in enumerate(texts) if "apple" in text]


def test_c11_the_word_none_does_not_match_an_empty_title():
    corpus = [Document("d1", "", "red apple"), Document("d2", "", "pear"), Document("d3", "", "")]
    retriever = Bm25()
    retriever.index(corpus, "en")
    assert retriever.search(["none", "None", "null"], 10) == [{}, {}, {}]


def test_title_and_text_are_one_field():
    retriever = Bm25()
    retriever.index([Document("a", "apple", "red"), Document("b", "", "red apple")], "en")
    found = retriever.search(["apple"], 10)[0]
    assert found["a"] == found["b"]


def test_one_character_terms_decide():
    assert next(iter(indexed(["vitamin a", "vitamin c"]).search(["vitamin c"], 3)[0])) == "d1"


def test_c22_ties_across_the_cut_are_chosen_by_id():
    corpus = [Document(f"d{number:02}", "", "same words") for number in range(12)]
    for order in (corpus, corpus[::-1], random.Random(3).sample(corpus, 12)):
        retriever = Bm25()
        retriever.index(order, "en")
        assert list(retriever.search(["words"], 10)[0]) == [f"d{number:02}" for number in range(11, 1, -1)]


@given(
    texts=st.lists(
        st.lists(st.sampled_from(["red", "pear", "apple", "plum", "the"]), max_size=6), min_size=1
    ),
    query=st.lists(st.sampled_from(["red", "pear", "apple", "fig"]), max_size=4),
)
def test_scores_are_lucenes_formula(texts, query):
    joined, asked = [" ".join(words) for words in texts], " ".join(query)
    found = indexed(joined).search([asked], len(joined))[0]
    expected = {f"d{at}": lucene_score(asked, joined, at, 0.9, 0.4) for at in range(len(joined))}
    assert found == {name: pytest.approx(score, rel=1e-5) for name, score in expected.items() if score > 0}


def test_word_order_and_company_do_not_change_a_score():
    retriever = indexed([f"{word} apple pear plum fig" for word in ("red", "blue", "red red")])
    alone = retriever.search(["red fig plum"], 3)[0]
    assert retriever.search(["blue", "plum red fig", "red fig plum"], 3)[1:] == [alone, alone]


def test_repeated_query_terms_count_again():
    once, twice = indexed(FRUIT).search(["apple", "apple apple"], 1)
    assert twice["d1"] == pytest.approx(2 * once["d1"])


def test_repeated_queries_are_scored_once_and_answered_apart(monkeypatch):
    retriever = indexed(FRUIT)
    calls = []
    rank = retriever._rank
    monkeypatch.setattr(retriever, "_rank", lambda bag, k: calls.append(bag) or rank(bag, k))
    first, second, third = retriever.search(["apple", "apple", "Apples!"], 4)
    assert len(calls) == 1
    first.clear()
    assert second == third != {}


def test_a_second_corpus_replaces_the_first():
    retriever = indexed(FRUIT)
    retriever.index(documents(["", "plum"]), "en")
    assert [list(ranking) for ranking in retriever.search(["apple", "plum"], 4)] == [[], ["d1"]]


def test_repeated_document_id_is_refused():
    with pytest.raises(UserError, match="'x' comes twice"):
        Bm25().index([Document("x", "", "a"), Document("x", "", "b")], "en")


@pytest.mark.parametrize(
    "options", [{"k1": -1}, {"b": 1.5}, {"k1": "1e3"}, {"b": True}, {"k1": float("nan")}]
)
def test_bad_parameters_are_refused_by_name(options):
    with pytest.raises(UserError, match=next(iter(options))):
        Bm25(**options)


def test_search_before_index_is_a_programming_error():
    with pytest.raises(RuntimeError):
        Bm25(language="en").search(["apple"], 3)


def test_registry_and_fingerprint():
    retriever = plugins.load("retriever", "bm25,k1=1.2,b=0.75")
    before = retriever.fingerprint
    retriever.index(documents(FRUIT), "en")
    assert retriever.fingerprint == before != Bm25().fingerprint
    assert analyser("zh").fingerprint in before
    assert analyser("zh").fingerprint not in Bm25(language="en").fingerprint


def test_a_later_language_is_named_once_it_is_indexed():
    retriever, before = Bm25(), Bm25().fingerprint
    assert "bigrams" not in before
    retriever.index(documents(FRUIT), "ja")
    assert retriever.fingerprint == before[:-1] + f"; ja: {analyser('ja').fingerprint})"


def test_one_analyser_for_every_language():
    retriever = plugins.load("retriever", "bm25,analyser=bigrams")
    retriever.index(documents(["北京是中国的首都", "red apples"]), "zh")
    assert list(retriever.search(["京是"], 3)[0]) == ["d0"]
    assert retriever.search(["apple"], 3) == [{}]
    assert "zh: bigrams-1" in retriever.fingerprint and "en: bigrams-1" in retriever.fingerprint


def test_an_analyser_by_language_leaves_the_others_to_their_rows():
    spec = 'bm25,analyser={en: "snowball,stemmer=english", zh: bigrams},k1=1.2'
    retriever = plugins.load("retriever", spec)
    retriever.index(documents(["the nationality of doctors"]), "en")
    assert list(retriever.search(["nationalities"], 3)[0]) == ["d0"]
    assert list(retriever.search(["the"], 3)[0]) == ["d0"]
    assert all(part in retriever.fingerprint for part in ("en: snowball-1", "zh: bigrams-1", "k1=1.2"))
    other = plugins.load("retriever", "bm25,analyser={zh: bigrams}")
    assert analyser("en").fingerprint in other.fingerprint


@pytest.mark.parametrize("spec", ["analyser=bigram", "analyser=7", "analyser={en: 7}", "analyser=snowball"])
def test_an_unknown_analyser_is_refused_before_any_work(spec):
    with pytest.raises(UserError, match="analyser"):
        plugins.load("retriever", f"bm25,{spec}")


def test_large_vocabulary_and_corpus_keep_the_order():
    generator = random.Random(11)
    texts = [" ".join(f"w{generator.randrange(3000)}" for _ in range(12)) for _ in range(3000)]
    retriever = indexed(texts)
    for ranking in retriever.search(["w1 w2 w3", "w2999 w17"], 1000):
        assert list(ranking.items()) == sorted(
            ranking.items(), key=lambda hit: (hit[1], hit[0]), reverse=True
        )
    wanted = {f"d{at}" for at, text in enumerate(texts) if {"w2999", "w17"} & set(text.split())}
    assert set(retriever.search(["w2999 w17"], 1000)[0]) == wanted


def test_real_chinese_questions_find_their_paragraph():
    folder = Path(__file__).resolve().parents[2] / ".." / "shared" / "data" / "cmrc-zh-100"
    if not folder.is_dir():
        pytest.skip("the shared collection cmrc-zh-100 is not beside the checkout")
    lines = [json.loads(line) for line in (folder / "corpus.jsonl").read_text("utf-8").splitlines()]
    queries = [json.loads(line) for line in (folder / "queries.jsonl").read_text("utf-8").splitlines()]
    retriever = Bm25()
    retriever.index([Document(line["_id"], line["title"], line["text"]) for line in lines], "zh")
    rankings = retriever.search([query["text"] for query in queries], 1)
    right = sum(
        query["_id"].startswith(f"{next(iter(ranking))}_QUERY")
        for query, ranking in zip(queries, rankings, strict=True)
    )
    assert right >= 98
