"""The workflow and the README: the script runs as written, the example is valid."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import yaml

from squtr.leaderboard.kept_data import keep_data
from squtr.leaderboard.submit import read_system
from tests.leaderboard.making import OVERLAP, edit_run, packed

ROOT = Path(__file__).resolve().parents[2]


def workflow() -> dict[Any, Any]:
    return yaml.safe_load((ROOT / "leaderboard" / "workflow.yml").read_text())


def script() -> str:
    steps = workflow()["jobs"]["validate"]["steps"]
    return next(step["run"] for step in steps if step.get("name") == "Validate what changed")


def run_script(place: Path) -> tuple[int, str]:
    tools = place / "tools"
    tools.mkdir(exist_ok=True)
    shim = tools / "squtr"
    shim.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m squtr.cli "$@"\n')
    shim.chmod(0o755)
    summary = place / "summary.md"
    summary.write_text("")
    environment = {"PATH": f"{tools}{os.pathsep}{os.environ['PATH']}", "GITHUB_STEP_SUMMARY": str(summary)}
    done = subprocess.run(
        ["bash", "-e", "-c", script()],
        cwd=place,
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        timeout=300,
    )
    return done.returncode, summary.read_text()


def test_runs_no_code_of_the_pull_request_and_may_only_read() -> None:
    found = workflow()
    assert found["permissions"] == {"contents": "read"}
    assert list(found[True]) == ["pull_request"]
    for step in found["jobs"]["validate"]["steps"]:
        assert "${{" not in step.get("run", "")
        assert "merged" not in step.get("run", "") or step["name"] == "Validate what changed"


def test_the_script_judges_what_changed_and_nothing_else(
    submission: Path, evaluation: Path, data: Path, tmp_path: Path
) -> None:
    base, merged = (tmp_path / name / "leaderboard" / "submissions" for name in ("base", "merged"))
    shutil.copytree(submission, base / "tones-and-words")
    keep_data(data, base.parent / "datasets")
    shutil.copytree(base, merged)
    (merged / "README.md").write_text("what lies here")
    assert run_script(tmp_path) == (0, "")
    text = packed(evaluation, tmp_path / "text", OVERLAP, name="Text", family="oracle-text", recogniser=None)
    shutil.copytree(text, merged / "text")
    status, summary = run_script(tmp_path)
    assert status == 0, summary
    assert "### Text: accepted" in summary and "tones" not in summary
    edit_run(merged / "tones-and-words", lambda rows: rows.clear())
    status, summary = run_script(tmp_path)
    assert status == 1
    assert "### Tones and words: refused" in summary and "on the board with other contents" in summary
    shutil.rmtree(merged / "tones-and-words")
    status, summary = run_script(tmp_path)
    assert status == 1 and "was taken away" in summary


def test_the_example_of_the_readme_is_valid(tmp_path: Path) -> None:
    readme = (ROOT / "leaderboard" / "README.md").read_text()
    block = re.search(r"```yaml\n(.*?)```", readme, re.DOTALL)
    assert block is not None
    (tmp_path / "system.yaml").write_text(block[1].replace("\n   ", "\n").removeprefix("   "))
    assert read_system(tmp_path / "system.yaml").family == "cascade-bm25"
