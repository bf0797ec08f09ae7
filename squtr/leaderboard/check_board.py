"""Compare a submission with what is on the board: nothing is changed afterwards, nothing comes twice."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from pathlib import Path

from squtr.digest import digest_file
from squtr.errors import UserError
from squtr.leaderboard.schema import SUBMISSION_FILE, SYSTEM_FILE, TEXT, Submission, System
from squtr.leaderboard.submit import read_system
from squtr.leaderboard.verdict import Check
from squtr.section import check_section


def read_board(board: Path, notes: list[str]) -> Iterator[tuple[Path, System, Submission]]:
    """Yield each submission of a board, by folder name; one that cannot be read is told in `notes`."""
    for path in sorted(board.glob(f"*/{SUBMISSION_FILE}")):
        try:
            found = _read(path)
        except (UserError, OSError) as error:
            notes.append(f"Nothing was compared with {path.parent.name}, which is damaged: {error}")
            continue
        yield path.parent, *found


def _read(path: Path) -> tuple[System, Submission]:
    try:
        plain = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError) as error:
        raise UserError(f"{path}: no JSON ({error}). Restore it.") from None
    return read_system(path.parent / SYSTEM_FILE), check_section(Submission, plain, str(path))


def check_board(
    folder: Path, system: System, submission: Submission, board: Path, check: Check, notes: list[str]
) -> None:
    """Refuse a changed submission, runs that another has, and a name that another goes by."""
    mine = _rankings(submission)
    for place, other_system, other in read_board(board, notes):
        if place.resolve() == folder.resolve():
            continue
        if other.id == submission.id:
            if digest_file(place / SUBMISSION_FILE) != digest_file(folder / SUBMISSION_FILE):
                check.refuse(
                    submission.id,
                    "is on the board with other contents; a submission never changes",
                    "Submit the new one under a name of its own, such as one with a version.",
                )
            continue
        if _folded(other_system.name) == _folded(system.name):
            check.refuse(submission.id, f"goes by the name of {other.id}", "Choose a name of its own.")
        if mine and mine == _rankings(other):
            check.refuse(
                submission.id,
                f"has the rankings of {other.id}, document for document, under every spoken condition",
                "A system stands on the board once. If they are two, say how they differ in an issue.",
            )


def _rankings(submission: Submission) -> dict[tuple[str, str], str]:
    """Return the digests of the spoken runs, or of text if that is all: cascades share their run on it."""
    found = {cell: submission.scores[cell[0]][cell[1]].ranking for cell in submission.cells}
    return {cell: one for cell, one in found.items() if cell[1] != TEXT} or found


def _folded(name: str) -> str:
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())
