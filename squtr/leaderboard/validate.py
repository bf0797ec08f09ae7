"""Validate a submission: the checks in their order, each only on what those before it found sound."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from squtr.content import content
from squtr.errors import UserError
from squtr.leaderboard.board_data import BoardData
from squtr.leaderboard.check_board import check_board
from squtr.leaderboard.check_data import check_data
from squtr.leaderboard.check_files import check_digests, check_facts, check_names, check_tree
from squtr.leaderboard.check_runs import ReadRun, Rules, check_run
from squtr.leaderboard.check_scores import check_scores
from squtr.leaderboard.check_transcripts import check_transcripts
from squtr.leaderboard.kept_data import DATA_FILE, read_board_data
from squtr.leaderboard.schema import TEXT, Submission, System, run_name, transcript_name
from squtr.leaderboard.unpack import SUFFIXES, Refused, told, unpack
from squtr.leaderboard.verdict import Verdict


def validate(path: Path, data: Path | None = None, board: Path | None = None) -> Verdict:
    """Check a submission: a folder, or a .zip or .tar.gz of one.

    `data` is a data set folder, or what a board keeps of one; without it every data set in `datasets/` beside
    the board's submissions is tried, or those that squtr brings along. Raises UserError for a call that
    cannot be carried out; what is wrong with the submission is in the verdict.
    """
    return validate_among(path, offered_data(data, board), board)


def validate_among(path: Path, offered: Sequence[BoardData], board: Path | None) -> Verdict:
    """Check a submission against data sets that were read already; see `validate`."""
    verdict = Verdict(str(path))
    if path.is_symlink():
        verdict["files"].refuse(path.name, "is a symbolic link", "Name the folder that it points to.")
        return verdict
    if path.is_dir():
        _check(path, offered, board, verdict)
        return verdict
    if not path.is_file() or not path.name.endswith(SUFFIXES):
        raise UserError(f"{path}: no such folder, and no archive ({', '.join(SUFFIXES)}) of a submission.")
    with tempfile.TemporaryDirectory(prefix="squtr-submission-") as place:
        try:
            folder = unpack(path, Path(place))
        except Refused as refused:
            where, what = told(refused, path)
            verdict["files"].refuse(where, what, "Pack the folder that squtr leaderboard submit wrote.")
            return verdict
        _check(folder, offered, board, verdict)
    return verdict


def offered_data(data: Path | None, board: Path | None) -> list[BoardData]:
    """Return the data sets that a submission may be of. Raises UserError where there is none."""
    if board is not None:
        check_is_board(board)
    if data is not None:
        return [read_board_data(data)]
    root = board.resolve().parent / "datasets" if board is not None else content("leaderboard", "datasets")
    found = [read_board_data(file.parent) for file in sorted(root.glob(f"*/{DATA_FILE}"))]
    if not found:
        raise UserError(
            f"{root}: no data set in it. Name one by --data; squtr leaderboard dataset keeps one here."
        )
    return found


def check_is_board(board: Path) -> None:
    """Raise UserError for what is no folder of submissions, but none or the one above."""
    if not board.is_dir():
        raise UserError(f"{board}: no such folder. --board is the folder that holds the submissions.")
    if (inner := board / "submissions").is_dir():
        raise UserError(f"{board}: is the folder above the submissions. Name {inner}.")


def _check(folder: Path, offered: Sequence[BoardData], board: Path | None, verdict: Verdict) -> None:
    files = check_tree(folder, verdict["files"])
    if verdict["files"].faults:
        return
    system, submission = check_facts(folder, verdict["facts"])
    if submission is not None:
        check_names(submission, files, verdict["files"])
        verdict.id = submission.id
    if not verdict["files"].passed() or not verdict["facts"].passed() or system is None or submission is None:
        return
    verdict.name, verdict.system, verdict.submission = system.name, system, submission
    check_digests(folder, submission, verdict["digests"])
    verdict["digests"].passed()
    data = check_data(submission, system, offered, verdict["data set"], verdict.notes)
    if verdict["data set"].passed() and data is not None:
        verdict.dataset = data.name
        _check_content(folder, system, submission, data, verdict)
    if board is None:
        verdict.notes.append("Without --board nothing was compared with accepted submissions.")
    else:
        check_board(folder, system, submission, board, verdict["board"], verdict.notes)
    verdict["board"].passed()


def _check_content(
    folder: Path, system: System, submission: Submission, data: BoardData, verdict: Verdict
) -> None:
    runs: dict[tuple[str, str], ReadRun] = {}
    for key, condition in submission.cells:
        subset, name = data.subsets[key], run_name(key, condition)
        unanswered = frozenset(submission.scores[key][condition].unanswered)
        rules = Rules(subset, submission.depth, system.family == "cascade-bm25", unanswered)
        runs[key, condition] = check_run(folder / name, name, rules, verdict["runs"])
        if submission.has_transcripts and condition != TEXT:
            heard = transcript_name(key, condition)
            answered = runs[key, condition].top
            rated = check_transcripts(
                folder / heard, heard, subset, condition, answered, verdict["transcripts"]
            )
            if rated is not None:
                verdict.recognition.setdefault(key, {})[condition] = rated
    verdict["runs"].passed()
    verdict["transcripts"].passed()
    check_scores(submission, data, runs, verdict)
    verdict["scores"].passed()
