"""The scale benchmark runs at any size. Its figures are for people to read; no test is timed."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = Path(__file__).resolve().parents[2] / "benchmarks" / "scale.py"


@pytest.mark.skipif(not Path("/proc/self/statm").exists(), reason="reads memory from /proc")
def test_a_small_run_has_all_figures(tmp_path):
    run = subprocess.run(
        [sys.executable, SCRIPT, "--queries", "60", "--out", tmp_path, "--json"],
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout)
    assert found["instances"] == 240
    assert found["accepted"] == 60
    assert found["files"] > 240
    assert found["again_computed"] == 0
    assert found["same_as_uninterrupted"]
    assert found["resumed_reused"] > 0
    for name in ("wall_ms", "cpu_ms", "outside_stages_ms", "peak_mb", "growth", "again_seconds"):
        assert found[name] > 0, name
    assert len(found["mb_by_tenth"]) == 11
    assert list(found["targets"]) == ["wall_ms", "peak_mb", "growth", "resume_seconds"]
    assert list(tmp_path.iterdir()) == []
