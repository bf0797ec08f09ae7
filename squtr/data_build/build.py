"""Build: a recipe gives a data set on disk, the same bytes every time."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from squtr.data_build.assemble import Assembly
from squtr.data_build.card import write_card
from squtr.data_build.check import Checked, check
from squtr.data_build.folder import claimed
from squtr.engines import Engine, local_engine
from squtr.environment import environment
from squtr.progress import Reporter
from squtr.recipe import Recipe
from squtr.stage import Tally, run_stage
from squtr.store import Store, open_store, write_atomic

_MODEL_STAGES = ("speak", "transcribe", "judge")


@dataclass
class Summary:
    """What a build did, for the person who ran it."""

    queries: int = 0
    accepted: int = 0
    rejected: dict[str, int] = field(default_factory=dict)
    recordings: int = 0
    seconds_of_audio: float = 0.0
    largest_snr_error_db: float = 0.0
    wall_seconds: float = 0.0
    model_seconds: float = 0.0
    workers: int = 1
    computed: dict[str, int] = field(default_factory=dict)
    reused: dict[str, int] = field(default_factory=dict)

    @property
    def model_share(self) -> float:
        """Seconds inside model stages over the seconds the workers had."""
        return self.model_seconds / max(self.wall_seconds * self.workers, 1e-9)


def build(
    recipe: Recipe, base: Path, out: Path, *, workers: int, cache: Path | None, progress: Reporter
) -> Summary:
    """Build the data set of `recipe` in `out`; go on where an earlier run was stopped.

    Paths in the recipe start from `base`. `cache` is a store other builds may share; without it the
    store lies in `out`. Raises UserError before any work for whatever is wrong with the set-up.
    """
    started = time.perf_counter()
    checked = check(recipe, base)
    summary = Summary(queries=checked.selection.queries, workers=workers)
    with ExitStack() as stack:
        work = stack.enter_context(claimed(out, checked.identity))
        store = stack.enter_context(open_store(cache or work))
        engine = local_engine(workers)
        stack.callback(engine.close)
        runner = _Runner(store, engine, progress)
        _write(checked, out, runner, summary)
        summary.wall_seconds = time.perf_counter() - started
        runner.account(summary)
        write_atomic(work / "last-run.json", json.dumps(vars(summary), indent=1))
    return summary


class _Runner:
    """Runs stages for one build and keeps their tallies."""

    def __init__(self, store: Store, engine: Engine, progress: Reporter) -> None:
        self._store, self._engine, self._progress = store, engine, progress
        self._totals: dict[str, int] = {}
        self.tallies: dict[str, Tally] = {}

    def run(self, stage: Any, items: Sequence[Any]) -> list[dict[str, Any]]:
        """Run one stage over items."""
        self._expect(stage.name, len(items))
        tally = self.tallies.setdefault(stage.name, Tally())
        advance = self._advancer(stage.name)
        still_there = getattr(stage, "is_written", lambda item: True)
        return run_stage(stage, items, self._store, self._engine, tally, advance, still_there)

    def account(self, summary: Summary) -> None:
        """Put the tallies into the summary."""
        for name, tally in self.tallies.items():
            summary.computed[name], summary.reused[name] = tally.done, tally.reused
        summary.model_seconds = sum(
            self.tallies[name].stage_seconds for name in _MODEL_STAGES if name in self.tallies
        )

    def _expect(self, stage: str, count: int) -> None:
        self._totals[stage] = self._totals.get(stage, 0) + count
        self._progress.total(stage, self._totals[stage])

    def _advancer(self, stage: str) -> Callable[[int], None]:
        return lambda count: self._progress.advance(stage, count)


def _write(checked: Checked, out: Path, runner: _Runner, summary: Summary) -> None:
    with Assembly(checked, out, runner.run) as assembly:
        for collection, planned in checked.selection.pairs():
            assembly.add_subset(collection, planned)
        assembly.finish()
    for name, value in vars(assembly.counts).items():
        setattr(summary, name, value)
    write_card(out, checked, assembly.counts)
    facts = {
        "identity": checked.identity,
        "counts": vars(assembly.counts),
        **checked.description,
        "environment": environment(),
    }
    write_atomic(out / "build.json", json.dumps(facts, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
