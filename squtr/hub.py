"""The Hugging Face hub: repositories at pinned revisions, out of its cache, fetched when not there."""

from __future__ import annotations

import glob
import logging
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from squtr.errors import UserError
from squtr.needs import Need, is_installed, packages

_REPOSITORY = re.compile(r"[A-Za-z0-9][\w.-]{0,95}/[A-Za-z0-9][\w.-]{0,95}", re.ASCII)
_REVISION = re.compile(r"[0-9a-f]{40}")
_DATASETS = "hf://datasets/"
_HOW_CLIENT = "pip install 'squtr[hub]'"
_TRUE = ("1", "ON", "YES", "TRUE")
_ANSWER_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Pinned:
    """A repository at one commit; what it holds can never change."""

    kind: Literal["dataset", "model"]
    repository: str
    revision: str

    @property
    def command(self) -> str:
        """The command that downloads it whole."""
        dataset = " --repo-type dataset" if self.kind == "dataset" else ""
        return f"hf download {self.repository}{dataset} --revision {self.revision}"

    @property
    def snapshot(self) -> Path:
        """The folder of this commit in the hub's cache, there or not."""
        name = f"{self.kind}s--{self.repository.replace('/', '--')}"
        return cache_folder() / name / "snapshots" / self.revision

    def __str__(self) -> str:
        return f"{_DATASETS * (self.kind == 'dataset')}{self.repository}@{self.revision}"


def is_hub_path(path: str) -> bool:
    """Say whether a path of a recipe is meant for the hub."""
    return path.startswith("hf:")


def pinned_dataset(path: str) -> Pinned:
    """Read `hf://datasets/organisation/name@revision`. Raises UserError for anything else."""
    repository, _, revision = path.removeprefix(_DATASETS).partition("@")
    if not path.startswith(_DATASETS) or not _REPOSITORY.fullmatch(repository):
        raise UserError(f"{path}: a collection on the hub is {_DATASETS}organisation/name@revision.")
    return Pinned("dataset", repository, _commit(path, revision))


def pinned_model(repository: str, revision: str) -> Pinned:
    """Return a model repository at a commit. Raises UserError for a name or revision that is none."""
    if not _REPOSITORY.fullmatch(repository):
        raise UserError(f"{repository}: no such folder, and a model on the hub is organisation/name.")
    return Pinned("model", repository, _commit(repository, revision))


def _commit(where: str, revision: str) -> str:
    if _REVISION.fullmatch(revision):
        return revision
    found = f"{revision!r} can move" if revision else "no revision is pinned"
    raise UserError(
        f"{where}: {found}, and with it what a data set is made of. Name a commit: 40 hexadecimal digits, as"
        " the repository's history shows them."
    )


def cache_folder() -> Path:
    """Return the hub's cache, by the environment variables of its own client."""
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE"):
        if os.environ.get(variable):
            return Path(os.environ[variable]).expanduser()
    home = os.environ.get("HF_HOME")
    general = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(home or f"{general}/huggingface").expanduser() / "hub"


def hub_needs(pin: Pinned, kind: str, present: bool) -> list[Need]:
    """Return the need for a repository, and for the client that fetches it: by hand, or at its first use."""
    client = [] if present else packages(_HOW_CLIENT, "huggingface_hub")
    return [*client, Need(kind, str(pin), present, pin.command)]


def list_files(pin: Pinned) -> list[str]:
    """Return the names of a repository's files: as the hub lists them, or those that are in its cache.

    Raises UserError when it cannot be asked and nothing is in the cache.
    """
    try:
        return _listed(pin)
    except UserError:
        files = (path for path in pin.snapshot.rglob("*") if path.is_file())
        found = sorted(path.relative_to(pin.snapshot).as_posix() for path in files)
        if not found:
            raise
        return found


def _listed(pin: Pinned) -> list[str]:
    with _asked(pin) as api:
        return list(api.list_repo_files(pin.repository, revision=pin.revision, repo_type=pin.kind))


def fetch(pin: Pinned, names: Sequence[str]) -> Path:
    """Return the folder of the commit in the hub's cache, with these files in it. Raises UserError."""
    if all((pin.snapshot / name).is_file() for name in names):
        return pin.snapshot
    with _asked(pin) as api:
        api.snapshot_download(
            pin.repository,
            repo_type=pin.kind,
            revision=pin.revision,
            allow_patterns=[glob.escape(name) for name in names],
            cache_dir=cache_folder(),
        )
    lacking = [name for name in names if not (pin.snapshot / name).is_file()]
    if lacking:
        raise UserError(f"{pin}: the hub gave no {', '.join(lacking)}. Is the revision the right one?")
    return pin.snapshot


@contextmanager
def _asked(pin: Pinned) -> Iterator[Any]:
    """Give the client of a hub that answers; whatever it raises is one message, and it prints no retries.

    The first question is one that the client does not try again for half a minute.
    """
    api = _client(pin)
    log = logging.getLogger("huggingface_hub")
    level = log.level
    log.setLevel(logging.ERROR)
    try:
        api.repo_info(pin.repository, revision=pin.revision, repo_type=pin.kind, timeout=_ANSWER_SECONDS)
        yield api
    except Exception as error:  # what came whole stays in the client's cache
        raise _explained(pin, error) from error
    finally:
        log.setLevel(level)


def _client(pin: Pinned) -> Any:
    if not is_installed("huggingface_hub"):
        raise UserError(
            f"{pin}: not on this machine, and the hub's client is missing. {_HOW_CLIENT} brings it."
        )
    if os.environ.get("HF_HUB_OFFLINE", "").upper() in _TRUE:
        raise UserError(
            f"{pin}: not on this machine, and HF_HUB_OFFLINE is set. Unset it, or run on a machine with"
            f" network `{pin.command}` and copy the cache ({cache_folder()})."
        )
    from huggingface_hub import HfApi

    return HfApi(endpoint=os.environ.get("HF_ENDPOINT") or None, library_name="squtr")


def _explained(pin: Pinned, error: Exception) -> UserError:
    kind = type(error).__name__
    said = " ".join(str(error).split())[:300]
    if kind == "RevisionNotFoundError":
        return UserError(f"{pin}: the hub has the repository, but not this revision.")
    if kind in ("RepositoryNotFoundError", "GatedRepoError"):
        return UserError(
            f"{pin}: the hub shows no such repository. If it is private or gated, HF_TOKEN must hold a token"
            f" that may read it. ({said})"
        )
    return UserError(
        f"{pin}: cannot be fetched ({kind}: {said}). What came whole is kept: with the network back, run the"
        f" same command again; or run `{pin.command}` elsewhere and copy the cache ({cache_folder()})."
    )
