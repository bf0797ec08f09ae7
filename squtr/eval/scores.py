"""Scores over all judged queries, to the digit what `trec_eval -c` prints."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import pytrec_eval

from squtr.collection.values import MAX_GRADE as MAX_GRADE
from squtr.errors import UserError
from squtr.eval.measures import DEFAULT_MEASURES as DEFAULT_MEASURES
from squtr.eval.measures import Measure as Measure
from squtr.eval.measures import parse_measure as parse_measure
from squtr.eval.runs import Run, cut

Qrels = Mapping[str, Mapping[str, int]]


@dataclass(frozen=True, slots=True)
class Scores:
    """The scores of one run; measures go by their full names, queries are in the order of their ids.

    `per_query` and `mean` cover every judged query: one without a response scores 0 (`no_response`), and so
    does one without a positive judgement (`no_positive`); `mean_with_positives` leaves the latter out.
    `unjudged_queries` counts queries of run and qrels without any judgement, which have no score.
    `negative_grades` were scored as 0. `judged_documents_missing` counts documents outside the corpus, which
    still count in the ideal. A field that is None has its reason in `reasons`.
    """

    per_query: dict[str, dict[str, float]]
    mean: dict[str, float]
    mean_with_positives: dict[str, float] | None
    queries: int
    no_response: int
    no_positive: int
    unjudged_queries: int
    negative_grades: int
    judged_documents_missing: int | None = None
    reasons: dict[str, str] = field(default_factory=dict)

    def values(self, measure: Measure) -> list[float]:
        """Return the score of each query, in the same order for all runs of the same qrels."""
        return [scores[measure.full_name] for scores in self.per_query.values()]


def score_run(
    qrels: Qrels,
    run: Run,
    measures: Sequence[Measure] = DEFAULT_MEASURES,
    corpus: Collection[str] | None = None,
) -> Scores:
    """Score a run against qrels {query id: {document id: grade}}; `corpus` is only for counting.

    Raises UserError on a score that is not finite, a grade that is no integer or above MAX_GRADE (the engine
    takes 8 bytes of memory for each grade up to the highest), an id that is no string, and qrels without any
    judgement.
    """
    return score_runs(qrels, {"": run}, measures, corpus)[""]


def score_runs(
    qrels: Qrels,
    runs: Mapping[str, Run],
    measures: Sequence[Measure] = DEFAULT_MEASURES,
    corpus: Collection[str] | None = None,
) -> dict[str, Scores]:
    """Score several runs against the same qrels, which are prepared once; see `score_run`."""
    scorer = Scorer(qrels, measures, corpus)
    return {name: scorer.score(run) for name, run in runs.items()}


def ceiling(
    qrels: Qrels,
    measures: Sequence[Measure] = DEFAULT_MEASURES,
    corpus: Collection[str] | None = None,
) -> Scores:
    """Score the best run there can be: the positive documents of the corpus, best grade first."""
    best = {
        query: {
            document: float(grade)
            for document, grade in grades.items()
            if grade > 0 and (corpus is None or document in corpus)
        }
        for query, grades in qrels.items()
    }
    return score_run(qrels, best, measures, corpus)


@dataclass(frozen=True, slots=True)
class _Judged:
    """The judgements of one query under the engine's labels; `labels` maps document ids to them."""

    label: str
    labels: dict[str, str]
    grades: dict[str, int]
    positive: bool


class Scorer:
    """Qrels checked once and made safe for the engine, and an engine for each cut-off; see `score_run`.

    Left alone, the engine dies on a query with negative grades only, lets an id end at a NUL and scores an
    id with half a surrogate pair as absent. So it gets 0 for negatives, and labels in place of ids. Lists
    are cut before it sees them and their ranks are handed over as scores, so it has no order to decide.
    """

    def __init__(
        self,
        qrels: Qrels,
        measures: Sequence[Measure] = DEFAULT_MEASURES,
        corpus: Collection[str] | None = None,
    ) -> None:
        if not measures:
            raise UserError("There is no measure to score. Name one, such as nDCG@10.")
        self._qrels = qrels
        self._measures = tuple(dict.fromkeys(measures))
        self._judged = _judged_queries(qrels)
        self._missing = None if corpus is None else _count_missing(qrels, corpus)
        depth = max(measure.cutoff for measure in measures)
        self._rank_scores = [float(depth - place) for place in range(depth)]
        self._fillers = [f"u{place}" for place in range(depth)]
        self._engines = _engines(self._judged, self._measures)

    @property
    def depth(self) -> int:
        """How many documents of a ranking its scores depend on."""
        return len(self._fillers)

    def score(self, run: Run) -> Scores:
        """Score one run. Raises UserError on a score that is not finite and on an id that is no string."""
        best = {
            query: [document for document, _ in cut(ranking, self.depth, _checked_query(query))]
            for query, ranking in run.items()
        }
        return self.score_lists(best)

    def score_lists(self, best: Mapping[str, Sequence[str]]) -> Scores:
        """Score the best documents of each query, in the order that `cut` gives; `depth` of them count."""
        answered = self._label_lists(best)
        names = [measure.full_name for measure in self._measures]
        per_query = {query: dict.fromkeys(names, 0.0) for query in self._judged}
        for cutoff, engine in self._engines.items():
            found = engine.evaluate({label: self._ranked(top, cutoff) for label, top in answered.items()})
            group = [(m.full_name, m.engine_name) for m in self._measures if m.cutoff == cutoff]
            for query, judged in self._judged.items():
                if judged.label in found:
                    values = found[judged.label]
                    per_query[query].update((name, values[engine_name]) for name, engine_name in group)
        return self._summary(per_query, set(best), len(answered))

    def _label_lists(self, best: Mapping[str, Sequence[str]]) -> dict[str, list[str]]:
        lists = {}
        for query, documents in best.items():
            if documents and query in self._judged:
                judged = self._judged[query]
                known = judged.labels.get
                lists[judged.label] = [
                    known(document, filler)
                    for document, filler in zip(documents, self._fillers, strict=False)
                ]
        return lists

    def _ranked(self, labels: list[str], cutoff: int) -> dict[str, float]:
        return dict(zip(labels[:cutoff], self._rank_scores, strict=False))

    def _summary(self, per_query: dict[str, dict[str, float]], ranked: set[str], answered: int) -> Scores:
        names = [measure.full_name for measure in self._measures]
        positive = [per_query[query] for query, judged in self._judged.items() if judged.positive]
        reasons = {}
        if not positive:
            reasons["mean_with_positives"] = "no query has a positive judgement"
        if self._missing is None:
            reasons["judged_documents_missing"] = "scored without the corpus"
        return Scores(
            per_query=per_query,
            mean=_mean(list(per_query.values()), names),
            mean_with_positives=_mean(positive, names) if positive else None,
            queries=len(per_query),
            no_response=len(per_query) - answered,
            no_positive=len(per_query) - len(positive),
            unjudged_queries=len((ranked | set(self._qrels)) - set(self._judged)),
            negative_grades=sum(grade < 0 for grades in self._qrels.values() for grade in grades.values()),
            judged_documents_missing=self._missing,
            reasons=reasons,
        )


def _judged_queries(qrels: Qrels) -> dict[str, _Judged]:
    queries = sorted(_checked_query(query) for query, grades in qrels.items() if grades)
    if not queries:
        raise UserError("The qrels hold no judgement, so there is no query to score. Check the qrels file.")
    return {query: _relabelled(query, qrels[query], f"q{place}") for place, query in enumerate(queries)}


def _relabelled(query: str, grades: Mapping[str, int], label: str) -> _Judged:
    labels = {document: f"j{place}" for place, document in enumerate(grades)}
    safe = {labels[document]: _safe_grade(query, document, grade) for document, grade in grades.items()}
    return _Judged(label, labels, safe, any(safe.values()))


def _safe_grade(query: str, document: object, grade: object) -> int:
    if not isinstance(document, str):
        raise UserError(f"Qrels, query {query!r}: document id {document!r} is no string. Ids are strings.")
    if type(grade) is not int or grade > MAX_GRADE:
        raise UserError(
            f"Qrels, query {query!r}, document {document!r}: the grade {grade!r} is no integer"
            f" up to {MAX_GRADE}. Grades are small integers, 0 for not relevant."
        )
    return max(grade, 0)


def _checked_query(query: object) -> str:
    if not isinstance(query, str):
        raise UserError(f"Query id {query!r} is no string. Ids are strings.")
    return query


def _count_missing(qrels: Qrels, corpus: Collection[str]) -> int:
    return len({document for grades in qrels.values() for document in grades if document not in corpus})


def _engines(
    judged: Mapping[str, _Judged], measures: Sequence[Measure]
) -> dict[int, pytrec_eval.RelevanceEvaluator]:
    grades = {query.label: query.grades for query in judged.values()}
    return {
        cutoff: pytrec_eval.RelevanceEvaluator(
            grades, {measure.engine_name for measure in measures if measure.cutoff == cutoff}
        )
        for cutoff in sorted({measure.cutoff for measure in measures})
    }


def _mean(rows: Sequence[Mapping[str, float]], names: Sequence[str]) -> dict[str, float]:
    return {name: math.fsum(row[name] for row in rows) / len(rows) for name in names}
