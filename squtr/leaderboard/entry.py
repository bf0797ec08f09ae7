"""What the board shows of one system: every figure from its runs and the judgements, none from its claims."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from squtr.digest import digest, digest_file
from squtr.eval.measures import DEFAULT_MEASURES
from squtr.eval.report.words import ordered
from squtr.eval.scores import Scores
from squtr.leaderboard.board_data import BoardData
from squtr.leaderboard.check_files import check_digests, check_facts, check_names, check_tree
from squtr.leaderboard.curves import Curves, robustness_of, scores_of, summarise
from squtr.leaderboard.schema import SUBMISSION_FILE, Submission, System
from squtr.leaderboard.validate import validate_among
from squtr.leaderboard.verdict import Verdict
from squtr.store import write_atomic

MEASURES = tuple(measure.full_name for measure in DEFAULT_MEASURES)
MAIN = MEASURES[0]
_VERSION = 3
_FEWEST = 5

Table = npt.NDArray[np.float32]


@dataclass(frozen=True)
class Entry:
    """One system on the board.

    `facts` holds plain values: `cells` {subset: {condition: {measures, queries, no_response}}}, `macro`
    {language: {condition: measures}}, `recognition` {subset: {condition: error rate}}, `robustness` by subset
    and by language, `noise` {subset: {category: {condition: facts}}}; every measure is {mean, low, high}.
    `scores` has the main measure of each query, shape (conditions, queries), by subset; queries in the order
    of their ids, conditions as in `cells`.
    """

    id: str
    folder: Path
    dataset: str
    system: System
    submission: Submission
    facts: Mapping[str, Any]
    scores: Mapping[str, Table]


def read_entry(folder: Path, offered: Sequence[BoardData], cache: Path | None) -> Entry | Verdict:
    """Validate and score a submission; the verdict is returned where it is refused.

    What was computed lies in `cache` under the digest of the submission and of what it is held against;
    that its files are still those which were packed is looked at each time.
    """
    if cache is not None and (entry := _kept(folder, offered, cache)):
        return entry
    verdict = validate_among(folder, offered, None)
    if not verdict.accepted:
        return verdict
    system, submission = verdict.system, verdict.submission
    if system is None or submission is None:
        return verdict
    data = next(one for one in offered if one.name == verdict.dataset)
    facts, scores = _scored(data, verdict.found)
    facts["recognition"] = verdict.recognition
    if cache is not None:
        _keep(cache / f"{_key(folder, offered)}.npz", {"dataset": data.name, **facts}, scores)
    return Entry(submission.id, folder, data.name, system, submission, facts, scores)


def _kept(folder: Path, offered: Sequence[BoardData], cache: Path) -> Entry | None:
    if folder.is_symlink() or not (folder / SUBMISSION_FILE).is_file():
        return None
    path = cache / f"{_key(folder, offered)}.npz"
    if not path.is_file():
        return None
    verdict = Verdict(str(folder))
    files = check_tree(folder, verdict["files"])
    system, submission = check_facts(folder, verdict["facts"])
    if system is None or submission is None:
        return None
    check_names(submission, files, verdict["files"])
    if verdict["files"].passed():
        check_digests(folder, submission, verdict["digests"])
    if any(check.faults for check in verdict.checks.values()):
        return None
    try:
        with np.load(path, allow_pickle=False) as held:
            facts = json.loads(str(held["facts"]))
            scores = {name.removeprefix("scores/"): held[name] for name in held.files if name != "facts"}
    except (OSError, ValueError, KeyError, EOFError, BadZipFile):
        return None
    return Entry(submission.id, folder, facts.pop("dataset"), system, submission, facts, scores)


def _keep(path: Path, facts: Mapping[str, Any], scores: Mapping[str, Table]) -> None:
    file = io.BytesIO()
    arrays = {f"scores/{key}": table for key, table in scores.items()}
    np.savez(file, facts=np.array(json.dumps(facts)), **arrays)  # type: ignore[arg-type]
    path.parent.mkdir(parents=True, exist_ok=True)
    write_atomic(path, file.getvalue())


def _key(folder: Path, offered: Sequence[BoardData]) -> str:
    return digest(
        [
            "leaderboard entry",
            _VERSION,
            digest_file(folder / SUBMISSION_FILE),
            [one.digest for one in offered],
        ]
    )


def _scored(
    data: BoardData, found: Mapping[str, Mapping[str, Scores]]
) -> tuple[dict[str, Any], dict[str, Table]]:
    curves = {
        key: Curves(key, {name: by_condition[name].per_query for name in ordered(by_condition)})
        for key, by_condition in found.items()
    }
    languages: dict[str, list[Curves]] = {}
    for key, one in curves.items():
        languages.setdefault(data.subsets[key].language, []).append(one)
    parts = languages | {key: [one] for key, one in curves.items()}
    groups = {key: _by_noise(one, data.subsets[key].noise) for key, one in curves.items()}
    told = summarise(
        {
            "scores": {part: scores_of(members, MEASURES) for part, members in parts.items()},
            "robustness": {part: robustness_of(members, MAIN) for part, members in parts.items()},
            "noise": {key: _group_means(curves[key], one) for key, one in groups.items()},
        }
    )
    facts = {
        "cells": {
            key: {
                name: {
                    "measures": measures,
                    "queries": found[key][name].queries,
                    "no_response": found[key][name].no_response,
                }
                for name, measures in told["scores"][key].items()
            }
            for key in curves
        },
        "macro": {language: told["scores"][language] for language in languages},
        "robustness": told["robustness"],
        "noise": {
            key: {
                category: {
                    name: {**interval, "queries": len(groups[key][category][name])}
                    for name, interval in conditions.items()
                }
                for category, conditions in categories.items()
            }
            for key, categories in told["noise"].items()
        },
    }
    scores = {
        key: np.stack([one.values(MAIN, name) for name in one.conditions]).astype(np.float32)
        for key, one in curves.items()
    }
    return facts, scores


def _by_noise(curves: Curves, noise: Mapping[str, Mapping[str, str]]) -> dict[str, dict[str, list[str]]]:
    """Return {category: {condition: judged queries}} of the noisy conditions."""
    groups: dict[str, dict[str, list[str]]] = {}
    for condition in curves.conditions:
        for query, category in sorted(noise.get(condition, {}).items()):
            if query in curves.queries:
                groups.setdefault(category, {}).setdefault(condition, []).append(query)
    return dict(sorted(groups.items()))


def _group_means(curves: Curves, groups: Mapping[str, Mapping[str, list[str]]]) -> dict[str, Any]:
    found: dict[str, dict[str, Any]] = {}
    for category, conditions in groups.items():
        alike: dict[tuple[str, ...], list[str]] = {}
        for condition, queries in conditions.items():
            alike.setdefault(tuple(queries), []).append(condition)
        found[category] = {}
        for members, named in alike.items():
            found[category] |= curves.groups(MAIN, named, members, category, _FEWEST)
    return found
