"""Build: a recipe gives a data set on disk, the same bytes every time."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path

from squtr.data_build.assemble import Assembly
from squtr.data_build.card import write_card
from squtr.data_build.check import Checked, check
from squtr.data_build.folder import claimed
from squtr.digest import digest_file
from squtr.engines import StartEngine
from squtr.environment import environment
from squtr.progress import Reporter
from squtr.recipe import Recipe
from squtr.stage import Runner
from squtr.store import open_store, write_atomic

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
    crashed: dict[str, int] = field(default_factory=dict)

    @property
    def model_share(self) -> float:
        """Seconds inside model stages over the seconds the workers had."""
        return self.model_seconds / max(self.wall_seconds * self.workers, 1e-9)


def build(
    recipe: Recipe,
    base: Path,
    out: Path,
    *,
    start_engine: StartEngine,
    cache: Path | None,
    progress: Reporter,
) -> Summary:
    """Build the data set of `recipe` in `out`; go on where an earlier run was stopped.

    Paths in the recipe start from `base`. `cache` is a store other builds may share; without it the
    store lies in `out`. Raises UserError before any work for whatever is wrong with the set-up.
    """
    started = time.perf_counter()
    checked = check(recipe, base)
    summary = Summary(queries=checked.selection.queries)
    with ExitStack() as stack:
        work = stack.enter_context(claimed(out, checked.identity))
        store = stack.enter_context(open_store(cache or work))
        engine = start_engine()
        stack.callback(engine.close)
        summary.workers = engine.workers
        runner = Runner(store, engine, progress, recipe.resources)
        for oddity in checked.selection.oddities():
            progress.note(oddity)
        _write(checked, out, runner, summary)
        summary.wall_seconds = time.perf_counter() - started
        summary.model_seconds = runner.seconds(*_MODEL_STAGES)
        summary.computed = {name: tally.done for name, tally in runner.tallies.items()}
        summary.reused = {name: tally.reused for name, tally in runner.tallies.items()}
        summary.crashed = {name: tally.crashed for name, tally in runner.tallies.items() if tally.crashed}
        write_atomic(work / "last-run.json", json.dumps(vars(summary), indent=1))
    return summary


def _write(checked: Checked, out: Path, runner: Runner, summary: Summary) -> None:
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
        "files": {name: digest_file(out / name) for name in checked.recipe.data_files},
        "environment": environment(),
    }
    write_atomic(out / "build.json", json.dumps(facts, ensure_ascii=False, indent=1, allow_nan=False) + "\n")
