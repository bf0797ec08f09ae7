"""Publish a rendered site: a Space on the hub, branch gh-pages of a repository, or a folder."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from squtr.errors import UserError
from squtr.leaderboard.page_files import Files, site_files
from squtr.leaderboard.publish_branch import BRANCH, Branch
from squtr.leaderboard.publish_folder import check_folder, send_to_folder
from squtr.leaderboard.publish_space import send_to_space
from squtr.publish.hub import hub_api, parse_space


@dataclass(frozen=True)
class Published:
    """A site's files with their sizes, where they belong, and whether they were sent there."""

    site: Path
    files: Files
    where: str
    sent: bool

    @property
    def size(self) -> int:
        """Bytes of all files."""
        return sum(count for _, count in self.files)


def publish_site(site: Path, to: str, dry_run: bool, api: Any = None) -> Published:
    """Publish a site to `hf://spaces/org/name`, `gh-pages` or a folder; a dry run sends nothing.

    `api` stands in for the hub's client. Raises UserError.
    """
    files = site_files(site)
    if to.startswith("hf:"):
        return _to_space(site, files, to, dry_run, api)
    if "://" in to:
        raise UserError(f"--to {to!r}: must be hf://spaces/organisation/name, {BRANCH} or a folder.")
    if to == BRANCH:
        return _to_branch(site, files, dry_run)
    target = Path(to)
    check_folder(site, target)
    if not dry_run:
        send_to_folder(site, files, target)
    return Published(site, files, to, not dry_run)


def _to_space(site: Path, files: Files, to: str, dry_run: bool, api: Any) -> Published:
    target = parse_space(to)
    if not dry_run:
        send_to_space(api or hub_api(), site, files, target)
    return Published(site, files, target.url, not dry_run)


def _to_branch(site: Path, files: Files, dry_run: bool) -> Published:
    branch = Branch(Path())
    commit = "" if dry_run else f" (commit {branch.send(site, files)[:12]})"
    return Published(site, files, f"branch {BRANCH}{commit} of {branch.url}", not dry_run)
