"""Publish a site on branch gh-pages of the git repository one is in, without a working tree.

The commit is made of the site's bytes through an index of its own: the repository's files, index and current
branch are not touched, and no filter or ignore rule applies. Its parents are the branch here and the one at
origin: as a site replaces all there was, histories that went apart come together. `CNAME` stays.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from pathlib import Path

from squtr.errors import UserError
from squtr.leaderboard.page_files import SITE_FILE, Files, is_marker

BRANCH = "gh-pages"
_REF = f"refs/heads/{BRANCH}"
_REMOTE = "origin"
_OWNERS = "CNAME"
_NO_JEKYLL = ".nojekyll"
_NO_MATCH = 2


class Branch:
    """Branch gh-pages of the repository that `inside` lies in. Raises UserError where there is none."""

    def __init__(self, inside: Path) -> None:
        self._inside = inside
        try:
            found = _run(inside, "rev-parse", "--absolute-git-dir")
        except FileNotFoundError:
            raise UserError(f"--to {BRANCH} needs git, which is not here. Install it.") from None
        if found.returncode:
            raise UserError(
                f"--to {BRANCH}: {inside.resolve()} is in no git repository. Run it in the one whose"
                f" pages it becomes; a folder of that name is ./{BRANCH}."
            )
        self._git_dir = found.stdout.strip()
        url = self._ask("remote", "get-url", _REMOTE)
        if not url:
            raise UserError(f"--to {BRANCH}: no remote {_REMOTE}. Add it: git remote add {_REMOTE} URL")
        self.url = _without_password(url)
        if f"branch {_REF}" in self._ask("worktree", "list", "--porcelain").splitlines():
            raise UserError(f"Branch {BRANCH} is checked out here. Switch to another one first.")
        if not self._ask("var", "GIT_AUTHOR_IDENT") or not self._ask("var", "GIT_COMMITTER_IDENT"):
            raise UserError(
                f"--to {BRANCH}: git does not know who commits. Tell it: git config user.name NAME, and"
                " git config user.email ADDRESS"
            )

    def send(self, site: Path, files: Files) -> str:
        """Commit the site, push it, and return the commit. Raises UserError with what git said."""
        parents = self._parents()
        commit = self._commit(self._tree(site, files, parents), parents)
        pushed = _run(self._inside, "push", "--quiet", _REMOTE, f"{_REF}:{_REF}")
        if pushed.returncode:
            raise UserError(
                f"{self.url}: {_said(pushed)}. The site is committed to branch {BRANCH} here. Mend it, then:"
                f" git push {_REMOTE} {BRANCH}"
            )
        return commit

    def _parents(self) -> list[str]:
        """Return the tips that the commit stands on: of the branch here, of the one at origin, or both."""
        listed = _run(self._inside, "ls-remote", "--exit-code", _REMOTE, _REF)
        if listed.returncode not in (0, _NO_MATCH):
            raise UserError(f"{self.url}: {_said(listed)}. Nothing was done; mend it and run this again.")
        if listed.returncode == 0:
            self._do("fetch", "--quiet", "--no-tags", _REMOTE, _REF)
        here = self._ask("rev-parse", "--verify", "--quiet", _REF)
        tips = [tip for tip in (here, *listed.stdout.split()[:1]) if tip]
        for tip in tips:
            self._refuse_other(tip)
        return self._do("merge-base", "--independent", *tips).split() if tips else []

    def _refuse_other(self, tip: str) -> None:
        if not is_marker(self._ask("cat-file", "blob", f"{tip}:{SITE_FILE}").encode()):
            raise UserError(
                f"Branch {BRANCH} ({tip[:12]}) holds files and no {SITE_FILE} of an earlier site, so it was"
                f" left as it is. Delete it, here and at {_REMOTE}, if it may go."
            )

    def _tree(self, site: Path, files: Files, parents: list[str]) -> str:
        names = [name for name, _ in files]
        listed = "".join(f"{name}\n" for name in names)
        hashing = ("hash-object", "-w", "--no-filters")
        hashed = self._do(*hashing, "--stdin-paths", place=site, text=listed, GIT_DIR=self._git_dir)
        blobs = {_NO_JEKYLL: self._do(*hashing, "--stdin", text="")}
        for tip in parents:
            if owned := self._ask("rev-parse", "--verify", "--quiet", f"{tip}:{_OWNERS}"):
                blobs[_OWNERS] = owned
        blobs.update(zip(names, hashed.split(), strict=True))
        entries = "".join(f"100644 {blob}\t{name}\0" for name, blob in blobs.items())
        with tempfile.TemporaryDirectory(prefix="squtr-site-") as work:
            index = str(Path(work) / "index")
            self._do("update-index", "-z", "--index-info", text=entries, GIT_INDEX_FILE=index)
            return self._do("write-tree", GIT_INDEX_FILE=index)

    def _commit(self, tree: str, parents: list[str]) -> str:
        if len(parents) == 1 and self._do("rev-parse", f"{parents[0]}^{{tree}}") == tree:
            commit = parents[0]
        else:
            onto = [word for parent in parents for word in ("-p", parent)]
            commit = self._do("commit-tree", tree, *onto, "-m", "Leaderboard")
        self._do("update-ref", "-m", "squtr leaderboard publish", _REF, commit)
        return commit

    def _ask(self, *arguments: str) -> str:
        """Return what git answers, nothing where it fails."""
        found = _run(self._inside, *arguments)
        return "" if found.returncode else found.stdout.strip()

    def _do(
        self, *arguments: str, place: Path | None = None, text: str | None = None, **environment: str
    ) -> str:
        found = _run(place or self._inside, *arguments, text=text, **environment)
        if found.returncode:
            raise UserError(f"git {arguments[0]}: {_said(found)}. Mend it and run the same command again.")
        return found.stdout.strip()


def _run(
    place: Path, *arguments: str, text: str | None = None, **environment: str
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(  # noqa: S603
        ["git", *arguments],  # noqa: S607
        cwd=place,
        input=text,
        capture_output=True,
        encoding="utf-8",
        errors="surrogateescape",
        env={**os.environ, **environment},
    )


def _said(done: subprocess.CompletedProcess[str]) -> str:
    lines = [line.strip() for line in done.stderr.splitlines() if not line.startswith("hint:")]
    return _without_password(" ".join(" ".join(lines).split()).rstrip(".")) or f"exit code {done.returncode}"


def _without_password(text: str) -> str:
    return re.sub(r"(?<=//)[^/@\s]+@", "", text)
