"""The benchmark of scores and error rates runs and measures everything it names."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

SCRIPT = Path(__file__).parents[2] / "benchmarks" / "scoring.py"


def test_a_small_run_measures_every_part() -> None:
    command = [sys.executable, str(SCRIPT), "--queries", "50", "--json", "--alone"]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=120, check=True, cwd=SCRIPT.parents[1]
    )
    found = json.loads(done.stdout.splitlines()[-1])
    assert found["metrics"]["instances"] == 200 and found["error_rates"]["pairs"] == 50
    assert min(found["normaliser_en"]["sentences"], found["normaliser_zh"]["sentences"]) > 500
    assert found["normaliser_en"]["squtr_us"] > 0 and found["normaliser_zh"]["squtr_us"] > 0
