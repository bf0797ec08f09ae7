import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr.errors import UserError
from squtr.eval.runs import cut
from squtr.retrievers.order import best, checked_depth, tie_ranks

IDS = st.lists(st.text(max_size=3), min_size=1, max_size=40, unique=True)


@given(ids=IDS, data=st.data(), k=st.integers(1, 50))
def test_top_k_with_ties_equals_the_cut_of_the_full_sort(ids, data, k):
    scores = data.draw(st.lists(st.sampled_from([-1.0, 0.0, 0.5, 2.0]), min_size=len(ids), max_size=len(ids)))
    chosen = best(np.array(scores, dtype=np.float32), tie_ranks(ids), k)
    assert [(ids[at], scores[at]) for at in chosen] == cut(dict(zip(ids, scores, strict=True)), k)


@given(ids=IDS)
def test_tie_ranks_follow_utf8_bytes_descending(ids):
    by_rank = [ids[at] for at in np.argsort(tie_ranks(ids))]
    assert by_rank == sorted(ids, key=lambda name: name.encode("utf-8", "surrogatepass"), reverse=True)


def test_c21_ids_compare_as_text():
    assert tie_ranks(["d10", "d9", "7", "0007"]).tolist() == [1, 0, 2, 3]


def test_no_scores_give_no_positions():
    assert best(np.array([], dtype=np.float32), tie_ranks([]), 10).tolist() == []


def test_repeated_id_is_refused_by_name():
    with pytest.raises(UserError, match="'b' comes twice"):
        tie_ranks(["a", "b", "c", "b"])


def test_c44_k_is_lowered_to_the_corpus_and_never_below_one():
    assert (checked_depth(10, 4), checked_depth(3, 4)) == (4, 3)
    with pytest.raises(UserError, match="k is 0"):
        checked_depth(0, 4)
