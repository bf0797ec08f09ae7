"""A site takes the place of another at once, and what was begun by a killed run is ended."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from squtr.errors import UserError
from squtr.leaderboard.page_files import WHAT
from squtr.leaderboard.replacing import check_place, replacing
from tests.leaderboard.sites import bytes_of, write_site


def put(target: Path, **pages: bytes) -> None:
    with replacing(target) as fresh:
        for name, text in {"site.json": b'{"what": "leaderboard of squtr"}', **pages}.items():
            (fresh / name).write_bytes(text)


def test_a_repository_and_a_domain_stay(tmp_path: Path) -> None:
    target = write_site(tmp_path / "site", old=b"1", CNAME=b"board.example.org\n")
    (target / ".git").mkdir()
    (target / ".git/HEAD").write_text("ref: refs/heads/gh-pages\n")
    put(target, new=b"2")
    assert sorted(path.name for path in target.iterdir()) == [".git", "CNAME", "new", "site.json"]
    assert (target / ".git/HEAD").read_text() == "ref: refs/heads/gh-pages\n"
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_an_error_leaves_what_was_there(tmp_path: Path) -> None:
    target = write_site(tmp_path / "site", old=b"1")
    before = bytes_of(tmp_path)
    with pytest.raises(ZeroDivisionError), replacing(target) as fresh:
        (fresh / "half").write_bytes(b"")
        _ = 1 / 0
    assert bytes_of(tmp_path) == before


def test_killed_before_the_new_site_stood(tmp_path: Path) -> None:
    target = write_site(tmp_path / "site", old=b"1")
    (target / ".git").mkdir()
    target.rename(tmp_path / ".site.replaced")
    write_site(tmp_path / ".site.part", half=b"2")
    put(target, new=b"3")
    assert sorted(path.name for path in target.iterdir()) == [".git", "new", "site.json"]
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_killed_before_the_old_site_was_cleared(tmp_path: Path) -> None:
    target = write_site(tmp_path / "site", new=b"2")
    old = write_site(tmp_path / ".site.replaced", old=b"1", CNAME=b"board.example.org\n")
    (old / ".git").mkdir()
    put(target, newer=b"3")
    assert sorted(path.name for path in target.iterdir()) == [".git", "CNAME", "newer", "site.json"]
    assert [path.name for path in tmp_path.iterdir()] == ["site"]


def test_two_at_once_are_one_clear_error(tmp_path: Path) -> None:
    target = write_site(tmp_path / "site")
    with replacing(target), pytest.raises(UserError, match="another process is writing it"):
        put(target)


def test_what_became_another_folder_meanwhile_is_left(tmp_path: Path) -> None:
    target = tmp_path / "site"
    with pytest.raises(UserError, match="holds files"), replacing(target):
        target.mkdir()
        (target / "mine.txt").write_text("mine")
    assert (target / "mine.txt").read_text() == "mine"


def test_a_fresh_clone_is_a_place(tmp_path: Path) -> None:
    target = tmp_path / "clone"
    (target / ".git").mkdir(parents=True)
    (target / "CNAME").write_text("board.example.org\n")
    check_place(target)
    put(target, new=b"1")
    assert sorted(path.name for path in target.iterdir()) == [".git", "CNAME", "new", "site.json"]


def test_what_lies_where_the_old_site_would_go_is_not_touched(tmp_path: Path) -> None:
    (tmp_path / ".site.replaced").mkdir()
    (tmp_path / ".site.replaced/mine.txt").write_text("mine")
    before = bytes_of(tmp_path)
    with pytest.raises(UserError, match=r"\.site\.replaced: is in the way"):
        put(tmp_path / "site", new=b"1")
    assert bytes_of(tmp_path) == before


def test_where_one_stands_is_no_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = write_site(tmp_path / "site")
    (target / "systems").mkdir(exist_ok=True)
    monkeypatch.chdir(target / "systems")
    for place in (Path(), Path(".."), target):
        with pytest.raises(UserError, match="is where this was called"):
            check_place(place)


def test_a_link_to_itself_and_a_mount_point_are_no_places(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    with pytest.raises(UserError, match="leads nowhere"):
        check_place(tmp_path / "loop")
    monkeypatch.setattr("os.path.ismount", lambda place: True)
    with pytest.raises(UserError, match="is a mount point"):
        check_place(tmp_path / "volume")


def test_a_site_that_cannot_be_written_is_told_before_anything(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = write_site(tmp_path / "site")
    monkeypatch.setattr("os.access", lambda place, mode: Path(place) != target)
    with pytest.raises(UserError, match="cannot be written"):
        check_place(target)


def test_a_clearing_that_was_cut_short_is_not_in_the_way(tmp_path: Path) -> None:
    target = write_site(tmp_path / "site", old=b"1")
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr("shutil.rmtree", lambda place, ignore_errors=False: None)
        put(target, new=b"2")
    put(target, newer=b"3")
    assert sorted(path.name for path in target.iterdir()) == ["newer", "site.json"]
    assert not (tmp_path / ".site.replaced").exists()


def test_what_is_no_part_of_the_site_is_not_lost(tmp_path: Path) -> None:
    marker = json.dumps({"what": WHAT, "holds": ["index.html", "site.json"]}).encode()
    target = tmp_path / "site"
    put(target, **{"site.json": marker, "index.html": b"1"})
    put(target, **{"site.json": marker, "index.html": b"2"})
    (target / "leaderboard").mkdir()
    with pytest.raises(UserError, match="holds 'leaderboard' beside the site"):
        put(target, new=b"3")
    assert (target / "index.html").read_bytes() == b"2" and (target / "leaderboard").is_dir()
