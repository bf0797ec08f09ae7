"""Sensitivity: the same runs scored under other grading policies, and how far the systems' ranking moves.

Every policy changes one thing of the contract (nDCG@10, linear gain, ties by falling id, all judged queries)
and keeps the rest. Runs are those of the evaluation: what a retriever did not return cannot come back, so tie
rules reorder what is in the run, and the two bounds hold for any order a retriever may have inserted ties in.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy.stats import kendalltau, rankdata

from squtr.errors import UserError
from squtr.eval.resampling import Floats
from squtr.eval.runs import Run, cut
from squtr.eval.scores import Qrels

CUTOFF, CUTOFFS = 10, (1, 5, 10, 20, 100)
Grades = npt.NDArray[np.int64]
Order = Callable[[Mapping[str, float], Mapping[str, int], int], list[str]]
Ranked = list[tuple[str, float]]


@dataclass(frozen=True, slots=True)
class Policy:
    """One way to score: how ties are ordered, what a grade earns, where lists end, which queries count."""

    name: str
    says: str
    ties: str = "id descending"
    gain: str = "linear"
    cutoff: int = CUTOFF
    missing: str = "scores 0"
    no_positive: str = "scores 0"
    padded: bool = False


CONTRACT = Policy("contract", "the contract: nDCG@10, linear gain, ties by falling id, all judged queries")
POLICIES = (
    Policy("gain: exponential", "a grade earns 2^grade - 1 (Burges et al., ICML 2005)", gain="exponential"),
    Policy("ties: id ascending", "ties by rising document id", ties="id ascending"),
    Policy(
        "ties: pessimistic",
        "of tied documents the less relevant first: the lowest score any tie rule can give",
        ties="pessimistic",
    ),
    Policy(
        "ties: optimistic",
        "of tied documents the more relevant first: the highest score any tie rule can give",
        ties="optimistic",
    ),
    Policy(
        "missing queries: left out",
        "the mean is over the queries with a response, each system its own",
        missing="left out",
    ),
    Policy(
        "no positive: left out",
        "queries without a positive judgement are left out of the mean",
        no_positive="left out",
    ),
    *(Policy(f"cut-off: {k}", f"nDCG@{k}", cutoff=k) for k in CUTOFFS if k != CUTOFF),
    Policy(
        "zero-score hits: kept",
        "a ranking that is shorter than the depth is filled with other documents of the corpus at score 0, by"
        " falling id: as BM25 libraries return documents without a word of the query",
        padded=True,
    ),
)


@dataclass(frozen=True)
class Corpus:
    """What filling a ranking up needs: how deep it goes, and the highest ids of the corpus, falling."""

    depth: int
    last_ids: tuple[str, ...]


def last_ids(ids: Iterable[str], depth: int) -> Corpus:
    """Keep what `filled` needs of all ids: twice the depth, so that enough of them are not in a ranking."""
    return Corpus(depth, tuple(heapq.nlargest(2 * depth, ids)))


def ndcg(grades: Grades, ideal: Grades, cutoff: int = CUTOFF, gain: str = "linear") -> Floats:
    """Return nDCG at a cut-off for each query, shape (n,).

    `grades` has shape (n, k): what the ranked documents are worth, best rank first, 0 beyond the list's end;
    `ideal` has shape (n, j): all grades of the qrels, highest first. nDCG = DCG / ideal DCG, DCG = sum of
    gain / log2(rank + 1) over the first `cutoff` ranks (Järvelin and Kekäläinen, TOIS 2002, as in trec_eval);
    gain is the grade, or 2^grade - 1 if "exponential" (Burges et al., ICML 2005). Negative grades earn 0; a
    query without a positive grade scores 0. Raises UserError on an unknown gain.
    """
    best = _dcg(ideal, cutoff, gain)
    found = np.zeros(len(grades))
    np.divide(_dcg(grades, cutoff, gain), best, out=found, where=best > 0)
    return found


def policy_scores(
    qrels: Qrels, run: Run, policy: Policy = CONTRACT, corpus: Corpus | None = None
) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return nDCG of each judged query in the order of ids under a policy, and which queries its mean covers.

    Raises UserError for a padded policy without a corpus.
    """
    judged = {query: qrels[query] for query in sorted(qrels) if qrels[query]}
    rows = []
    for query, grades in judged.items():
        ranking: Mapping[str, float] = run.get(query, {})
        if policy.padded and query in run:
            ranking = filled(ranking, corpus)
        rows.append(
            [grades.get(document, 0) for document in _ORDERS[policy.ties](ranking, grades, policy.cutoff)]
        )
    ideal = [
        sorted((grade for grade in grades.values()), reverse=True)[: policy.cutoff]
        for grades in judged.values()
    ]
    scores = ndcg(_matrix(rows, policy.cutoff), _matrix(ideal, policy.cutoff), policy.cutoff, policy.gain)
    counted = np.ones(len(scores), dtype=np.bool_)
    if policy.missing == "left out":
        counted &= np.array([bool(run.get(query)) for query in judged])
    if policy.no_positive == "left out":
        counted &= np.array([any(grade > 0 for grade in grades.values()) for grades in judged.values()])
    return scores, counted


def filled(ranking: Mapping[str, float], corpus: Corpus | None) -> dict[str, float]:
    """Return a ranking filled up to the depth with the highest ids that are not in it, at score 0.

    A ranking with a score of 0 or below is left as it is: its scores do not say that 0 means no evidence.
    """
    if corpus is None:
        raise UserError("A ranking cannot be filled up without the ids of the corpus.")
    if len(ranking) >= corpus.depth or any(score <= 0 for score in ranking.values()):
        return dict(ranking)
    others = [document for document in corpus.last_ids if document not in ranking]
    return {**ranking, **dict.fromkeys(others[: corpus.depth - len(ranking)], 0.0)}


def sensitivity(
    qrels: Qrels, runs: Mapping[str, Mapping[str, Run]], corpus: Corpus
) -> dict[str, dict[str, Any]]:
    """Score {system: {condition: run}} under the contract and every policy; return plain values by policy.

    Each policy has `scores` {system: {condition: mean or None}}, and by condition `tau` and `largest_move`,
    which compare the ranking of the systems with that under the contract; see `moved`.
    """
    table = {policy.name: _means(qrels, runs, policy, corpus) for policy in (CONTRACT, *POLICIES)}
    return {name: {"scores": scores, **moves(table[CONTRACT.name], scores)} for name, scores in table.items()}


def macro_sensitivity(found: Mapping[str, Mapping[str, Any]], languages: Mapping[str, str]) -> dict[str, Any]:
    """Return the same of the means over a language's subsets, from {subset: `sensitivity`}."""
    table: dict[str, Any] = {}
    for language in dict.fromkeys(languages.values()):
        members = [found[key] for key in found if languages[key] == language]
        means = {name: _macro_means([one[name]["scores"] for one in members]) for name in members[0]}
        table[language] = {
            name: {"scores": scores, **moves(means[CONTRACT.name], scores)} for name, scores in means.items()
        }
    return table


def moves(
    contract: Mapping[str, Mapping[str, float | None]], other: Mapping[str, Mapping[str, float | None]]
) -> dict[str, Any]:
    """Compare two tables {system: {condition: mean}} condition by condition; see `moved`."""
    conditions = list(dict.fromkeys(name for cells in contract.values() for name in cells))
    found = {name: moved(_column(contract, name), _column(other, name)) for name in conditions}
    return {
        what: {name: one[what] for name, one in found.items()} for what in ("tau", "largest_move", "reason")
    }


def moved(contract: Mapping[str, float | None], other: Mapping[str, float | None]) -> dict[str, Any]:
    """Return Kendall's tau-b (1945) of two rankings of the same systems and the largest move in ranks.

    Ranks count from 1 at the highest mean, equal means share the mean rank. `tau` is None with a reason for
    one system, for a mean that does not exist, and where all are equal under one of the two.
    """
    if len(contract) < 2:
        return {"tau": None, "largest_move": None, "reason": "one system has no ranking"}
    if any(one[system] is None for one in (contract, other) for system in contract):
        return {"tau": None, "largest_move": None, "reason": "a system has no mean"}
    before, after = (
        np.array([one[system] for system in contract], dtype=np.float64) for one in (contract, other)
    )
    before, after = np.round(before, 12), np.round(after, 12)
    move = float(np.abs(rankdata(-before) - rankdata(-after)).max())
    if np.ptp(before) == 0 or np.ptp(after) == 0:
        return {"tau": None, "largest_move": move, "reason": "all systems score the same"}
    return {"tau": float(kendalltau(before, after).statistic), "largest_move": move, "reason": None}


def definitions() -> dict[str, str]:
    """Return {policy: what it means}, the contract first."""
    return {policy.name: policy.says for policy in (CONTRACT, *POLICIES)}


def error_rate_change(raw: float | None, clean: float | None) -> dict[str, Any]:
    """Return an error rate as written and with numbers normalised, and how much the normaliser takes off."""
    if raw is None or clean is None:
        return {"raw": raw, "clean": clean, "change": None, "reason": "no error rate"}
    return {"raw": raw, "clean": clean, "change": clean - raw, "reason": None}


def _means(
    qrels: Qrels, runs: Mapping[str, Mapping[str, Run]], policy: Policy, corpus: Corpus
) -> dict[str, dict[str, float | None]]:
    return {
        system: {
            condition: None
            if policy.cutoff > corpus.depth
            else _mean(*policy_scores(qrels, run, policy, corpus))
            for condition, run in conditions.items()
        }
        for system, conditions in runs.items()
    }


def _mean(scores: Floats, counted: npt.NDArray[np.bool_]) -> float | None:
    return math.fsum(scores[counted]) / int(counted.sum()) if counted.any() else None


def _macro_means(
    tables: Sequence[Mapping[str, Mapping[str, float | None]]],
) -> dict[str, dict[str, float | None]]:
    shared = [
        name for name in next(iter(tables[0].values())) if all(name in next(iter(t.values())) for t in tables)
    ]
    found: dict[str, dict[str, float | None]] = {}
    for system in tables[0]:
        cells: dict[str, float | None] = {}
        for condition in shared:
            if any(condition not in table[system] for table in tables):
                continue
            values = [table[system][condition] for table in tables]
            known = [value for value in values if value is not None]
            cells[condition] = math.fsum(known) / len(known) if len(known) == len(values) else None
        found[system] = cells
    return found


def _column(table: Mapping[str, Mapping[str, float | None]], condition: str) -> dict[str, float | None]:
    return {system: cells[condition] for system, cells in table.items() if condition in cells}


def _dcg(grades: Grades, cutoff: int, gain: str) -> Floats:
    earned = np.maximum(grades[:, :cutoff], 0).astype(np.float64)
    if gain not in ("linear", "exponential"):
        raise UserError(f"Unknown gain {gain!r}. It is linear or exponential.")
    if gain == "exponential":
        earned = np.exp2(earned) - 1
    found: Floats = (earned / np.log2(np.arange(2, earned.shape[1] + 2))).sum(axis=1)
    return found


def _matrix(rows: Sequence[Sequence[int]], width: int) -> Grades:
    table = np.zeros((len(rows), width), dtype=np.int64)
    for place, row in enumerate(rows):
        table[place, : len(row)] = row[:width]
    return table


def _by_contract(ranking: Mapping[str, float], grades: Mapping[str, int], k: int) -> list[str]:
    return [document for document, _ in cut(ranking, k)] if ranking else []


def _by_rising_id(ranking: Mapping[str, float], grades: Mapping[str, int], k: int) -> list[str]:
    return heapq.nsmallest(k, ranking, key=lambda document: (-ranking[document], document))


def _worst_first(ranking: Mapping[str, float], grades: Mapping[str, int], k: int) -> list[str]:
    return heapq.nsmallest(
        k, ranking, key=lambda document: (-ranking[document], max(0, grades.get(document, 0)))
    )


def _best_first(ranking: Mapping[str, float], grades: Mapping[str, int], k: int) -> list[str]:
    return heapq.nsmallest(
        k, ranking, key=lambda document: (-ranking[document], -max(0, grades.get(document, 0)))
    )


_ORDERS: dict[str, Order] = {
    "id descending": _by_contract,
    "id ascending": _by_rising_id,
    "pessimistic": _worst_first,
    "optimistic": _best_first,
}
