"""Collections on the hub: the files of the judged split at a pinned revision, as a folder of links."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterable
from pathlib import Path

from squtr.collection.findings import Findings
from squtr.collection.layout import find_layout
from squtr.errors import UserError
from squtr.hub import Pinned, fetch, list_files, pinned_dataset
from squtr.store import temporary_name

_SHARD = re.compile(r"(?P<stem>.*)-\d{5}-of-(?P<count>\d{5})[-.].*")


def hub_collection(path: str, qrels: str | None = None) -> Path:
    """Return a folder with the collection at `hf://datasets/organisation/name@revision`.

    `qrels` names a second repository where judgements lie in one of their own. The folder holds links to
    the files in the hub's cache that `find_layout` takes: corpus, queries, and the judgements of one split.
    It is made at the first use; later uses need no network. Raises UserError.
    """
    folder = hub_folder(path, qrels)
    if is_whole(folder):
        return folder
    pins = {"": pinned_dataset(path), **({"qrels/": pinned_dataset(qrels)} if qrels else {})}
    places = {prefix + name: (pin, name) for prefix, pin in pins.items() for name in list_files(pin)}
    wanted = _needed(places, path)
    for pin in pins.values():
        fetch(pin, [name for owner, name in map(places.__getitem__, wanted) if owner == pin])
    _link(folder, {name: _in_cache(*places[name]) for name in wanted})
    return folder


def hub_folder(path: str, qrels: str | None = None) -> Path:
    """Return where the folder of links of a collection is made, there or not."""
    pins = [pinned_dataset(one) for one in (path, qrels) if one]
    names = [f"{pin.repository.replace('/', '--')}@{pin.revision}" for pin in pins]
    cache = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser()
    return cache / "squtr" / "hub" / "+".join(names)


def is_whole(folder: Path) -> bool:
    """Say whether the folder is there and no file behind its links was deleted from the hub's cache."""
    return folder.is_dir() and all(path.is_file() for path in folder.rglob("*") if path.is_symlink())


def _needed(names: Iterable[str], path: str) -> list[str]:
    """Return the files of a listing that `find_layout` takes, found out on empty files of these names."""
    offered = {name for name in names if not {"", "..", "."} & set(name.split("/"))}
    with tempfile.TemporaryDirectory() as temporary:
        root = Path(temporary).resolve()
        for name in offered:
            if name.endswith(".tsv") and f"{name[:-4]}.jsonl" in offered:
                continue
            (root / name).parent.mkdir(parents=True, exist_ok=True)
            (root / name).touch()
        try:
            layout = find_layout(root, Findings(root))
        except UserError as error:
            raise UserError(str(error).replace(str(root), path)) from None
        files = (*layout.corpus, *layout.queries, *layout.qrels)
        wanted = [file.relative_to(root).as_posix() for file in files]
    _refuse_lost_shards(wanted, path)
    return wanted


def _refuse_lost_shards(names: list[str], path: str) -> None:
    for name in names:
        shard = _SHARD.fullmatch(name)
        there = [other for other in names if shard and other.startswith(f"{shard['stem']}-")]
        if shard and len(there) != int(shard["count"]):
            raise UserError(
                f"{path}: {len(there)} of {int(shard['count'])} files of {shard['stem']} are on this machine,"
                " and the hub cannot be asked for the others. Run it again with network."
            )


def _in_cache(pin: Pinned, name: str) -> Path:
    return pin.snapshot / name


def _link(folder: Path, files: dict[str, Path]) -> None:
    """Make the folder of links, whole or not at all."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    making = temporary_name(folder)
    for name, file in files.items():
        (making / name).parent.mkdir(parents=True, exist_ok=True)
        try:
            (making / name).symlink_to(file.resolve())
        except OSError:  # a file system without links
            shutil.copyfile(file, making / name)
    if folder.exists():
        shutil.rmtree(folder, ignore_errors=True)
    try:
        making.rename(folder)
    except OSError:  # another process was first
        shutil.rmtree(making, ignore_errors=True)
        if not is_whole(folder):
            raise
