"""A build of the published size with engines that cost next to nothing: what is left is bookkeeping.

Builds from end to end, then once more with nothing to do; then anew, killed with -9 at 60 % and at 97 % and
started again, and compares the two data sets. Each build is the command line in a process of its own; /proc
tells its memory, the engines' calls how far it is. The full size takes 5 GB in --out, removed at the end.

Run: python benchmarks/scale.py --out FOLDER [--queries 37317] [--workers 1] [--json]
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

HERE = Path(__file__).resolve().parent
ENGINES = HERE / "free"
# This file's folder would come first, where names of standard modules may stand.
sys.path[0] = str(ENGINES)

from free_engines import CONDITIONS, QUERIES, write_inputs  # noqa: E402

KILLS = (0.60, 0.97)
TARGETS = {"wall_ms": 3.0, "peak_mb": 1500.0, "growth": 1.1, "resume_seconds": 10.0}
_POLL_SECONDS = 0.02
_PAGE = os.sysconf("SC_PAGE_SIZE")


@dataclass
class Run:
    """One process: its seconds, its memory in MB by calls made, and what --json printed.

    Of two looks at the memory the lower counts: between fork and exec a child seems as large as its parent.
    """

    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0
    first_call_seconds: float | None = None
    memory: list[tuple[int, float]] = field(default_factory=list)
    told: dict[str, Any] = field(default_factory=dict)

    def peaks(self) -> list[float]:
        """Return the peak of the memory in each tenth of the calls, and after the last of them."""
        found = [0.0] * 11
        for made, mb in self.memory:
            tenth = 10 * made // max(1, self.memory[-1][0])
            found[tenth] = max(found[tenth], mb)
        return [round(mb, 1) for mb in found]


class Bench:
    """A recipe on free engines, and runs of it."""

    def __init__(self, folder: Path, queries: int, workers: int) -> None:
        self._folder, self._workers = folder, workers
        self._calls, self._printed = folder / "calls", folder / "printed"
        self._recipe = write_inputs(folder / "inputs", queries)

    def run(self, out: Path, kill_at: float = float("inf")) -> Run:
        """Build into `out`; killed as soon as `kill_at` calls were made, counting those of earlier runs."""
        before, began, used = self.calls(), time.perf_counter(), os.times()
        process, run, last = self._start(out), Run(), 0.0
        while process.poll() is None:
            time.sleep(_POLL_SECONDS)
            made, now_mb = self.calls(), tree_mb(process.pid)
            run.memory.append((made, min(last, now_mb)))
            last = now_mb
            if made > before and run.first_call_seconds is None:
                run.first_call_seconds = time.perf_counter() - began
            if made >= kill_at:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                return run
        run.wall_seconds, now = time.perf_counter() - began, os.times()
        run.cpu_seconds = now.children_user + now.children_system - used.children_user - used.children_system
        printed = self._printed.read_text(encoding="utf-8")
        if process.returncode:
            sys.exit(f"The build failed:\n{printed}")
        run.told = json.loads(printed.splitlines()[-1])
        return run

    def calls(self) -> int:
        return self._calls.stat().st_size if self._calls.exists() else 0

    def count_anew(self) -> None:
        self._calls.unlink()

    def _start(self, out: Path) -> subprocess.Popen[bytes]:
        paths = filter(None, [str(ENGINES), str(HERE.parent), os.environ.get("PYTHONPATH")])
        ours = {"FREE_ENGINES_LOG": str(self._calls), "PYTHONPATH": os.pathsep.join(paths)}
        options = ["--out", str(out), "--workers", str(self._workers), "--json"]
        with self._printed.open("wb") as printed:
            return subprocess.Popen(
                [sys.executable, "-m", "squtr.cli", "build", str(self._recipe), *options],
                stdout=printed,
                stderr=subprocess.STDOUT,
                start_new_session=True,
                env={**os.environ, **ours},
            )


def tree_mb(process: int) -> float:
    """Return the resident memory of a process and its children, MB."""
    pages, waiting = 0, [process]
    while waiting:
        one = waiting.pop()
        try:
            pages += int(Path(f"/proc/{one}/statm").read_text().split()[1])
            waiting += map(int, Path(f"/proc/{one}/task/{one}/children").read_text().split())
        except OSError:
            continue
    return pages * _PAGE / 1e6


def measure(folder: Path, queries: int, workers: int) -> dict[str, Any]:
    """Return all figures. Leaves nothing in `folder`."""
    work, instances = folder / "squtr-scale", queries * CONDITIONS
    shutil.rmtree(work, ignore_errors=True)
    try:
        bench, out = Bench(work, queries, workers), work / "data"
        whole, all_calls = bench.run(out), bench.calls()
        again = bench.run(out)
        expected, files = _tables(out), sum(len(names) for _, _, names in os.walk(out))
        shutil.rmtree(out)
        bench.count_anew()
        first, second = (round(share * all_calls) for share in KILLS)
        bench.run(out, first)
        early = bench.run(out, second)
        late = bench.run(out)
        same = _tables(out) == expected
    finally:
        shutil.rmtree(work, ignore_errors=True)
    inside = sum(whole.told["stage_seconds"].values()) / workers
    return {
        "queries": queries,
        "instances": instances,
        "workers": workers,
        "accepted": whole.told["accepted"],
        "files": files,
        "wall_seconds": whole.wall_seconds,
        "wall_ms": 1e3 * whole.wall_seconds / instances,
        "cpu_ms": 1e3 * whole.cpu_seconds / instances,
        "outside_stages_ms": 1e3 * (whole.wall_seconds - inside) / instances,
        "stage_seconds": whole.told["stage_seconds"],
        "mb_by_tenth": whole.peaks(),
        "peak_mb": max(max(run.peaks()) for run in (whole, again, early, late)),
        "growth": max(whole.peaks()[1:10]) / whole.peaks()[0],
        "again_seconds": again.wall_seconds,
        "again_computed": sum(again.told["computed"].values()),
        "resume_seconds": {KILLS[0]: early.first_call_seconds, KILLS[1]: late.first_call_seconds},
        "resumed_reused": sum(late.told["reused"].values()),
        "resumed_computed": sum(late.told["computed"].values()),
        "same_as_uninterrupted": same,
        "load_average": os.getloadavg()[1],
        "targets": TARGETS,
    }


def _tables(out: Path) -> dict[str, str]:
    """Return the digests of all tables; the manifest's rows hold those of the audio."""
    found: dict[str, str] = json.loads((out / "build.json").read_text(encoding="utf-8"))["files"]
    return found


def show(found: dict[str, Any]) -> None:
    """Print what was measured, targets beside it."""
    print(
        f"{found['queries']:,} queries, {found['instances']:,} instances, {found['workers']} workers:"
        f" {found['accepted']:,} queries accepted, {found['files']:,} files; load average"
        f" {found['load_average']:.1f}"
    )
    stages = ", ".join(f"{name} {seconds:.0f} s" for name, seconds in found["stage_seconds"].items())
    rows = [
        ("whole build", f"{found['wall_seconds']:.0f} s; in stages: {stages}", ""),
        ("an instance, all of it", f"{found['wall_ms']:.2f} ms", f"< {TARGETS['wall_ms']:g} ms"),
        ("  of it outside stages", f"{found['outside_stages_ms']:.2f} ms", ""),
        ("  in CPU time", f"{found['cpu_ms']:.2f} ms", ""),
        ("memory, peak by tenths and end", ", ".join(f"{mb:.0f}" for mb in found["mb_by_tenth"]) + " MB", ""),
        ("  peak of all runs", f"{found['peak_mb']:.0f} MB", f"< {TARGETS['peak_mb']:g} MB"),
        ("  peak from 10 to 100 % / before", f"{found['growth']:.2f}", f"< {TARGETS['growth']:g}"),
        ("nothing to do", f"{found['again_seconds']:.1f} s, {found['again_computed']} computed", ""),
    ]
    rows += [
        (f"killed at {share:.0%}: first new call", f"{seconds:.1f} s", f"< {TARGETS['resume_seconds']:g} s")
        for share, seconds in found["resume_seconds"].items()
        if seconds is not None
    ]
    reused, computed = found["resumed_reused"], found["resumed_computed"]
    rows.append(("  last run", f"{reused:,} results reused, {computed:,} computed", ""))
    rows.append(("  same as uninterrupted", str(found["same_as_uninterrupted"]), "True"))
    for name, value, target in rows:
        print(f"{name:35} {value:66} {target}".rstrip())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True, help="a folder with room; left as it was")
    parser.add_argument("--queries", type=int, default=QUERIES)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    found = measure(options.out.resolve(), options.queries, options.workers)
    print(json.dumps(found)) if options.json else show(found)


if __name__ == "__main__":
    main()
