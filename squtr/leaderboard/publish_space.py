"""Publish a site as a static Space on the hub."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from squtr.errors import UserError
from squtr.leaderboard.page_files import SITE_FILE, Files
from squtr.leaderboard.publish_folder import copy_files
from squtr.publish.hub import Target, hidden
from squtr.store import write_atomic

README = "README.md"
_NEW_SPACE = {".gitattributes", README, "index.html", "style.css"}
_CARD = """---
title: squtr leaderboard
emoji: 🔊
colorFrom: blue
colorTo: gray
sdk: static
app_file: index.html
pinned: false
---

How well systems retrieve documents for spoken queries, clean and under noise. Every score is recomputed
from submitted runs. The pages are written by `squtr leaderboard render`; change them there, not here.
"""


def send_to_space(api: Any, site: Path, files: Files, target: Target) -> None:
    """Upload a site to a Space, which is made where there is none; pages that are no longer there go.

    Raises UserError with what the hub said, and for a Space that holds something else.
    """
    with tempfile.TemporaryDirectory(prefix="squtr-site-") as work:
        folder = Path(work) / "space"
        copy_files(site, files, folder)
        write_atomic(folder / README, _CARD)
        try:
            api.create_repo(repo_id=target.repo_id, repo_type="space", space_sdk="static", exist_ok=True)
            there = set(api.list_repo_files(repo_id=target.repo_id, repo_type="space"))
            if SITE_FILE not in there and there - _NEW_SPACE:
                raise UserError(
                    f"{target.url}: holds files and no {SITE_FILE} of an earlier site, so it was left as it"
                    " is. Choose another Space, or empty that one."
                )
            api.upload_folder(
                repo_id=target.repo_id,
                folder_path=folder,
                repo_type="space",
                delete_patterns="*",
                commit_message="Leaderboard",
            )
        except UserError:
            raise
        except Exception as error:  # whatever the client raises
            said = hidden(" ".join(str(error).split()))
            raise UserError(f"{target.url}: {said}. Mend it and run the same command again.") from None
