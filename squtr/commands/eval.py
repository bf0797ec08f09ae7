"""squtr eval."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from squtr.commands.build import cores
from squtr.engines import engine_starter
from squtr.eval.evaluate import DEFAULT_RECOGNISER, DEFAULT_RETRIEVERS, Settings, evaluate
from squtr.progress import reporter


def run_eval(
    dataset: Path,
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
) -> tuple[dict[str, Any], Path]:
    """Evaluate a data set; without `out` the results go beside it."""
    first, *more = [recognisers] if isinstance(recognisers, str) else recognisers or [DEFAULT_RECOGNISER]
    place = out or Path(f"{dataset.resolve()}-eval")
    settings = Settings(
        first,
        tuple(retrievers or DEFAULT_RETRIEVERS),
        sensitivity=sensitivity,
        end_to_end=tuple(end_to_end or ()),
        more_recognisers=tuple(more),
    )
    start_engine = engine_starter(engine, workers or cores(), ray_address)
    with reporter() as progress:
        found = evaluate(
            dataset,
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
        console.print(_table(results, subset))
    for line in (*_sliced(results), *_failures(results), *_moves(results)):
        console.print(line, markup=False, highlight=False)
    timing = results["timing"]
    share = timing["model_seconds"] / (timing["wall_seconds"] * timing["workers"])
    console.print(
        f"{timing['wall_seconds']:.1f} s on {timing['workers']} workers, {share:.0%} of it in models."
    )
    console.print(f"Report: {out / 'report.html'}", soft_wrap=True)


def _table(results: dict[str, Any], subset: str) -> Table:
    facts = results["dataset"]["subsets"][subset]
    table = Table(
        title=f"{subset}: {results['main_measure']}, {facts['judged_queries']} queries", title_justify="left"
    )
    table.add_column("system")
    for condition in results["conditions"]:
        table.add_column(condition, justify="right")
    for system, conditions in results["scores"][subset].items():
        table.add_row(system, *(_score(results, conditions.get(name)) for name in results["conditions"]))
    table.add_section()
    for spec, found in _recognition(results).items():
        rates, times = found[subset], results["timing"]["recognition"][spec][subset]
        name = next(iter(rates.values()))["name"]
        table.add_row(f"{name}, {spec}", *(_rate(rates.get(one)) for one in results["conditions"]))
        if any(time["computed"] for time in times.values()):
            table.add_row("  x real time", *(_factor(times.get(one)) for one in results["conditions"]))
    return table


def _recognition(results: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """Return {recogniser: {subset: {condition: what it gave}}}."""
    others = {spec: found["recognition"] for spec, found in results["other_recognisers"].items()}
    return {results["settings"]["recogniser"]: results["recognition"], **others}


def _factor(cost: dict[str, Any] | None) -> str:
    if cost is None or cost["real_time_factor"] is None:
        return "-"
    return f"{cost['real_time_factor']:.2g}"


def _score(results: dict[str, Any], cell: dict[str, Any] | None) -> str:
    if cell is None:
        return "-"
    interval = cell["measures"][results["main_measure"]]
    half = (interval["high"] - interval["low"]) / 2
    return f"{interval['mean']:.4f} ±{half:.2f}"


def _rate(recognition: dict[str, Any] | None) -> str:
    if recognition is None or recognition["clean"]["rate"] is None:
        return "-"
    return f"{recognition['clean']['rate']:.1%}"


def _failures(results: dict[str, Any]) -> Iterator[str]:
    for spec, found in _recognition(results).items():
        by = f" with {spec}" if results["other_recognisers"] else ""
        for subset, conditions in found.items():
            for condition, said in conditions.items():
                if said["failed"]:
                    yield (
                        f"{subset} {condition}: {said['failed']} recordings failed{by}; they score 0 and are"
                        f" left out of the {said['name']} (reasons: transcripts/{subset}, {condition}.jsonl)."
                    )
    for subset, systems in results["end_to_end"].items():
        for system, by_condition in systems.items():
            for condition, said in by_condition.items():
                if said["failed"]:
                    reason = max(said["reasons"], key=said["reasons"].__getitem__)
                    yield f"{subset} {condition}: {system} embedded all but {said['failed']}: {reason}."


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
