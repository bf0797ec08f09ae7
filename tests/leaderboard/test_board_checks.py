"""Beside the board: an old submission never changes, a run never comes twice, a name has one owner."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from squtr.errors import UserError
from squtr.leaderboard.kept_data import keep_data, read_board_data
from squtr.leaderboard.validate import validate
from tests.leaderboard.making import OVERLAP, packed, refusals, seal, write_system


@pytest.fixture
def board(submission: Path, data: Path, tmp_path: Path) -> Path:
    """A board with one data set and one accepted submission."""
    place = tmp_path / "leaderboard" / "submissions"
    shutil.copytree(submission, place / "tones-and-words")
    keep_data(data, place.parent / "datasets")
    return place


def test_what_the_board_keeps_is_enough(submission: Path, data: Path, board: Path) -> None:
    kept = validate(submission, board.parent / "datasets" / data.name)
    whole = validate(submission, data)
    assert kept.accepted, refusals(kept)
    assert kept.plain() == whole.plain()
    assert "Without --board" in kept.notes[-1]
    names = {path.name for path in board.parent.joinpath("datasets").rglob("*.gz")}
    assert names == {f"trial.{part}.gz" for part in ("qrels", "queries", "documents", "noise", "texts")}


def test_the_data_set_is_found_among_those_of_the_board(submission: Path, data: Path, board: Path) -> None:
    verdict = validate(submission, None, board)
    assert verdict.accepted, refusals(verdict)
    assert verdict.dataset == data.name


def test_an_accepted_submission_in_its_place_is_accepted_again(board: Path) -> None:
    verdict = validate(board / "tones-and-words", None, board)
    assert verdict.accepted, refusals(verdict)


def test_a_changed_old_submission(submission: Path, board: Path, tmp_path: Path) -> None:
    changed = tmp_path / "submissions" / "tones-and-words"
    shutil.copytree(submission, changed)
    write_system(changed / "system.yaml", hardware="another machine")
    seal(changed)
    found = refusals(validate(changed, None, board))
    assert list(found) == ["board"]
    assert "is on the board with other contents" in found["board"][0]


def test_a_copied_run_under_another_name(evaluation: Path, board: Path, tmp_path: Path) -> None:
    copy = packed(evaluation, tmp_path / "copy", name="Our new system", authors=["Somebody Else"])
    found = refusals(validate(copy, None, board))
    assert list(found) == ["board"]
    assert "has the rankings of tones-and-words" in found["board"][0]


def test_the_name_of_another_in_other_letters(evaluation: Path, board: Path, tmp_path: Path) -> None:
    said = {"TONES and words": "is on the board with other contents", "TonesＡndWords": "goes by the name of"}
    for at, (name, reason) in enumerate(said.items()):
        found = refusals(validate(packed(evaluation, tmp_path / str(at), name=name), None, board))
        assert list(found) == ["board"]
        assert reason in found["board"][0]


def test_another_system_of_the_same_evaluation(evaluation: Path, board: Path, tmp_path: Path) -> None:
    other = packed(evaluation, tmp_path / "other", OVERLAP, name="Overlap", family="cascade-sparse")
    first = json.loads((board / "tones-and-words" / "submission.json").read_text())
    second = json.loads((other / "submission.json").read_text())
    same = all(
        first["scores"][key][condition]["ranking"] == cell["ranking"]
        for key, cells in second["scores"].items()
        for condition, cell in cells.items()
        if condition != "text"
    )
    assert validate(other, None, board).accepted is not same


def test_a_folder_that_is_not_named_as_its_id(submission: Path, data: Path, tmp_path: Path) -> None:
    wrong = tmp_path / "submissions" / "winner"
    shutil.copytree(submission, wrong)
    assert "is the folder of tones-and-words" in refusals(validate(wrong, data))["facts"][0]


def test_a_data_set_of_the_board_does_not_change(data: Path, board: Path) -> None:
    datasets = board.parent / "datasets"
    with pytest.raises(UserError, match="never changes"):
        keep_data(data, datasets)
    ids = datasets / data.name / "en" / "trial.documents.gz"
    ids.write_bytes((datasets / data.name / "en" / "trial.queries.gz").read_bytes())
    with pytest.raises(UserError, match="was changed"):
        read_board_data(datasets / data.name).subsets["en/trial"].documents.unknown([])


def test_what_is_kept_has_the_same_bytes_each_time(data: Path, tmp_path: Path) -> None:
    first, second = (keep_data(data, tmp_path / name) for name in ("a", "b"))
    for path in (path for path in first.rglob("*") if path.is_file()):
        assert path.read_bytes() == (second / path.relative_to(first)).read_bytes()


def test_noise_categories_are_those_of_the_manifest(data: Path, board: Path) -> None:
    mixed: dict[str, dict[str, dict[str, str]]] = {}
    for row in map(json.loads, (data / "manifest.jsonl").read_text().splitlines()):
        if row["noise_category"] is not None:
            of_subset = mixed.setdefault(f"{row['language']}/{row['subset']}", {})
            of_subset.setdefault(row["condition"], {})[row["query_id"]] = row["noise_category"]
    assert {len(by_query) for by_query in mixed["en/trial"].values()} == {4}
    assert set(mixed["en/trial"]) == {"snr_10", "snr_0"}
    for folder in (data, board.parent / "datasets" / data.name):
        assert {key: one.noise for key, one in read_board_data(folder).subsets.items()} == mixed


def test_noise_categories_with_odd_names(data: Path, tmp_path: Path) -> None:
    odd = "a bus, 100 %\n北京"
    shutil.copytree(data, tmp_path / "data")
    manifest = tmp_path / "data" / "manifest.jsonl"
    rows = [json.loads(line) for line in manifest.read_text().splitlines()]
    renamed = [{**row, "noise_category": row["noise_category"] and odd} for row in rows]
    manifest.write_text("".join(f"{json.dumps(row)}\n" for row in renamed))
    kept = read_board_data(keep_data(tmp_path / "data", tmp_path / "kept")).subsets["en/trial"]
    assert set(kept.noise["snr_0"].values()) == {odd}
    assert kept.noise == read_board_data(tmp_path / "data").subsets["en/trial"].noise


def test_a_data_set_without_a_manifest_has_no_noise_categories(data: Path, tmp_path: Path) -> None:
    shutil.copytree(data, tmp_path / "data")
    for path in (tmp_path / "data").glob("manifest.*"):
        path.unlink()
    kept = keep_data(tmp_path / "data", tmp_path / "kept")
    assert read_board_data(kept).subsets["en/trial"].noise == {}
    (kept / "en" / "trial.noise.gz").unlink()
    changed = read_board_data(kept).subsets["en/trial"]
    with pytest.raises(UserError, match=r"trial\.noise\.gz: is damaged"):
        _ = changed.noise


def test_bad_calls(submission: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"no such folder\. --board"):
        validate(submission, None, tmp_path / "nowhere")
    (tmp_path / "submissions").mkdir()
    with pytest.raises(UserError, match="no data set in it"):
        validate(submission, None, tmp_path / "submissions")


@pytest.mark.parametrize("name", ["submission.json", "system.yaml"])
def test_a_damaged_folder_of_the_board_does_not_stop_another(
    evaluation: Path, board: Path, tmp_path: Path, name: str
) -> None:
    (board / "tones-and-words" / name).write_text("{", encoding="utf-8")
    fresh = packed(evaluation, tmp_path / "overlap", OVERLAP, name="Overlap", family="cascade-dense")
    verdict = validate(fresh, None, board)
    assert verdict.accepted, refusals(verdict)
    assert "tones-and-words, which is damaged" in verdict.notes[-1] and name in verdict.notes[-1]
