"""Whether a data set is the board's is said before anything is evaluated on it."""

from __future__ import annotations

import dataclasses
import json
import shutil
from pathlib import Path

import pytest

from squtr.commands.publish import run_publish
from squtr.errors import UserError
from squtr.leaderboard.kept_data import read_board_data
from squtr.leaderboard.match import match
from squtr.progress import Silent
from squtr.publish.from_parquet import TABLE, write_from_parquet
from tests.building import command
from tests.leaderboard.making import packed


def test_a_data_set_is_itself(data: Path) -> None:
    found = match(data, [read_board_data(data)])
    assert (found.dataset, found.differences) == (data.name, [])


@pytest.mark.parametrize(
    ("part", "what"), [("fingerprint", "texts"), ("qrels", "judgements"), ("audio", "recordings")]
)
def test_what_differs_is_said(data: Path, part: str, what: str) -> None:
    board = read_board_data(data)
    key, subset = next(iter(board.subsets.items()))
    facts = subset.facts.model_copy(update={part: "0" * 64})
    other = dataclasses.replace(
        board, name="other", subsets={**board.subsets, key: dataclasses.replace(subset, facts=facts)}
    )
    ((where, said),) = match(data, [other]).differences
    assert where == key and said.startswith(f"the {what}") and "000000000000..." in said
    assert match(data, [other, board]).dataset == data.name


def test_a_subset_less_and_a_subset_more(data: Path, tmp_path: Path) -> None:
    board = read_board_data(data)
    keys = list(board.subsets)
    less = dataclasses.replace(board, subsets={keys[0]: board.subsets[keys[0]]})
    more = [where for where, what in match(data, [less]).differences if "is no subset of" in what]
    assert more == keys[1:]


def test_the_command(evaluation: Path, data: Path, tmp_path: Path) -> None:
    root = tmp_path / "board"
    (root / "submissions").mkdir(parents=True)
    packed(evaluation, root / "submissions/one")
    command("leaderboard", "dataset", data, "--out", root / "datasets")
    done = command("leaderboard", "match", data, "--board", root / "submissions", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout) == {"dataset": data.name, "same": True, "differences": []}
    done = command("leaderboard", "match", data)
    assert done.returncode == 1
    assert "is no subset of pocket" in done.stdout and "not pocket of the board" in done.stdout
    shutil.rmtree(root / "datasets")
    done = command("leaderboard", "match", data, "--board", root / "submissions")
    assert done.returncode == 2 and "no data set in it" in done.stderr


def test_what_was_published_is_still_the_boards(data: Path, tmp_path: Path) -> None:
    run_publish(data, "hf://org/name", True, False, tmp_path / "staged", None)
    staged = tmp_path / "staged/repository"
    tables = [path.relative_to(staged).as_posix() for path in staged.rglob("*.parquet")]
    back = tmp_path / "back"
    back.mkdir()
    write_from_parquet(
        "org/name", staged, [one for one in tables if TABLE.fullmatch(one)], back, back, Silent()
    )
    assert match(back, [read_board_data(data)]).differences == []


def test_recordings_that_nothing_is_said_of_do_not_match(data: Path, tmp_path: Path) -> None:
    bare = shutil.copytree(data, tmp_path / data.name)
    (bare / "manifest.jsonl").unlink()
    found = match(bare, [read_board_data(data)]).differences
    assert [what for _, what in found] == ["has no manifest that says what its recordings hold"] * 2


def test_a_slice_does_not_match_the_whole(data: Path) -> None:
    board = dataclasses.replace(read_board_data(data), slice=True)
    ((_, what),) = match(data, [board]).differences
    assert what.startswith("is a slice, or that of the board is")


def test_what_is_no_data_set(data: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no such data set folder"):
        match(tmp_path / "none", [read_board_data(data)])
