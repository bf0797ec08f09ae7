"""A build killed at any moment goes on where it was, and ends in the same bytes."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from pathlib import Path

import pytest

from tests.building import ENGLISH, build, files, start, wait_for, write_trial
from tests.killer import renames

QUERIES = {**ENGLISH, "q5": "fog fog in the fog"}
ITEMS = {"speak": 10, "transcribe": 10, "judge": 4, "mix": 13}


def stored(out: Path) -> dict[str, int]:
    """Count the records that survived, by stage."""
    index = out / ".squtr" / "index.sqlite"
    if not index.exists():
        return dict.fromkeys(ITEMS, 0)
    with sqlite3.connect(index) as connection:
        found = dict(connection.execute("SELECT stage, count(*) FROM record GROUP BY stage").fetchall())
    return {stage: found.get(stage, 0) for stage in ITEMS}


def points(recipe: Path, out: Path) -> tuple[list[str], list[str]]:
    """Return kill points spread over a whole build, and the names its renames gave."""
    names: list[str] = []
    renames(recipe, out, lambda count, when, path: names.append(path.name) if when == "after" else None)
    final = [number for number, name in enumerate(names) if name.endswith((".jsonl", ".parquet", ".md"))]
    spread = sorted({*range(0, len(names), 7), *final[::2], len(names) - 1})
    return [f"{when}-{number}" for number in spread for when in ("before", "after")], names


def order(point: str) -> tuple[int, bool]:
    when, _, number = point.partition("-")
    return int(number), when == "after"


@pytest.mark.skipif(not hasattr(os, "fork"), reason="forks the builds that are killed")
def test_c49_kill_at_any_moment_then_go_on(tmp_path):
    recipe = write_trial(tmp_path, QUERIES)
    where, names = points(recipe, tmp_path / "whole")
    expected = files(tmp_path / "whole")
    assert sum(name.endswith(".wav") for name in names) == ITEMS["mix"]
    assert len(where) >= 20
    subprocess.run(
        [sys.executable, "-m", "tests.killer", recipe, tmp_path / "killed", *where], check=True, timeout=120
    )
    kept = []
    for point in where:
        out = tmp_path / "killed" / point
        before = stored(out)
        kept.append(sum(before.values()))
        assert (out / "build.json").exists() == (order(point) > order(f"before-{names.index('build.json')}"))
        written = len(list(out.glob("*/*/audio_*/*.wav")))
        summary = build(recipe, out)
        assert files(out) == expected, point
        assert summary.computed == {stage: ITEMS[stage] - before[stage] for stage in ITEMS}, point
        assert written - before["mix"] in (0, 1), point
    assert kept == sorted(kept)
    assert kept[0] == 0
    assert kept[-1] == sum(ITEMS.values())


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except (FileNotFoundError, ProcessLookupError):
        return False
    return state not in "ZX"


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="reads process states from /proc")
@pytest.mark.parametrize(("kind", "count"), [("*.squtr/packs/*.pcm", 3), ("*/*/audio_*/*.wav", 4)])
def test_c49_kill_with_two_workers(tmp_path, kind, count):
    log, out = tmp_path / "calls", tmp_path / "out"
    recipe = write_trial(tmp_path, QUERIES)
    process = start(recipe, out, 2, TONE_LOG=log, TONE_SLEEP=0.05, HUM_SLEEP=0.05)
    wait_for(lambda: len(list(out.glob(kind))) >= count)
    os.kill(process.pid, signal.SIGKILL)
    process.wait(timeout=20)
    workers = {int(line) for line in log.read_text().split()}
    assert workers and process.pid not in workers
    wait_for(lambda: not any(map(is_running, workers)), 20)
    before = stored(out)
    summary = build(recipe, out)
    assert summary.computed == {stage: ITEMS[stage] - before[stage] for stage in ITEMS}
    assert len(log.read_text().split()) <= before["speak"] + 4
    build(recipe, tmp_path / "whole")
    assert files(out) == files(tmp_path / "whole")
