"""Boards written straight, without speech or search: of each query it is said where its document is found.

Every query has one relevant document, so at place r it scores 1 / log2(r + 1), and MRR is 1 / r.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import yaml

from squtr.digest import digest, digest_file
from squtr.eval.measures import DEFAULT_MEASURES
from squtr.eval.runs import Run, escape_id
from squtr.eval.scores import score_runs
from squtr.leaderboard.board_data import text_digest
from squtr.leaderboard.kept_data import DATA_FILE
from squtr.leaderboard.lines import write_lines
from squtr.leaderboard.ranking import ranking_digest
from squtr.leaderboard.render import Rendered, render
from squtr.leaderboard.schema import SUBMISSION_FILE, SYSTEM_FILE, run_name, transcript_name
from squtr.leaderboard.submit import identifier
from squtr.progress import Silent

CONDITIONS = ("clean", "snr_20", "snr_0")
SPOKEN, MISHEARD = "please find that again", "please find it"
"""Two of four words are wrong."""
FILLERS = [f"filler-{number}" for number in range(10)]
Places = Mapping[str, Mapping[str, Sequence[int | None]]]
"""{subset: {condition: the place of each query's document from 1; 0 not found, None without a response}}"""


def document(query: str) -> str:
    return f"about-{digest(query)[:8]}"


def write_data(
    root: Path,
    queries: Mapping[str, Sequence[str]],
    name: str = "trial-set",
    categories: Sequence[str] = ("fan", "rain"),
    cut: bool = False,
) -> None:
    """Write what the board keeps of a data set: {subset: queries}; noise of the categories in turn."""
    folder, subsets = root / "datasets" / name, {}
    for key, named in queries.items():
        parts = {
            "qrels": [f"{escape_id(query)} 0 {document(query)} 1" for query in sorted(named)],
            "queries": [escape_id(query) for query in sorted(named)],
            "documents": sorted([*map(document, named), *FILLERS]),
            "texts": [f"text {escape_id(query)} {text_digest(SPOKEN)}" for query in sorted(named)],
            "noise": [
                f"{condition} {escape_id(query)} {escape_id(categories[place % len(categories)])}"
                for condition in CONDITIONS[1:]
                for place, query in enumerate(sorted(named))
            ],
        }
        for part, lines in parts.items():
            write_lines(folder / f"{key}.{part}.gz", lines)
        facts = {"fingerprint": digest([name, key]), "qrels": digest(parts["qrels"]), "audio": None}
        subsets[key] = {
            **facts,
            "language": key[:2],
            "conditions": list(CONDITIONS),
            "queries": len(named),
            "documents": len(parts["documents"]),
            "files": {part: digest_file(folder / f"{key}.{part}.gz") for part in parts},
        }
    (folder / DATA_FILE).write_text(json.dumps({"name": name, "slice": cut, "subsets": subsets}))


def write_submission(
    root: Path,
    name: str,
    queries: Mapping[str, Sequence[str]],
    places: Places,
    data: str = "trial-set",
    command: str = "squtr eval data",
    **system: Any,
) -> Path:
    """Write a submission; queries without a response are told as such. Returns its folder."""
    folder = root / "submissions" / identifier(name)
    scores: dict[str, Any] = {}
    for key, conditions in places.items():
        runs = {condition: _run(queries[key], found) for condition, found in conditions.items()}
        qrels = {query: {document(query): 1} for query in queries[key]}
        scored = score_runs(qrels, runs)
        scores[key] = {
            condition: {
                "measures": scored[condition].mean,
                "queries": len(qrels),
                "no_response": scored[condition].no_response,
                "unanswered": sorted(set(qrels) - set(run)),
                "ranking": ranking_digest(run),
            }
            for condition, run in runs.items()
        }
        for condition, run in runs.items():
            write_lines(folder / run_name(key, condition), _lines(run))
    told = {
        "name": name,
        "authors": ["A. Author"],
        "family": "other",
        "retriever": {"name": "encoder"},
        "parameters": 0,
        "training_sets": [],
        "licence": "MIT",
        "hardware": "one core",
        **system,
    }
    if "recogniser" in told:
        _write_transcripts(folder, queries, places)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / SYSTEM_FILE).write_text(yaml.safe_dump(told, allow_unicode=True), encoding="utf-8")
    _write_facts(root, folder, scores, "recogniser" in told, data, command)
    return folder


def _write_facts(
    root: Path, folder: Path, scores: dict[str, Any], heard: bool, data: str, command: str
) -> None:
    kept = json.loads((root / "datasets" / data / DATA_FILE).read_text())
    subsets = {
        key: {part: kept["subsets"][key][part] for part in ("fingerprint", "qrels", "audio")}
        for key in scores
    }
    made = {
        "system": "s",
        "fingerprint": "f",
        "recogniser": "r" if heard else None,
        "recogniser_fingerprint": "f" if heard else None,
        "command": command,
        "seed": 0,
        "normalisers": {},
        "wall_seconds": 1.0,
    }
    facts = {
        "schema_version": 1,
        "id": folder.name,
        "depth": 100,
        "dataset": {"name": kept["name"], "slice": kept["slice"], "subsets": subsets},
        "measures": {measure.full_name: measure.definition for measure in DEFAULT_MEASURES},
        "main_measure": DEFAULT_MEASURES[0].full_name,
        "made": made,
        "environment": {"squtr": "0", "python": "3", "machine": "x86_64", "system": "Linux"},
        "scores": scores,
        "files": {p.relative_to(folder).as_posix(): digest_file(p) for p in folder.rglob("*") if p.is_file()},
    }
    (folder / SUBMISSION_FILE).write_text(json.dumps(facts))


def _run(queries: Sequence[str], places: Sequence[int | None]) -> Run:
    return {
        query: _ranking(query, place)
        for query, place in zip(queries, places, strict=True)
        if place is not None
    }


def _ranking(query: str, place: int) -> dict[str, float]:
    found = [*FILLERS[: place - 1], document(query)] if place else FILLERS
    return {name: 10.0 - at for at, name in enumerate(found)}


def _lines(run: Run) -> list[str]:
    return [
        f"{escape_id(query)} Q0 {name} {at} {score} s"
        for query, found in run.items()
        for at, (name, score) in enumerate(found.items(), 1)
    ]


def _write_transcripts(folder: Path, queries: Mapping[str, Sequence[str]], places: Places) -> None:
    for key, conditions in places.items():
        for condition in set(conditions) - {"text"}:
            rows = [
                {"_id": query, "text": SPOKEN, "asr_text": SPOKEN if place == 1 else MISHEARD, "status": "ok"}
                for query, place in zip(queries[key], conditions[condition], strict=True)
            ]
            write_lines(folder / transcript_name(key, condition), map(json.dumps, rows))


def drawn(seed: int, queries: Mapping[str, Sequence[str]], skill: float, text: bool = True) -> Places:
    """Draw places, worse the less the skill (0 to 1) and the louder the noise."""
    rng = np.random.default_rng(seed)
    conditions = ("text", *CONDITIONS) if text else CONDITIONS
    chances = {"text": 0.8, "clean": 0.7, "snr_20": 0.6, "snr_0": 0.25}
    return {
        key: {name: (rng.geometric(chances[name] * skill, len(named)) % 11).tolist() for name in conditions}
        for key, named in queries.items()
    }


def rendered(root: Path, out: Path | None = None, workers: int = 1, cache: Path | None = None) -> Rendered:
    return render(root / "submissions", out or root / "site", None, cache, workers, Silent())
