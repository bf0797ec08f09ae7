"""A site takes the place of another at once, and what was begun by a killed run is ended."""

from __future__ import annotations

from pathlib import Path

import pytest

from squtr.errors import UserError
from squtr.leaderboard.replacing import replacing
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
