import math
import random

from hypothesis import given
from hypothesis import strategies as st

from squtr.eval.runs import cut
from squtr.eval.scores import Scores, parse_measure, score_run

MEASURES = [parse_measure(name) for name in ("nDCG@3", "MRR@3", "Recall@3", "P@3", "MAP@3", "Success@3")]
DOCUMENTS = st.sampled_from([f"d{n}" for n in range(12)])
QUERIES = st.sampled_from(["q1", "q2", "q10", "文"])
SCORES = st.sampled_from([0.0, 0.5, 1.0, 1.0 + 1e-12]) | st.floats(allow_nan=False, allow_infinity=False)
RUNS = st.dictionaries(QUERIES, st.dictionaries(DOCUMENTS, SCORES, max_size=12))
QRELS = st.dictionaries(
    QUERIES, st.dictionaries(DOCUMENTS, st.integers(-2, 4), min_size=1, max_size=8), min_size=1
)

Run = dict[str, dict[str, float]]
Qrels = dict[str, dict[str, int]]


def _score(qrels: Qrels, run: Run) -> Scores:
    return score_run(qrels, run, MEASURES)


def _shuffled(nested: dict[str, dict[str, object]], chance: random.Random) -> dict[str, dict[str, object]]:
    queries = chance.sample(list(nested), len(nested))
    return {query: dict(chance.sample(list(nested[query].items()), len(nested[query]))) for query in queries}


def _reference_ndcg(grades: dict[str, int], ranking: dict[str, float], k: int) -> float:
    def gain(values: list[int]) -> float:
        return sum(max(value, 0) / math.log2(rank + 2) for rank, value in enumerate(values[:k]))

    order = sorted(ranking, key=lambda document: (ranking[document], document), reverse=True)
    ideal = gain(sorted(grades.values(), reverse=True))
    return gain([grades.get(document, 0) for document in order]) / ideal if ideal else 0.0


@given(QRELS, RUNS)
def test_ndcg_agrees_with_its_definition(qrels: Qrels, run: Run) -> None:
    expected = {query: _reference_ndcg(grades, run.get(query, {}), 3) for query, grades in qrels.items()}
    scores = _score(qrels, run)
    for query, values in scores.per_query.items():
        assert math.isclose(values["nDCG@3 (linear gain)"], expected[query], abs_tol=1e-12)
    mean = sum(expected.values()) / len(qrels)
    assert math.isclose(scores.mean["nDCG@3 (linear gain)"], mean, abs_tol=1e-12)


@given(QRELS, RUNS, st.randoms(use_true_random=False))
def test_shuffled_input_changes_nothing(qrels: Qrels, run: Run, chance: random.Random) -> None:
    assert _score(_shuffled(qrels, chance), _shuffled(run, chance)) == _score(qrels, run)  # type: ignore[arg-type]


@given(QRELS, RUNS)
def test_scores_lie_between_zero_and_one_for_every_judged_query(qrels: Qrels, run: Run) -> None:
    scores = _score(qrels, run)
    assert list(scores.per_query) == sorted(qrels)
    figures = [value for values in scores.per_query.values() for value in values.values()]
    assert all(0.0 <= value <= 1.0 + 1e-12 for value in [*figures, *scores.mean.values()])


@given(QRELS, RUNS)
def test_documents_below_the_cutoff_change_nothing(qrels: Qrels, run: Run) -> None:
    top = {query: dict(cut(ranking, 3)) for query, ranking in run.items() if len(ranking) >= 3}
    longer = {query: {**ranking, "below": min(ranking.values()) - 1.0} for query, ranking in top.items()}
    lower = {
        query: ranking for query, ranking in longer.items() if ranking["below"] < min(top[query].values())
    }
    assert _score(qrels, lower) == _score(qrels, {query: top[query] for query in lower})


@given(QRELS, RUNS)
def test_a_negative_grade_is_as_good_as_none_given(qrels: Qrels, run: Run) -> None:
    raised = {query: {document: max(grade, 0) for document, grade in qrels[query].items()} for query in qrels}
    assert _score(qrels, run).per_query == _score(raised, run).per_query


@given(QRELS, RUNS)
def test_counts_add_up(qrels: Qrels, run: Run) -> None:
    scores = _score(qrels, run)
    assert scores.queries == len(qrels)
    assert scores.no_response == sum(not run.get(query) for query in qrels)
    assert scores.no_positive == sum(max(grades.values()) <= 0 for grades in qrels.values())
    assert scores.unjudged_queries == len(set(run) - set(qrels))
