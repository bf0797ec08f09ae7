"""Where a model's files lie: a folder of one's own, or a repository on the Hugging Face hub at a commit."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from squtr.digest import digest, digest_file
from squtr.errors import UserError
from squtr.hub import Pinned, fetch, hub_needs, list_files, pinned_model
from squtr.needs import Need
from squtr.options import text_option


@dataclass(frozen=True, slots=True)
class FilesOf:
    """Which files make a kind of model.

    what, reader: the model's and the package's names in messages. wanted: patterns of the files that are
    taken; least: names of those that must be there; weights: patterns of weight files in order of
    preference, the first that matches anything being taken. A `*` does not reach into folders.
    """

    what: str
    reader: str
    wanted: tuple[str, ...]
    least: tuple[str, ...]
    weights: tuple[str, ...] = ()

    def chosen(self, names: Iterable[str]) -> list[str]:
        """Return those of a repository's or folder's files that are taken, sorted."""
        offered = sorted(names)
        found = [name for name in offered if any(_fits(name, pattern) for pattern in self.wanted)]
        matching = ([name for name in offered if _fits(name, pattern)] for pattern in self.weights)
        return sorted({*found, *next(filter(None, matching), [])})

    def lacking(self, folder: Path) -> list[str]:
        """Return what must be there and is not, by name; of the weights the pattern that is best."""
        found = [name for name in self.least if not (folder / name).is_file()]
        has_weights = not self.weights or any(any(folder.glob(pattern)) for pattern in self.weights)
        return found if has_weights else [*found, self.weights[0]]


@dataclass(frozen=True, slots=True)
class ModelFiles:
    """One model's place. `pin` is None for a folder."""

    files: FilesOf
    folder: Path
    pin: Pinned | None

    @property
    def identity(self) -> str:
        """The pin, or a digest of the folder's files."""
        return str(self.pin) if self.pin else folder_digest(self.folder, self.files)

    def needs(self) -> list[Need]:
        """Return the need for the model."""
        if self.pin is None:
            there = not self.files.lacking(self.folder)
            return [Need("model", str(self.folder), there, "name a folder with the model's files")]
        return hub_needs(self.pin, "model", not self.files.lacking(self.pin.snapshot))

    def place(self) -> Path:
        """Return the model's folder, fetched if need be. Raises UserError when files are missing."""
        folder = self.folder if self.pin is None else _fetched(self.pin, self.files)
        if lacking := self.files.lacking(folder):
            raise UserError(
                f"{folder}: no {self.files.what} model; {', '.join(lacking)} missing. Name a folder that"
                f" {self.files.reader} can read, or a repository of the hub with revision=."
            )
        return folder


def model_files(model: str, revision: str | None, files: FilesOf, default: Pinned | None) -> ModelFiles:
    """Return where `model` lies: a folder, or a name on the hub, which needs a `revision`.

    The `default` needs none, for it is pinned. Raises UserError for a name or revision that is none.
    """
    folder = Path(text_option("model", model))
    if folder.is_dir():
        if revision is not None:
            raise UserError(f"{folder}: is a folder, so revision says nothing. Leave it out.")
        return ModelFiles(files, folder, None)
    if default is not None and revision is None and folder == Path(default.repository):
        return ModelFiles(files, folder, default)
    named = "" if revision is None else text_option("revision", revision)
    return ModelFiles(files, folder, pinned_model(folder.as_posix(), named))


@functools.cache
def folder_digest(folder: Path, files: FilesOf) -> str:
    """Return a digest of what decides a transcript in a folder."""
    names = (file.relative_to(folder).as_posix() for file in folder.rglob("*") if file.is_file())
    return digest({name: digest_file(folder / name) for name in files.chosen(names)})


@functools.cache
def _fetched(pin: Pinned, files: FilesOf) -> Path:
    if not files.weights and all((pin.snapshot / name).is_file() for name in files.wanted):
        return pin.snapshot
    return fetch(pin, sorted({*files.chosen(list_files(pin)), *files.least}))


def _fits(name: str, pattern: str) -> bool:
    return name.count("/") == pattern.count("/") and fnmatchcase(name, pattern)
