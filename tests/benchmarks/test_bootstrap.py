"""The benchmark of the statistics runs and measures everything it names."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "bootstrap.py"


def test_a_small_run_measures_every_part() -> None:
    command = [sys.executable, str(SCRIPT), "--queries", "60", "--systems", "2", "--json"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=True, cwd=SCRIPT.parents[1]
    )
    found = json.loads(done.stdout)
    assert (found["queries"], found["instances"], found["pairs"]) == (60, 240, 25)
    assert all(
        found[f"{part}_s"] > 0 for part in ("instances", "resampling", "comparisons", "naive", "costs")
    )
