"""squtr eval."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console

from squtr.commands.build import cores
from squtr.commands.channel_table import channel_lines, channel_table
from squtr.commands.eval_table import score_tables
from squtr.counted import counted
from squtr.data_build.layout import file_form
from squtr.engines import engine_starter
from squtr.eval.channels import SEEDS
from squtr.eval.evaluate import DEFAULT_RECOGNISER, DEFAULT_RETRIEVERS, Settings, evaluate
from squtr.eval.hearing import recognition_by_spec
from squtr.eval.runs import file_name
from squtr.progress import reporter
from squtr.publish.ready import ready_dataset, results_place


def run_eval(
    dataset: Path | str,
    recognisers: str | list[str] | None,
    retrievers: list[str] | None,
    out: Path | None,
    workers: int,
    cache: Path | None,
    engine: str = "local",
    ray_address: str | None = None,
    sensitivity: bool = False,
    end_to_end: list[str] | None = None,
    batch: int = 1,
    runs: list[str] | None = None,
    channels: list[str] | None = None,
    channel_seeds: int = SEEDS,
) -> tuple[dict[str, Any], Path]:
    """Evaluate a data set, or what `ready_dataset` takes for one; without `out` the results go beside it."""
    first, *more = [recognisers] if isinstance(recognisers, str) else recognisers or [DEFAULT_RECOGNISER]
    place = out or results_place(str(dataset))
    settings = Settings(
        first,
        tuple(retrievers or DEFAULT_RETRIEVERS),
        sensitivity=sensitivity,
        end_to_end=tuple(end_to_end or ()),
        more_recognisers=tuple(more),
        runs=tuple(runs or ()),
        channels=tuple(channels or ()),
        channel_seeds=channel_seeds,
    )
    start_engine = engine_starter(engine, workers or cores(), ray_address)
    with reporter() as progress:
        found = evaluate(
            ready_dataset(str(dataset), progress),
            settings,
            place,
            start_engine=start_engine,
            cache=cache,
            progress=progress,
            batch=batch,
        )
    return found, place


def show_eval(results: dict[str, Any], out: Path, as_json: bool) -> None:
    """Print the table of scores and recognition, and where the report is."""
    if as_json:
        print(json.dumps(results, ensure_ascii=False, allow_nan=False))
        return
    console = Console()
    for subset in results["scores"]:
        for table in score_tables(results, subset, console.width):
            console.print(table)
    for key, study in (results["channels"] or {"subsets": {}})["subsets"].items():
        if study["channels"]:
            console.print(channel_table(key, study))
        for line in channel_lines(key, study):
            console.print(line, markup=False, highlight=False)
    for line in (*_sliced(results), *_made_elsewhere(results), *_failures(results, out), *_moves(results)):
        console.print(line, markup=False, highlight=False, soft_wrap=True)
    timing = results["timing"]
    share = timing["model_seconds"] / (timing["wall_seconds"] * timing["workers"])
    console.print(
        f"{timing['wall_seconds']:.1f} s on {counted(timing['workers'], 'worker')},"
        f" {share:.0%} of it in models."
    )
    console.print(f"Report: {out / 'report.html'}", soft_wrap=True)


_ODD = {
    "missing_queries": ("judged query", "missing; each scores 0"),
    "unknown_queries": ("query", "not in the data set, left out"),
    "unknown_documents": ("document", "not in the corpus, kept at its rank"),
    "missing": ("recording", "without a transcript; each scores 0"),
    "unknown_ids": ("id", "not in the data set, left out"),
}


def _made_elsewhere(results: dict[str, Any]) -> Iterator[str]:
    """Say which ids of files made elsewhere do not fit."""
    for found in (results["made_elsewhere"][kind] for kind in ("transcripts", "runs")):
        for subsets in found.values():
            for conditions in subsets.values():
                for one in conditions.values():
                    for name, (noun, said) in _ODD.items():
                        if one.get(name):
                            yield f"{one['file']}: {counted(one[name], noun)} {said}."


def _failures(results: dict[str, Any], out: Path) -> Iterator[str]:
    first = results["settings"]["recogniser"]
    for spec, found in recognition_by_spec(results).items():
        by = f" with {spec}" if results["other_recognisers"] else ""
        inner = "" if spec == first else f"{file_name(spec)}/"
        told = {
            out / f"transcripts/{subset}/{inner}{file_form(condition)}.jsonl": (subset, condition, said)
            for subset, conditions in found.items()
            for condition, said in conditions.items()
            if said["failed"]
        }
        if told and all(said["ok"] + said["empty"] == 0 for one in found.values() for said in one.values()):
            yield f"Every recording failed with {spec}: its rows are no scores (reasons: {next(iter(told))})."
            continue
        for path, (subset, condition, said) in told.items():
            yield (
                f"{subset} {condition}: {counted(said['failed'], 'recording')} failed{by}; they score 0 and"
                f" are left out of the {said['name']} (reasons: {path})."
            )
    for subset, systems in results["end_to_end"].items():
        for system, by_condition in systems.items():
            for condition, said in by_condition.items():
                if said["failed"]:
                    reason = max(said["reasons"], key=said["reasons"].__getitem__)
                    lost = f"{said['failed']} of {counted(said['recordings'], 'recording')}"
                    yield f"{subset} {condition}: {system} could not embed {lost}, which score 0: {reason}."


def _sliced(results: dict[str, Any]) -> Iterator[str]:
    if found := results["dataset"]["slice"]:
        yield f"A slice of {found['of']}. {found['warning']}"


def _moves(results: dict[str, Any]) -> Iterator[str]:
    """Say under which grading policies the order of the systems is another, where that was asked for."""
    for subset, policies in (results["sensitivity"]["subsets"] or {}).items():
        if len(results["scores"][subset]) < 2:
            continue
        moved = [
            f"{name} ({', '.join(conditions)})"
            for name, one in policies.items()
            if (conditions := [condition for condition, move in one["largest_move"].items() if move])
        ]
        said = f"changes under {'; '.join(moved)}" if moved else "is the same under every policy"
        yield f"{subset}: the order of the systems {said}."
