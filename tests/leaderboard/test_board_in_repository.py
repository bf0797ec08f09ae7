"""The board as it lies in the repository: every submission on it is accepted beside all the others."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from squtr.leaderboard.validate import validate
from tests.leaderboard.making import refusals

BOARD = Path(__file__).resolve().parents[2] / "leaderboard" / "submissions"
FOLDERS = sorted(path for path in BOARD.iterdir() if path.is_dir())
_FROM_A_MACHINE = re.compile(rb"(?:^|[\s\"'=:])(?:/(?:home|root|tmp|work|Users|mnt|opt|usr)/|[A-Z]:\\)")


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_every_submission_is_accepted(folder: Path) -> None:
    verdict = validate(folder, None, BOARD)
    assert verdict.accepted, refusals(verdict)
    assert verdict.id == folder.name


def test_the_board_has_its_first_entries_and_a_readme() -> None:
    said = (BOARD / "README.md").read_text()
    assert FOLDERS
    assert {path.name for path in FOLDERS} == set(re.findall(r"^\| `([\w.-]+)`", said, re.MULTILINE))


@pytest.mark.parametrize("folder", FOLDERS, ids=lambda folder: folder.name)
def test_no_submission_holds_a_path_of_a_machine(folder: Path) -> None:
    for path in (folder / "submission.json", folder / "system.yaml"):
        assert not _FROM_A_MACHINE.search(path.read_bytes()), path
