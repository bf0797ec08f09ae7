"""Build: a recipe gives a data set on disk, the same bytes every time."""

from __future__ import annotations

import json
import time
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from squtr.collection import Remembered
from squtr.data_build.assemble import Assembly
from squtr.data_build.card import CARD, write_card
from squtr.data_build.check import Checked, check
from squtr.data_build.folder import WORK, claimed, refuse_file_as_cache
from squtr.data_build.journal import Journal
from squtr.data_build.seal import sealed
from squtr.digest import digest_file
from squtr.engines import StartEngine
from squtr.environment import environment
from squtr.languages import language_row
from squtr.progress import Reporter
from squtr.recipe import Recipe
from squtr.stage import Runner
from squtr.store import open_own_store, open_store, write_atomic

_COLLECTIONS = "collections.json"
_MODEL_STAGES = ("speak", "transcribe", "judge")


@dataclass
class Summary:
    """What a build did, for the person who ran it."""

    queries: int = 0
    utterances: int = 0
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
    stage_seconds: dict[str, float] = field(default_factory=dict)

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
    refuse_file_as_cache(cache)
    remembered = Remembered(out / WORK / _COLLECTIONS)
    checked = check(recipe, base, remembered)
    queries = checked.selection.queries
    summary = Summary(queries, queries * (1 + len(recipe.channels)))
    with ExitStack() as stack:
        work = stack.enter_context(claimed(out, checked.identity))
        remembered.write(work / _COLLECTIONS)
        store = stack.enter_context(open_store(cache) if cache else open_own_store(work))
        engine = start_engine()
        stack.callback(engine.close)
        summary.workers = engine.workers
        runner = Runner(store, engine, progress, recipe.resources)
        for oddity in checked.selection.oddities():
            progress.note(oddity)
        _write(checked, out, runner, Journal(out, work, _made_by(checked)), summary)
        summary.wall_seconds = time.perf_counter() - started
        summary.model_seconds = runner.seconds(*_MODEL_STAGES)
        summary.stage_seconds = {name: tally.stage_seconds for name, tally in runner.tallies.items()}
        summary.computed = {name: tally.done for name, tally in runner.tallies.items()}
        summary.reused = {name: tally.reused for name, tally in runner.tallies.items()}
        summary.crashed = {name: tally.crashed for name, tally in runner.tallies.items() if tally.crashed}
        write_atomic(work / "last-run.json", json.dumps(vars(summary), indent=1))
    return summary


def _made_by(checked: Checked) -> dict[str, Any]:
    """Return what decides every row: recipe, inputs, engines, languages, versions of packages."""
    rows = {code: language_row(code).model_dump() for code in checked.recipe.languages}
    versions = {name: value for name, value in environment().items() if name != "commit"}
    return {
        "identity": checked.identity,
        "stages": checked.description["stages"],
        "languages": rows,
        "versions": versions,
    }


def _write(checked: Checked, out: Path, runner: Runner, journal: Journal, summary: Summary) -> None:
    with Assembly(checked, out, runner, journal) as assembly:
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
        "files": {name: digest_file(out / name) for name in (*checked.recipe.data_files, CARD)},
        "environment": environment(),
    }
    text = json.dumps(sealed(facts), ensure_ascii=False, indent=1, allow_nan=False)
    write_atomic(out / "build.json", f"{text}\n")
