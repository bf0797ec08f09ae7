"""Recompute every score from runs and judgements; what was claimed decides nothing."""

from __future__ import annotations

from typing import Any

from squtr.eval.measures import DEFAULT_MEASURES
from squtr.eval.scores import Scores
from squtr.leaderboard.board_data import BoardData
from squtr.leaderboard.check_runs import ReadRun, runs_of
from squtr.leaderboard.schema import SUBMISSION_FILE, Cell, Submission
from squtr.leaderboard.verdict import Verdict

TOLERANCE = 1e-6
_MEASURES = {measure.full_name: measure.definition for measure in DEFAULT_MEASURES}
_MAIN = DEFAULT_MEASURES[0].full_name
_PACK_AGAIN = "Pack the evaluation again; do not edit its figures."


def check_scores(
    submission: Submission, data: BoardData, runs: dict[tuple[str, str], ReadRun], verdict: Verdict
) -> None:
    """Score the runs that could be read, hold the claims against them, and put both into the verdict."""
    check = verdict["scores"]
    if submission.measures != _MEASURES or submission.main_measure != _MAIN:
        known = ", ".join(_MEASURES)
        check.refuse(SUBMISSION_FILE, f"its measures are not the board's: {known}", _PACK_AGAIN)
    for key, cells in submission.scores.items():
        found = runs_of(runs, key)
        scored = {name: data.subsets[key].scorer.score_lists(best) for name, best in found.items()}
        for condition, scores in scored.items():
            place = f"{key} {condition}"
            for what in _wrong(cells[condition], scores, runs[key, condition]):
                check.refuse(place, what, _PACK_AGAIN)
        verdict.found[key] = scored
        verdict.scores[key] = {name: _plain(one) for name, one in scored.items()}
        for condition in sorted(set(cells) - set(found)):
            check.refuse(f"{key} {condition}", "cannot be scored", "Mend its run first.")
    verdict.macro = _macro(verdict.scores, data)


def _wrong(claimed: Cell, scores: Scores, run: ReadRun) -> list[str]:
    found = []
    for measure, mean in scores.mean.items():
        said = claimed.measures.get(measure)
        if said is None or abs(said - mean) > TOLERANCE:
            found.append(f"claims {measure} {said}, its run gives {mean:.10g}")
    for name in sorted(set(claimed.measures) - set(scores.mean)):
        found.append(f"claims {name}, which the board does not have")
    for name, real in (("queries", scores.queries), ("no_response", scores.no_response)):
        if (said := getattr(claimed, name)) != real:
            found.append(f"claims {name} {said}, its run gives {real}")
    if claimed.ranking != run.ranking:
        found.append("the digest of its ranking is not that of its run")
    return found


def _plain(scores: Scores) -> dict[str, Any]:
    return {"measures": scores.mean, "queries": scores.queries, "no_response": scores.no_response}


def _macro(scores: dict[str, dict[str, Any]], data: BoardData) -> dict[str, dict[str, float]]:
    """Return the mean of the subsets' means of the main measure, by language and condition."""
    found: dict[str, dict[str, list[float]]] = {}
    for key, conditions in scores.items():
        language = found.setdefault(data.subsets[key].language, {})
        for condition, one in conditions.items():
            language.setdefault(condition, []).append(one["measures"][_MAIN])
    return {
        language: {condition: sum(means) / len(means) for condition, means in conditions.items()}
        for language, conditions in found.items()
    }
