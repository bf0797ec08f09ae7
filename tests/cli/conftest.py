from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from squtr.cli import main
from tests.building import ENGLISH, write_collection, write_recipe

Ran = tuple[int, str, str]


@pytest.fixture
def run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Run the command line in this process; return its exit code and what it printed on both channels."""

    def call(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["squtr", *map(str, arguments)])
        with pytest.raises(SystemExit) as stopped:
            main()
        return int(stopped.value.code or 0), *capsys.readouterr()

    return call


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with a collection and a recipe, which is also where the command runs."""
    write_collection(tmp_path / "en-trial", ENGLISH)
    write_recipe(tmp_path)
    monkeypatch.chdir(tmp_path)
    return tmp_path
