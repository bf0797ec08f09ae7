"""Places that are not what they are taken for: boards, data sets, sites and caches."""

from __future__ import annotations

import json
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from squtr.errors import UserError
from squtr.leaderboard import kept_data
from squtr.leaderboard.kept_data import keep_data, read_board_data
from squtr.leaderboard.publish_site import publish_site
from squtr.leaderboard.render import render
from squtr.leaderboard.validate import validate
from squtr.progress import Silent
from tests.leaderboard.boards import drawn, rendered, write_data, write_submission
from tests.leaderboard.sites import bytes_of, write_site

QUERIES = {"en/nq": ["a", "b", "c"]}


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """A board of two systems."""
    write_data(tmp_path, QUERIES)
    for seed, name in enumerate(("One", "Two")):
        write_submission(tmp_path, name, QUERIES, drawn(seed, QUERIES, 0.8))
    return tmp_path


@pytest.mark.parametrize("cached", [False, True])
def test_a_submission_that_lost_its_facts_or_is_a_link_is_named(root: Path, cached: bool) -> None:
    cache = root / "cache" if cached else None
    rendered(root, cache=cache)
    (root / "elsewhere").mkdir()
    (root / "submissions/two").rename(root / "elsewhere/two")
    (root / "submissions/two").symlink_to(root / "elsewhere/two")
    shutil.copytree(root / "submissions/one", root / "submissions/three")
    (root / "submissions/three/submission.json").unlink()
    (root / "submissions/.git").mkdir()
    found = rendered(root, cache=cache).board
    assert [entry.id for entry in found.entries] == ["one"]
    reasons = {Path(one.path).name: str(one["files"].faults[0]) for one in found.left_out}
    assert reasons.keys() == {"two", "three"}
    assert reasons["two"] == "two: is a symbolic link. Name the folder that it points to."
    assert reasons["three"].startswith("submission.json: is missing.")


def test_a_site_does_not_go_among_the_submissions(root: Path) -> None:
    before = bytes_of(root)
    for out in (root / "submissions/site", root / "submissions/one/site"):
        with pytest.raises(UserError, match="lies among the submissions"):
            rendered(root, out)
    assert bytes_of(root) == before


@pytest.mark.parametrize(("out", "cache", "option"), [("file/x", None, "--out"), ("site", "file", "--cache")])
def test_a_file_is_no_folder(root: Path, out: str, cache: str | None, option: str) -> None:
    (root / "file").write_text("mine")
    with pytest.raises(UserError, match=f"file is a file, and a folder is needed. Choose another {option}"):
        rendered(root, root / out, cache=cache and root / cache)
    assert (root / "file").read_text() == "mine"


def test_the_folder_above_the_submissions_is_no_board(root: Path) -> None:
    kept = root / "datasets/trial-set"
    for call in (
        lambda: validate(root / "submissions/one", kept, root),
        lambda: validate(root / "submissions/one", None, root),
        lambda: render(root, root / "site", None, None, 1, Silent()),
    ):
        with pytest.raises(UserError, match=r"is the folder above the submissions\. Name .*submissions\."):
            call()
    with pytest.raises(UserError, match=r"nowhere: no such folder\. --board"):
        validate(root / "submissions/one", kept, root / "nowhere")


def test_a_data_set_lies_under_its_name(root: Path) -> None:
    shutil.copytree(root / "datasets/trial-set", root / "datasets/second")
    with pytest.raises(UserError, match="is that of 'trial-set'"):
        rendered(root)


@pytest.mark.parametrize("text", ["{", "[" * 100_000, "[]"])
def test_a_damaged_data_set_is_one_clear_error(root: Path, text: str) -> None:
    (root / "datasets/trial-set/dataset.json").write_text(text)
    with pytest.raises(UserError, match=r"dataset\.json: "):
        rendered(root)


def test_judgements_of_three_columns_are_one_clear_error(root: Path) -> None:
    folder = root / "datasets/trial-set"
    kept_data.write_lines(folder / "en/nq.qrels.gz", ["a 0 d"])
    facts = json.loads((folder / "dataset.json").read_text())
    facts["subsets"]["en/nq"]["files"]["qrels"] = kept_data.digest_file(folder / "en/nq.qrels.gz")
    (folder / "dataset.json").write_text(json.dumps(facts))
    with pytest.raises(UserError, match="its judgements are damaged"):
        read_board_data(folder)


@pytest.mark.parametrize("name", ["=x", "a<b", " a", "\u3164", "a\nb"])
def test_a_data_set_whose_name_cannot_be_shown_is_not_kept(data: Path, tmp_path: Path, name: str) -> None:
    shutil.copytree(data, tmp_path / name)
    with pytest.raises(UserError, match="The board shows it: rename the folder"):
        keep_data(tmp_path / name, tmp_path / "kept")
    assert not (tmp_path / "kept").exists()


def test_a_data_set_with_blanks_and_other_scripts_in_its_name(data: Path, tmp_path: Path) -> None:
    shutil.copytree(data, tmp_path / "数据 集 é")
    kept = keep_data(tmp_path / "数据 集 é", tmp_path / "kept")
    assert read_board_data(kept).name == "数据 集 é"


def test_a_data_set_is_kept_whole_or_not_at_all(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(*_: object) -> Iterator[str]:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched, pytest.raises(KeyboardInterrupt):
        patched.setattr(kept_data, "noise_of", stopped)
        keep_data(data, tmp_path / "kept")
    assert list((tmp_path / "kept").iterdir()) == []
    assert read_board_data(keep_data(data, tmp_path / "kept")).subsets.keys() == {"en/trial", "zh/trial"}


@pytest.mark.parametrize("to", ["https://huggingface.co/spaces/a/b", "s3://bucket", "file:///tmp/x"])
def test_an_address_is_no_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, to: str) -> None:
    monkeypatch.chdir(tmp_path)
    write_site(tmp_path / "site")
    with pytest.raises(UserError, match="must be hf://spaces/organisation/name, gh-pages or a folder"):
        publish_site(tmp_path / "site", to, False)
    assert [path.name for path in tmp_path.iterdir()] == ["site"]
