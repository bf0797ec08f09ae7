"""squtr score."""

from __future__ import annotations

import json
import os
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from squtr.collection import Findings
from squtr.collection.qrels import read_qrels_files
from squtr.counted import counted
from squtr.errors import UserError
from squtr.eval.measures import DEFAULT_MEASURES, Measure, parse_measure
from squtr.eval.runs import read_run
from squtr.eval.scores import Qrels, Scores, score_runs
from squtr.eval.statistics import bootstrap_mean, holm, paired_bootstrap, paired_randomisation

RUN_SUFFIXES = (".trec", ".run", ".trec.gz", ".run.gz")
_COUNTED = {
    "no_response": ("judged query", "without a response, scored 0"),
    "no_positive": ("judged query", "without a positive judgement, scored 0"),
    "unjudged_queries": ("query", "without judgements, left out"),
    "negative_grades": ("negative grade", "scored as 0"),
}


@dataclass(frozen=True)
class Scored:
    """Runs scored against the same qrels, by name; `compared` holds differences to the first run."""

    qrels: Path
    paths: dict[str, Path]
    measures: tuple[Measure, ...]
    scores: dict[str, Scores]
    findings: tuple[str, ...]
    compared: list[dict[str, Any]]


def run_score(qrels: Path, runs: list[Path], measures: list[str] | None, compare: bool) -> Scored:
    """Score TREC runs against qrels. Raises UserError with file and line for a fault in any of them."""
    chosen = tuple(dict.fromkeys(map(parse_measure, measures))) if measures else DEFAULT_MEASURES
    paths = _named(runs)
    if compare and len(paths) < 2:
        raise UserError("--compare needs two runs or more.")
    findings = Findings()
    judged = read_qrels_files([qrels], findings)
    if not judged:
        raise UserError(f"{qrels}: no judgement in it. Give the qrels that the runs are to be scored by.")
    read = {name: read_run(path) for name, path in paths.items()}
    if empty := [name for name, run in read.items() if not run]:
        raise UserError(f"{paths[empty[0]]}: no ranking in it. Make the run again, or leave it out.")
    _refuse_strangers(judged, read, paths)
    scores = score_runs(judged, read, chosen)
    said = tuple(finding.message for finding in findings.found())
    compared = _compared(scores, chosen) if compare else []
    return Scored(qrels, paths, chosen, scores, said, compared)


def show_score(scored: Scored, per_query: bool, as_json: bool) -> None:
    """Print means with 95 % intervals, and on request each query's scores as trec_eval does."""
    if as_json:
        print(json.dumps(plain_scores(scored, per_query), ensure_ascii=False, allow_nan=False))
        return
    if per_query:
        for line in _query_lines(scored):
            print(line)
    console = Console()
    console.print(_table(scored))
    for name, one in scored.scores.items():
        for field, (noun, said) in _COUNTED.items():
            if count := getattr(one, field):
                print(f"{name}: {counted(count, noun)} {said}.")
    for message in scored.findings:
        print(f"{scored.qrels.name}: {message}")
    for row in scored.compared:
        print(
            f"{row['run']} against {row['against']}, {row['measure']}: {row['difference']:+.4f}"
            f" ({row['low']:+.4f} to {row['high']:+.4f}), p {row['p']:.4f}, {row['p_holm']:.4f} by Holm."
        )


def _named(runs: list[Path]) -> dict[str, Path]:
    """Name runs by their file names, or by their paths below what they share where two have one name."""
    files = [file for path in runs for file in (_in_folder(path) if path.is_dir() else [path])]
    if len({file.resolve() for file in files}) != len(files):
        raise UserError("The same run is named twice.")
    names = [file.name for file in files]
    if len(set(names)) < len(names):
        shared = Path(os.path.commonpath([file.resolve().parent for file in files]))
        names = [file.resolve().relative_to(shared).as_posix() for file in files]
    return dict(zip(names, files, strict=True))


def _in_folder(folder: Path) -> list[Path]:
    found = sorted(path for path in folder.rglob("*") if path.name.endswith(RUN_SUFFIXES))
    if not found:
        raise UserError(f"{folder}: no run in it. A run's name ends in {', '.join(RUN_SUFFIXES)}.")
    return found


def _refuse_strangers(judged: Qrels, read: dict[str, Any], paths: dict[str, Path]) -> None:
    """A run that shares no query with the qrels belongs to another collection: a mean of 0 would mislead."""
    for name, run in read.items():
        if run and not set(run) & set(judged):
            raise UserError(
                f"{paths[name]}: none of its queries is in the qrels, such as {sorted(run)[:3]} against"
                f" {sorted(judged)[:3]}. Ids must match exactly."
            )


def _compared(scores: dict[str, Scores], measures: tuple[Measure, ...]) -> list[dict[str, Any]]:
    first, *others = scores
    rows: list[dict[str, Any]] = []
    for measure in measures:
        base = scores[first].values(measure)
        for name in others:
            mine = scores[name].values(measure)
            found = paired_bootstrap(mine, base, measure.full_name)
            p = paired_randomisation(mine, base, measure.full_name)
            interval = {"difference": found.difference, "low": found.low, "high": found.high}
            rows.append({"measure": measure.full_name, "run": name, "against": first, **interval, "p": p})
    adjusted = holm([row["p"] for row in rows])
    return [{**row, "p_holm": p} for row, p in zip(rows, adjusted, strict=True)]


def _interval(one: Scores, measure: Measure) -> dict[str, float]:
    found = bootstrap_mean(one.values(measure), measure.full_name)
    return {"low": found.low, "mean": one.mean[measure.full_name], "high": found.high}


def _table(scored: Scored) -> Table:
    queries = next(iter(scored.scores.values())).queries
    table = Table(title=f"{scored.qrels.name}: {counted(queries, 'judged query')}", title_justify="left")
    table.add_column("run", overflow="fold")
    for measure in scored.measures:
        table.add_column(measure.name, justify="right")
    for name, one in scored.scores.items():
        cells = [_interval(one, measure) for measure in scored.measures]
        table.add_row(
            name, *(f"{cell['mean']:.4f} ±{(cell['high'] - cell['low']) / 2:.4f}" for cell in cells)
        )
    return table


def _query_lines(scored: Scored) -> list[str]:
    several = len(scored.scores) > 1
    return [
        "\t".join([*([name] if several else []), measure.name, query, f"{values[measure.full_name]:.4f}"])
        for name, one in scored.scores.items()
        for query, values in one.per_query.items()
        for measure in scored.measures
    ]


def plain_scores(scored: Scored, per_query: bool) -> dict[str, Any]:
    """Return the scores as --json prints them."""
    runs = {}
    for name, one in scored.scores.items():
        runs[name] = {
            "path": str(scored.paths[name]),
            "queries": one.queries,
            **{field: getattr(one, field) for field in _COUNTED},
            "measures": {measure.full_name: _interval(one, measure) for measure in scored.measures},
            "mean_with_positives": one.mean_with_positives,
            **({"per_query": one.per_query} if per_query else {}),
        }
    return {
        "qrels": str(scored.qrels),
        "runs": runs,
        "compared": scored.compared,
        "findings": list(scored.findings),
    }
