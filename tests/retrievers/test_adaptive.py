import pytest

from squtr import plugins
from squtr.errors import UserError
from squtr.retrievers import QueryContext
from squtr.retrievers.adaptive import Adaptive


class Fixed:
    def __init__(self, name, ranking):
        self.fingerprint, self.ranking, self.asked, self.indexed = name, ranking, [], 0

    def index(self, documents, language):
        self.indexed += 1

    def search(self, queries, k):
        self.asked += queries
        return [dict(self.ranking) for _ in queries]


def built(**options):
    members = [Fixed("clear", {"a": 2.0, "b": 1.0}), Fixed("unclear", {"b": 5.0, "c": 4.0, "a": 3.0})]
    return Adaptive(members, **options), members


def snr(value):
    return QueryContext(confidence=-0.1, estimated_snr_db=value)


def test_switches_at_the_threshold_and_searches_only_what_is_taken():
    adaptive, (clear, unclear) = built(threshold=5)
    contexts = [snr(5.0), snr(4.99), None, snr(20.0)]
    found = adaptive.search_with(["q1", "q2", "q3", "q1"], contexts, 2)
    assert [next(iter(ranking)) for ranking in found] == ["a", "b", "a", "a"]
    assert [len(ranking) for ranking in found] == [2, 2, 2, 2]
    assert (clear.asked, unclear.asked) == (["q1", "q3"], ["q2"])


def test_one_text_may_have_two_rankings():
    adaptive, _ = built(threshold=5)
    first, second = adaptive.search_with(["q", "q"], [snr(30.0), snr(-3.0)], 3)
    assert list(first) == ["a", "b"] and list(second) == ["b", "c", "a"]


def test_written_queries_go_to_the_first_member():
    adaptive, (_, unclear) = built()
    assert adaptive.search(["q"], 3) == [{"a": 2.0, "b": 1.0}]
    assert unclear.asked == []


def test_weights_rise_over_the_width():
    adaptive, _ = built(mode="weight", threshold=10, width=10)
    shares = [adaptive.share(snr(value)) for value in (0.0, 5.0, 10.0, 14.0, 15.0, 60.0)]
    assert shares == pytest.approx([0, 0, 0.5, 0.9, 1, 1])
    mixed = adaptive.search_with(["q"], [snr(14.0)], 3)[0]
    assert mixed == {
        "a": pytest.approx(0.9, abs=1e-5),
        "b": pytest.approx(0.1, abs=1e-5),
        "c": pytest.approx(0.05, abs=1e-5),
    }


def test_confidence_is_looked_at_when_asked_for_and_missing_is_told():
    adaptive, _ = built(by="confidence")
    assert adaptive.context == "confidence"
    assert [adaptive.share(QueryContext(value, 99.0)) for value in (-0.4, -0.6)] == [1.0, 0.0]
    with pytest.raises(UserError, match="by=snr"):
        adaptive.share(QueryContext(None, 10.0))


def test_the_context_never_tells_how_a_recording_was_made():
    assert set(QueryContext.__slots__) == {"confidence", "estimated_snr_db"}


def test_index_reaches_both_and_fingerprints_tell_the_rule():
    adaptive, members = built()
    adaptive.index([], "en")
    assert [member.indexed for member in members] == [1, 1]
    texts = {
        built(**options)[0].fingerprint
        for options in ({}, {"threshold": 4}, {"by": "confidence"}, {"mode": "weight"})
    }
    assert len(texts) == 4 and all("clear" in text for text in texts)


@pytest.mark.parametrize(
    ("spec", "word"),
    [
        ("by=noise", "snr"),
        ("mode=choose", "switch"),
        ("members=bm25+dense+bm25", "two members"),
        ("threshold=high", "threshold"),
        ("width=0", "width"),
    ],
)
def test_bad_options_are_refused(spec, word):
    with pytest.raises(UserError, match=word):
        plugins.load("retriever", f"adaptive,{spec}")
