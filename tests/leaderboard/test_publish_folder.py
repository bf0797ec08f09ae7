"""Publishing a site to a folder, and folders that are no site."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from squtr.errors import UserError
from squtr.leaderboard.page_files import WHAT
from squtr.leaderboard.publish_site import publish_site
from tests.building import command
from tests.leaderboard.sites import PAGES, bytes_of, write_site


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return write_site(tmp_path / "site")


def test_a_new_folder(site: Path, tmp_path: Path) -> None:
    target = tmp_path / "below" / "www"
    assert publish_site(site, str(target), False).sent
    assert bytes_of(target) == bytes_of(site)
    assert [path.name for path in target.parent.iterdir()] == ["www"]
    assert target.stat().st_mode & 0o755 == 0o755


def test_an_earlier_site_is_replaced_and_what_is_the_owners_stays(site: Path, tmp_path: Path) -> None:
    target = write_site(tmp_path / "www", old_page=b"gone")
    (target / ".git").mkdir()
    (target / ".git" / "HEAD").write_text("ref")
    (target / "CNAME").write_text("board.example.org")
    publish_site(site, str(target), False)
    owners = {".git/HEAD": b"ref", "CNAME": b"board.example.org"}
    assert bytes_of(target) == {**bytes_of(site), **owners}
    assert {path.name for path in tmp_path.iterdir()} == {"site", "www"}


def test_a_link_to_the_folder_stays_a_link(site: Path, tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "www").symlink_to("real")
    publish_site(site, str(tmp_path / "www"), False)
    assert (tmp_path / "www").is_symlink()
    assert bytes_of(tmp_path / "real") == bytes_of(site)


def test_a_folder_that_holds_something_else(site: Path, tmp_path: Path) -> None:
    target = tmp_path / "www"
    for marker in (None, "{}", '{"what": "other"}', "[", f'["{WHAT}"]'):
        target.mkdir(exist_ok=True)
        (target / "thesis.tex").write_text("years of work")
        if marker is not None:
            (target / "site.json").write_text(marker)
        with pytest.raises(UserError, match="was left as it is"):
            publish_site(site, str(target), False)
        assert (target / "thesis.tex").read_text() == "years of work"


def test_a_copy_that_fails_leaves_the_earlier_site(
    site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = write_site(tmp_path / "www", old_page=b"still here")
    before = bytes_of(target)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("squtr.leaderboard.publish_folder.shutil.copyfile", full)
    with pytest.raises(UserError, match="No space left on device"):
        publish_site(site, str(target), False)
    assert bytes_of(target) == before
    assert {path.name for path in tmp_path.iterdir()} == {"site", "www"}


@pytest.mark.parametrize("to", ["site", "site/within", "."])
def test_a_place_that_overlaps_the_site(site: Path, tmp_path: Path, to: str) -> None:
    with pytest.raises(UserError, match="one lies in the other"):
        publish_site(site, str(tmp_path / to), False)


def test_a_file_is_no_folder(site: Path, tmp_path: Path) -> None:
    (tmp_path / "www").write_text("")
    with pytest.raises(UserError, match="is a file, and a site is a folder"):
        publish_site(site, str(tmp_path / "www"), True)


def test_only_a_site_is_published(site: Path, tmp_path: Path) -> None:
    for folder in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(UserError, match=r"is no site, it has no site\.json"):
            publish_site(folder, "gh-pages", False)
    (site / "data" / "secrets").symlink_to(tmp_path)
    with pytest.raises(UserError, match="is a link"):
        publish_site(site, str(tmp_path / "www"), False)
    assert not (tmp_path / "www").exists()


def test_on_the_command_line(site: Path, tmp_path: Path) -> None:
    www = tmp_path / "www"
    tried = command("leaderboard", "publish", site, "--to", www, "--dry-run", "--json")
    assert tried.returncode == 0, tried.stderr
    told = json.loads(tried.stdout)
    assert (told["to"], told["published"], www.exists()) == (str(www), False, False)
    sizes = {one["name"]: one["bytes"] for one in told["files"]}
    assert sizes == {name: len(data) for name, data in bytes_of(site).items()}
    assert told["bytes"] == sum(sizes.values()) > sum(map(len, PAGES.values()))
    done = command("leaderboard", "publish", site, "--to", www)
    assert (done.returncode, bytes_of(www)) == (0, bytes_of(site)), done.stderr
    assert f"5 files, 0.00 MB, published to {www}." in done.stdout
    refused = command("leaderboard", "publish", tmp_path, "--to", www)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert refused.stderr.count("\n") == 1


def test_what_render_writes_is_a_site(submission: Path, data: Path, tmp_path: Path) -> None:
    board = tmp_path / "submissions"
    shutil.copytree(submission, board / submission_id(submission))
    made = command(
        "leaderboard", "render", "--board", board, "--data", data, "--out", tmp_path / "site", "--workers", 1
    )
    assert made.returncode == 0, made.stderr
    publish_site(tmp_path / "site", str(tmp_path / "www"), False)
    assert bytes_of(tmp_path / "www") == bytes_of(tmp_path / "site")
    assert publish_site(tmp_path / "site", str(tmp_path / "www"), False).sent


def submission_id(folder: Path) -> str:
    return str(json.loads((folder / "submission.json").read_text())["id"])
