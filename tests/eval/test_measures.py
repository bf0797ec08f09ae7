import pytest

from squtr.errors import UserError
from squtr.eval.scores import DEFAULT_MEASURES, Measure, parse_measure


@pytest.mark.parametrize("text", ["nDCG@10", "ndcg@10", " NDCG@10 ", "nDCG@10 (linear gain)"])
def test_spellings_of_one_measure(text: str) -> None:
    assert parse_measure(text) == Measure("nDCG", 10)


@pytest.mark.parametrize("text", ["nDCG@10", "MRR@10", "Recall@100", "MAP@100", "P@5", "Success@1"])
def test_names_are_read_back(text: str) -> None:
    measure = parse_measure(text.lower())
    assert measure.name == text
    assert parse_measure(measure.full_name) == measure


def test_default_measures_by_their_full_names() -> None:
    names = [measure.full_name for measure in DEFAULT_MEASURES]
    assert names == ["nDCG@10 (linear gain)", "MRR@10", "Recall@10"]
    assert all(" k" in measure.definition for measure in DEFAULT_MEASURES)


@pytest.mark.parametrize(
    ("text", "near"),
    [("ndgc@10", "ndcg"), ("recal@5", "recall"), ("RR@10", "mrr"), ("R@10", "recall"), ("AP@10", "map")],
)
def test_a_slip_is_answered_with_the_nearest_name(text: str, near: str) -> None:
    with pytest.raises(UserError, match=f"Did you mean '{near}'"):
        parse_measure(text)


@pytest.mark.parametrize(
    "text", ["MRR", "recip_rank", "nDCG@0", "nDCG@-1", "nDCG@1.5", "nDCG@１０", "P@100000", "", "@10"]
)
def test_a_measure_without_a_sound_cutoff_is_refused(text: str) -> None:
    with pytest.raises(UserError, match=r"Write nDCG, MRR, Recall, MAP, P, Success and a cut-off"):
        parse_measure(text)
