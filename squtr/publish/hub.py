"""The hub: where a repository is uploaded to, and how."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from squtr.errors import UserError

TOKEN = "HF_TOKEN"  # noqa: S105
_NAMES = r"(?P<org>[\w.-]{1,96})/(?P<name>[\w.-]{1,96})/?"


@dataclass(frozen=True, slots=True)
class Target:
    """A repository on the hub: of a data set, or a Space."""

    repo_id: str
    kind: Literal["datasets", "spaces"] = "datasets"

    @property
    def url(self) -> str:
        return f"https://huggingface.co/{self.kind}/{self.repo_id}"


def parse_target(text: str) -> Target:
    """Read `hf://org/name`. Raises UserError for anything else."""
    repo_id = _repo_id(text, "(?:datasets/)?")
    if repo_id is None:
        raise UserError(f"--to {text!r}: must be hf://organisation/name, a data set repository on the hub.")
    return Target(repo_id)


def parse_space(text: str) -> Target:
    """Read `hf://spaces/org/name`. Raises UserError for anything else."""
    repo_id = _repo_id(text, "spaces/")
    if repo_id is None:
        raise UserError(f"--to {text!r}: must be hf://spaces/organisation/name, a Space on the hub.")
    return Target(repo_id, "spaces")


def _repo_id(text: str, kind: str) -> str | None:
    found = re.fullmatch(f"hf://{kind}{_NAMES}", text, re.ASCII)
    for part in found.groups() if found else ():
        if part[0] in "-." or part[-1] in "-." or "--" in part or ".." in part:
            return None
    return f"{found['org']}/{found['name']}" if found else None


def hub_api() -> Any:
    """Return the hub's client, signed in by the environment's token.

    The token is handed to the client and to nothing else. Raises UserError when it or the client is missing.
    """
    token = os.environ.get(TOKEN, "").strip()
    if not token:
        raise UserError(f"{TOKEN} is not set. Export a token that may write to the repository.")
    try:
        from huggingface_hub import HfApi
    except ImportError as error:
        raise UserError(
            f"The hub's client is missing ({error}). pip install 'squtr[hub]' brings it."
        ) from None
    return HfApi(token=token, library_name="squtr")


def upload(api: Any, folder: Path, target: Target, private: bool) -> None:
    """Upload a folder, in as many commits as it takes; a later call goes on where this one stopped.

    huggingface_hub up to 1.x does that by `upload_large_folder`, from 2.0 on by `upload_folder` itself.
    Raises UserError with what the hub said.
    """
    visibility = True if private else None
    try:
        api.create_repo(repo_id=target.repo_id, repo_type="dataset", private=visibility, exist_ok=True)
        send = getattr(api, "upload_large_folder", None) or api.upload_folder
        send(repo_id=target.repo_id, folder_path=folder, repo_type="dataset")
    except Exception as error:  # whatever the client raises, what was staged stands
        said = " ".join(str(error).split())
        raise UserError(
            f"{target.url}: {hidden(said)}. What was staged is kept: mend it and run the same command again."
        ) from None


def hidden(text: str) -> str:
    """Take the token out of a message, should it ever stand in one."""
    token = os.environ.get(TOKEN, "").strip()
    return text.replace(token, "***") if token else text
