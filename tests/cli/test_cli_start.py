"""`squtr --help` is quick: it imports the command line alone, and nothing that does the work."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = {"numpy", "yaml", "pyarrow", "scipy", "soundfile", "onnxruntime", "jinja2", "ray"}


@pytest.mark.parametrize("asked", [["--help"], ["build", "--help"], ["noise", "--help"], ["--version"]])
def test_help_imports_nothing_that_works(asked):
    shown = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "squtr.cli", *asked],
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    imported = {line.rpartition("|")[2].strip() for line in shown.stderr.splitlines()}
    assert "squtr.stopping" in imported
    assert not {name.partition(".")[0] for name in imported} & HEAVY
    own = {name for name in imported if name.startswith("squtr.")}
    assert all(name.startswith("squtr.cli") for name in own - {"squtr.errors", "squtr.stopping"})
