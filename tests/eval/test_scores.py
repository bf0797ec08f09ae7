import pytest

from squtr.digest import canonical_json
from squtr.errors import UserError
from squtr.eval.scores import MAX_GRADE, Scores, ceiling, parse_measure, score_run, score_runs

NDCG, MRR, RECALL = "nDCG@10 (linear gain)", "MRR@10", "Recall@10"


def _in_order(*documents: str) -> dict[str, float]:
    return {document: float(-place) for place, document in enumerate(documents)}


def _means(scores: Scores) -> tuple[float, ...]:
    return tuple(round(value, 4) for value in scores.mean.values())


def _one(grades: dict[str, int], ranking: dict[str, float]) -> tuple[float, ...]:
    """nDCG@10, MRR@10 and Recall@10 of one query, to four digits."""
    return _means(score_run({"q": grades}, {"q": ranking}))


def test_the_gain_is_part_of_the_name_in_every_result() -> None:
    scores = score_run({"q": {"d": 1}}, {"q": {"d": 1.0}})
    assert list(scores.mean) == [NDCG, MRR, RECALL] == list(scores.per_query["q"])


def test_c12_what_is_undefined_is_null_with_a_reason() -> None:
    scores = score_run({"q": {"d": 0}}, {"q": {"d": 1.0}})
    assert scores.mean_with_positives is None
    assert scores.reasons["mean_with_positives"] == "no query has a positive judgement"
    assert '"mean_with_positives":null' in canonical_json(scores)


def test_c12_qrels_without_any_judgement_are_refused() -> None:
    for qrels in ({}, {"q": {}}):
        with pytest.raises(UserError, match="no judgement"):
            score_run(qrels, {"q": {"d": 1.0}})


def test_c13_the_first_judgement_counts() -> None:
    run = {"q1": _in_order("d1"), "q2": _in_order("d1")}
    assert _means(score_run({"q1": {"d1": 1}, "q2": {"d2": 1}}, run))[0] == 0.5
    assert _means(score_run({"q2": {"d2": 1}}, run))[0] == 0.0


def test_c16_a_negative_grade_earns_nothing() -> None:
    run = {"q1": {"a": 3.0, "b": 2.0, "c": 1.0}}
    scores = score_run({"q1": {"a": -2, "b": 1}}, run)
    assert _means(scores) == (0.6309, 0.5, 1.0)
    assert scores.negative_grades == 1
    assert scores.per_query == score_run({"q1": {"b": 1}}, run).per_query


def test_c18_queries_without_positives_score_zero_and_are_counted() -> None:
    ranking = {"d1": 1.0}
    scores = score_run(
        {"q1": {"d1": 1}, "q2": {"d1": 0}, "q3": {}}, dict.fromkeys(("q1", "q2", "q3"), ranking)
    )
    assert _means(scores) == (0.5, 0.5, 0.5)
    assert scores.mean_with_positives == {NDCG: 1.0, MRR: 1.0, RECALL: 1.0}
    assert (scores.queries, scores.no_positive, scores.unjudged_queries, scores.no_response) == (2, 1, 1, 0)
    assert list(scores.per_query) == ["q1", "q2"]


def test_c18_an_all_negative_query_is_one_without_positives() -> None:
    scores = score_run({"q1": {"d1": 1}, "q2": {"d1": -1}}, {"q1": {"d1": 1.0}, "q2": {"d1": 1.0}})
    assert (_means(scores), scores.no_positive) == ((0.5, 0.5, 0.5), 1)


def test_c19_judged_documents_outside_the_corpus_stay_in_the_ideal() -> None:
    qrels = {"q1": {"d1": 1, "ghost": 1}, "q9": {"d1": 1}}
    scores = score_run(qrels, {"q1": {"d1": 5.0, "d2": 4.0}}, corpus={"d1", "d2"})
    assert {name: round(value, 4) for name, value in scores.per_query["q1"].items()} == {
        NDCG: 0.6131,
        MRR: 1.0,
        RECALL: 0.5,
    }
    assert scores.per_query["q9"] == {NDCG: 0.0, MRR: 0.0, RECALL: 0.0}
    assert (scores.judged_documents_missing, scores.no_response) == (1, 1)


def test_c19_the_ceiling_says_what_no_system_can_pass() -> None:
    best = ceiling({"q1": {"d1": 1, "ghost": 1}}, corpus={"d1", "d2"})
    assert _means(best) == (0.6131, 1.0, 0.5)
    assert _means(ceiling({"q1": {f"d{n}": 1 + n % 3 for n in range(62)}})) == (1.0, 1.0, 0.1613)


def test_c21_score_ties() -> None:
    tied = {"d1": 5.0, "d2": 5.0, "d3": 5.0}
    assert _one({"d2": 1}, tied)[:2] == (0.6309, 0.5)
    assert _one({"d1": 1}, tied)[:2] == (0.5, 0.3333)
    assert _one({"d1": 2, "d3": 1}, tied | {"d4": 0.5})[0] == 0.7602
    assert _one({"d9": 1}, {"d10": 1.0, "d9": 1.0})[1] == 1.0


def test_c21_nine_tied_documents_whatever_the_insertion_order() -> None:
    documents = [f"d{n}" for n in range(1, 10)]
    for order in (documents, documents[::-1]):
        assert _one({"d1": 1}, dict.fromkeys(order, 1.0))[:2] == (0.301, 0.1111)


def test_c21_single_precision_decides_nothing() -> None:
    assert _one({"a": 1}, {"b": 1.0, "a": 1.0 + 2**-40}) == (1.0, 1.0, 1.0)


def test_c22_ties_across_the_cutoff() -> None:
    tied = {f"d{n:02d}": 1.0 for n in range(12)}
    assert _one({"d02": 1}, tied) == (0.2891, 0.1, 1.0)
    assert _one({"d01": 1}, tied) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("query", ["q", "unjudged"])
@pytest.mark.parametrize("score", [float("nan"), float("inf"), float("-inf")])
def test_c23_runs_with_scores_that_are_not_finite_are_refused(query: str, score: float) -> None:
    with pytest.raises(UserError, match=f"'{query}'.*'d2'"):
        score_run({"q": {"d2": 1}}, {"q": {"d0": 3.0}, query: {"d0": 3.0, "d1": 2.0, "d2": score}})


def test_c24_the_mean_is_over_all_judged_queries() -> None:
    qrels = {"q1": {"a": 1}, "q2": {"b": 1}, "q3": {"c": 1}}
    scores = score_run(qrels, {"q1": _in_order("a"), "q2": _in_order("x", "b"), "extra": _in_order("c")})
    assert _means(scores)[0] == 0.5436
    assert (scores.queries, scores.no_response, scores.unjudged_queries) == (3, 1, 1)


@pytest.mark.parametrize("run", [{"q1": {"a": 1.0}}, {"q1": {"a": 1.0}, "q2": {}}])
def test_c24_missing_and_empty_answers_are_the_same(run: dict[str, dict[str, float]]) -> None:
    scores = score_run({"q1": {"a": 1}, "q2": {"b": 1}}, run)
    assert (_means(scores), scores.no_response) == ((0.5, 0.5, 0.5), 1)


@pytest.mark.parametrize("run", [{}, {"q": {}}, {"other": {"d": 1.0}}])
def test_c24_a_run_that_answers_nothing_scores_zero(run: dict[str, dict[str, float]]) -> None:
    scores = score_run({"q": {"d": 1}}, run)
    assert (_means(scores), scores.no_response) == ((0.0, 0.0, 0.0), 1)


@pytest.mark.parametrize("rank", [11, 12])
def test_c25_mrr_is_cut_at_ten(rank: int) -> None:
    ranking = _in_order(*(f"x{n}" for n in range(rank - 1)), "relevant")
    assert _one({"relevant": 1}, ranking) == (0.0, 0.0, 0.0)


def test_c25_each_measure_keeps_its_own_cutoff() -> None:
    ranking = _in_order(*(f"x{n}" for n in range(10)), "relevant")
    measures = [
        parse_measure(name) for name in ("MRR@10", "MRR@20", "Recall@20", "P@5", "Success@11", "nDCG@10")
    ]
    assert _means(score_run({"q": {"relevant": 1}}, {"q": ranking}, measures)) == (
        0.0,
        0.0909,
        1.0,
        0.0,
        1.0,
        0.0,
    )


def test_c26_the_gain_is_linear() -> None:
    assert _one({"a": 3, "b": 2, "c": 1}, _in_order("c", "b", "a"))[0] == 0.79
    assert _one({"a": 3, "b": 1, "c": 2}, _in_order("b", "c", "a"))[0] == 0.79
    assert _one({"a": 3, "b": 1}, _in_order("b", "a"))[0] == 0.7967


def test_c27_the_ideal_is_that_of_all_judged_documents() -> None:
    five = {f"d{n}": 1 for n in range(5)}
    assert _one(five, _in_order("d0", "x", "d1")) == (0.5087, 1.0, 0.4)


def test_c27_recall_is_not_capped() -> None:
    twenty = {f"d{n}": 1 for n in range(20)}
    assert _one(twenty, _in_order(*(f"d{n}" for n in range(10)))) == (1.0, 1.0, 0.5)


@pytest.mark.parametrize("grade", [True, 0.5, 1.0, "1", None, MAX_GRADE + 1, 2**32 + 1])
def test_grades_the_engine_would_misread_are_refused(grade: object) -> None:
    with pytest.raises(UserError, match="'d'"):
        score_run({"q": {"d": grade}}, {"q": {"d": 1.0}})  # type: ignore[dict-item]


def test_c07_ids_that_are_no_strings_are_refused() -> None:
    for qrels, run in (({7: {"d": 1}}, {}), ({"q": {7: 1}}, {}), ({"q": {"d": 1}}, {7: {"d": 1.0}})):
        with pytest.raises(UserError, match="7 is no string"):
            score_run(qrels, run)  # type: ignore[arg-type]


def test_a_query_may_retrieve_the_document_with_its_own_id() -> None:
    assert _means(score_run({"7": {"7": 1}}, {"7": {"7": 2.0, "8": 1.0}})) == (1.0, 1.0, 1.0)


def test_several_runs_are_scored_as_each_alone() -> None:
    qrels = {"q1": {"a": 2, "b": -1}, "q2": {"c": 1}}
    runs = {"clean": {"q1": _in_order("b", "a"), "q2": _in_order("c")}, "0 dB": {"q1": _in_order("a")}}
    assert score_runs(qrels, runs) == {name: score_run(qrels, run) for name, run in runs.items()}


def test_values_are_paired_over_runs_by_query() -> None:
    qrels = {"q2": {"c": 1}, "q1": {"a": 1}}
    scores = score_run(qrels, {"q2": _in_order("c")})
    assert scores.values(parse_measure("MRR@10")) == [0.0, 1.0]


def test_no_measure_is_refused() -> None:
    with pytest.raises(UserError, match="no measure"):
        score_run({"q": {"d": 1}}, {}, [])
