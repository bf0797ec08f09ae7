"""Publishing a site to gh-pages: the branch gets the site's bytes, nothing else in the repository moves."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from squtr.errors import UserError
from squtr.leaderboard.publish_site import publish_site
from tests.leaderboard.sites import bytes_of, write_site

_PLAIN = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_NOSYSTEM": "1"}
_WHO = {f"GIT_{who}_{what}": "a@b.example" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


def git(place: Path, *arguments: str) -> str:
    done = subprocess.run(["git", *arguments], cwd=place, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A clone with a commit, a staged and a changed file, and a rule that ignores pages; origin is bare."""
    for name, value in {**_PLAIN, **_WHO}.items():
        monkeypatch.setenv(name, value)
    git(tmp_path, "init", "--quiet", "--bare", "origin.git")
    git(tmp_path, "clone", "--quiet", "origin.git", "work")
    work = tmp_path / "work"
    (work / ".gitattributes").write_text("* text=auto eol=lf\n")
    (work / ".gitignore").write_text("*.csv\nassets\n")
    (work / "code.py").write_text("1\n")
    git(work, "add", ".")
    git(work, "commit", "--quiet", "-m", "first")
    git(work, "push", "--quiet", "origin", "HEAD")
    (work / "code.py").write_text("2\n")
    (work / "staged.py").write_text("3\n")
    git(work, "add", "staged.py")
    monkeypatch.chdir(work)
    return work


@pytest.fixture
def site(tmp_path: Path) -> Path:
    return write_site(tmp_path / "site")


def published(tmp_path: Path) -> dict[str, bytes]:
    """Check out what origin has on gh-pages; return its files."""
    place = tmp_path / f"look-{len(list(tmp_path.iterdir()))}"
    git(
        tmp_path,
        "clone",
        "--quiet",
        "--branch",
        "gh-pages",
        "-c",
        "core.autocrlf=false",
        "origin.git",
        str(place),
    )
    return {name: data for name, data in bytes_of(place).items() if not name.startswith(".git/")}


def test_the_branch_holds_the_site(repository: Path, site: Path, tmp_path: Path) -> None:
    before = (git(repository, "status", "--porcelain"), git(repository, "rev-parse", "HEAD"))
    index = (repository / ".git" / "index").read_bytes()
    done = publish_site(site, "gh-pages", False)
    assert done.sent and done.where.startswith("branch gh-pages (commit ")
    assert published(tmp_path) == {**bytes_of(site), ".nojekyll": b""}
    assert (git(repository, "status", "--porcelain"), git(repository, "rev-parse", "HEAD")) == before
    assert (repository / ".git" / "index").read_bytes() == index
    assert git(repository, "worktree", "list").count("\n") == 0
    assert git(repository, "rev-list", "--count", "gh-pages") == "1"


def test_a_later_site_replaces_it_and_keeps_the_domain(repository: Path, site: Path, tmp_path: Path) -> None:
    publish_site(
        write_site(tmp_path / "first", old_page=b"gone", CNAME=b"board.example.org\n"), "gh-pages", False
    )
    publish_site(site, "gh-pages", False)
    assert published(tmp_path) == {**bytes_of(site), ".nojekyll": b"", "CNAME": b"board.example.org\n"}
    assert git(repository, "rev-list", "--count", "gh-pages") == "2"
    publish_site(site, "gh-pages", False)
    assert git(repository, "rev-list", "--count", "gh-pages") == "2"


def test_from_a_folder_within_and_a_remote_with_a_relative_address(
    repository: Path, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repository, "remote", "set-url", "origin", "../origin.git")
    (repository / "sub").mkdir()
    monkeypatch.chdir(repository / "sub")
    publish_site(Path(os.path.relpath(site)), "gh-pages", False)
    assert published(tmp_path)["index.html"] == (site / "index.html").read_bytes()


def test_what_another_clone_published_is_what_it_stands_on(
    repository: Path, site: Path, tmp_path: Path
) -> None:
    publish_site(site, "gh-pages", False)
    git(tmp_path, "clone", "--quiet", "origin.git", "other")
    second = write_site(tmp_path / "second", new_page=b"2")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path / "other")
        publish_site(second, "gh-pages", False)
    own = git(repository, "commit-tree", "gh-pages^{tree}", "-p", "gh-pages", "-m", "own")
    git(repository, "update-ref", "refs/heads/gh-pages", own)
    third = write_site(tmp_path / "third", new_page=b"3")
    publish_site(third, "gh-pages", False)
    assert published(tmp_path)["new/page"] == b"3"
    assert len(git(repository, "rev-parse", "gh-pages^@").split()) == 2


def test_a_dry_run_touches_nothing(repository: Path, site: Path, tmp_path: Path) -> None:
    done = publish_site(site, "gh-pages", True)
    assert not done.sent and done.where.endswith("origin.git")
    assert git(repository, "branch", "--list", "gh-pages") == ""
    assert git(tmp_path / "origin.git", "branch", "--list", "gh-pages") == ""


def test_a_branch_that_is_no_site(repository: Path, site: Path) -> None:
    git(repository, "push", "--quiet", "origin", "HEAD:refs/heads/gh-pages")
    with pytest.raises(UserError, match=r"holds files and no site\.json of an earlier site"):
        publish_site(site, "gh-pages", False)
    assert git(repository, "branch", "--list", "gh-pages") == ""


def test_a_push_that_is_refused(repository: Path, site: Path, tmp_path: Path) -> None:
    hook = tmp_path / "origin.git" / "hooks" / "pre-receive"
    hook.parent.mkdir(exist_ok=True)
    hook.write_text("#!/bin/sh\necho this branch is protected >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(UserError, match=r"this branch is protected.*is committed.*git push origin gh-pages"):
        publish_site(site, "gh-pages", False)
    hook.unlink()
    git(repository, "push", "--quiet", "origin", "gh-pages")
    assert published(tmp_path)["index.html"] == (site / "index.html").read_bytes()


def test_an_origin_that_does_not_answer(repository: Path, site: Path, tmp_path: Path) -> None:
    git(repository, "remote", "set-url", "origin", str(tmp_path / "nowhere.git"))
    with pytest.raises(UserError, match="Nothing was done; mend it"):
        publish_site(site, "gh-pages", False)
    assert git(repository, "branch", "--list", "gh-pages") == ""


def test_a_password_in_the_address_is_not_shown(repository: Path, site: Path) -> None:
    git(repository, "remote", "set-url", "origin", "https://me:secret@127.0.0.1:1/board.git")
    assert "secret" not in publish_site(site, "gh-pages", True).where
    with pytest.raises(UserError, match=r"//127\.0\.0\.1:1/board\.git") as failure:
        publish_site(site, "gh-pages", False)
    assert "secret" not in str(failure.value)


def test_no_place_for_it(
    repository: Path, site: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    git(repository, "checkout", "--quiet", "-f", "--orphan", "gh-pages")
    git(repository, "commit", "--quiet", "--allow-empty", "-m", "x")
    with pytest.raises(UserError, match="is checked out here"):
        publish_site(site, "gh-pages", False)
    git(repository, "remote", "remove", "origin")
    with pytest.raises(UserError, match="git remote add origin URL"):
        publish_site(site, "gh-pages", True)
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tmp_path.parent))
    monkeypatch.chdir(tmp_path)
    with pytest.raises(UserError, match="is in no git repository"):
        publish_site(site, "gh-pages", True)


def test_without_an_identity_nothing_is_begun(
    repository: Path, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in _WHO:
        monkeypatch.delenv(name)
    git(repository, "config", "user.useConfigOnly", "true")
    before = bytes_of(repository / ".git")
    with pytest.raises(UserError, match="git does not know who commits") as fault:
        publish_site(site, "gh-pages", False)
    assert "git config user.name" in str(fault.value) and "\n" not in str(fault.value)
    assert bytes_of(repository / ".git") == before
    git(repository, "config", "user.name", "A")
    git(repository, "config", "user.email", "a@b.example")
    assert publish_site(site, "gh-pages", False).sent
