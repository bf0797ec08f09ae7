"""The same results give the same bytes, in any process and under any settings of matplotlib."""

from __future__ import annotations

import hashlib
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import matplotlib
from report_data import report

AGAIN = """
import hashlib, sys
from pathlib import Path
from report_data import evaluated, report
folder = Path(sys.argv[1])
results, runs = evaluated(folder / "data", lost=("empty", "failed"))
print(hashlib.sha256(report(folder, results, runs, sys.argv[2]).encode()).hexdigest())
"""


def test_two_writes_are_equal(tmp_path: Path, small: Any, text: str) -> None:
    assert report(tmp_path, *small) == text


def test_matplotlib_settings_of_the_user_change_nothing(tmp_path: Path, small: Any, text: str) -> None:
    with matplotlib.rc_context({"font.size": 30, "axes.grid": False, "svg.fonttype": "path"}):
        assert report(tmp_path, *small) == text
        assert matplotlib.rcParams["font.size"] == 30


def test_two_processes_write_the_same(tmp_path: Path) -> None:
    from report_data import write_dataset

    write_dataset(tmp_path / "data")
    digests = []
    for salt in ("1", "2"):
        path = os.pathsep.join([str(Path(__file__).parent), *sys.path])
        done = subprocess.run(
            [sys.executable, "-c", AGAIN, str(tmp_path), f"{salt}.html"],
            env={**os.environ, "PYTHONHASHSEED": salt, "PYTHONPATH": path},
            capture_output=True,
            text=True,
            check=True,
        )
        digests.append(done.stdout.strip())
    assert digests[0] == digests[1]
    assert digests[0] == hashlib.sha256((tmp_path / "1.html").read_bytes()).hexdigest()


def test_no_date_and_no_place_of_this_machine(text: str, path: Path) -> None:
    without_audio = re.sub(r"data:audio/mpeg;base64,[^\"]*", "", text)
    assert not re.search(r"\b20\d\d-\d\d-\d\d\b|\d\d:\d\d:\d\d", without_audio)
    assert "<metadata" not in without_audio and "Matplotlib" not in without_audio
    assert str(Path.home()) not in without_audio and str(path.parent) not in without_audio
    assert str(Path(__file__).resolve().parents[2]) not in without_audio
