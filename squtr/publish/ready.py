"""Published audio made ready to be evaluated: a folder as it is, a zip archive, or a data set on the hub."""

from __future__ import annotations

import os
import re
import shutil
from pathlib import Path, PurePosixPath

from squtr.collection.hub import is_whole
from squtr.digest import digest
from squtr.errors import UserError
from squtr.hub import Pinned, fetch, is_hub_path, list_files, pinned_dataset
from squtr.imported import IMPORT_FILE
from squtr.progress import Reporter
from squtr.publish.fresh import fresh_folder
from squtr.publish.from_parquet import TABLE, write_from_parquet
from squtr.publish.importing import import_squtr

_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]*://")
_HUB = "hf://datasets/organisation/name@commit"
_AUDIO_QUERIES = "*/*/queries_with_audio_*.jsonl"


def ready_dataset(source: str, progress: Reporter) -> Path:
    """Return a data set's folder; what has to be made for it is made once and kept in the user's cache.

    source: a folder, a .zip archive in SQuTR's layout, or `hf://datasets/organisation/name@commit` with that
    layout, such an archive or the Parquet tables of `squtr publish`. Audio is never unpacked to single files.
    Raises UserError.
    """
    if is_hub_path(source):
        return _from_hub(pinned_dataset(source), progress)
    if _ADDRESS.match(source):
        raise UserError(f"{source}: addresses are not fetched from. Download it, or give {_HUB}.")
    path = Path(source)
    if not path.is_file():
        return path
    if path.suffix.lower() != ".zip":
        raise UserError(
            f"{source}: is a file. Give the folder of a data set, a .zip archive of one, or {_HUB}."
        )
    return _from_archive(path, progress)


def results_place(source: str) -> Path:
    """Return where an evaluation's results go by default: beside what is on this disk, else here."""
    if is_hub_path(source):
        return Path(f"{pinned_dataset(source).repository.rpartition('/')[2]}-eval")
    path = Path(source).resolve()
    return path.with_name(f"{path.stem}-eval") if path.is_file() else Path(f"{path}-eval")


def _cache() -> Path:
    general = os.environ.get("XDG_CACHE_HOME") or "~/.cache"
    return Path(general).expanduser() / "squtr" / "datasets"


def _from_archive(path: Path, progress: Reporter) -> Path:
    whole = path.resolve()
    facts = whole.stat()
    folder = _cache() / f"{path.stem}-{digest(str(whole), facts.st_size, facts.st_mtime_ns)[:12]}"
    if not (folder / IMPORT_FILE).is_file():
        import_squtr(path, folder, False, progress)
    return folder


def _from_hub(pin: Pinned, progress: Reporter) -> Path:
    folder = _cache() / f"{pin.repository.replace('/', '--')}@{pin.revision}"
    if folder.is_dir() and is_whole(folder):
        return folder
    shutil.rmtree(folder, ignore_errors=True)
    names = list_files(pin)
    archives = [name for name in names if name.lower().endswith(".zip")]
    if tables := [name for name in names if TABLE.fullmatch(name)]:
        kept = ("manifest.parquet", "rejected.jsonl", "build.json", "noise.json")
        extra = [name for name in kept if name in names]
        snapshot = fetch(pin, [*tables, *extra])
        with fresh_folder(folder) as place:
            write_from_parquet(str(pin), snapshot, tables, place, folder, progress)
            for name in extra:
                shutil.copyfile(snapshot / name, place / name)
    elif any(PurePosixPath(name).match(_AUDIO_QUERIES) for name in names):
        _link(pin, names, folder)
    elif len(archives) == 1:
        import_squtr(_archive(pin, archives[0]), folder, False, progress)
    else:
        raise UserError(
            f"{pin}: holds no data set that squtr knows: no data/{{language}}/{{subset}}/*.parquet, no"
            f" {{language}}/{{subset}}/queries_with_audio_*.jsonl and {len(archives)} zip archives."
        )
    return folder


def _archive(pin: Pinned, name: str) -> Path:
    """Fetch an archive and give it a name that ends in .zip in fact: the hub's cache has links to digests."""
    fetched = fetch(pin, [name]) / name
    place = _cache() / "archives" / f"{pin.revision}-{PurePosixPath(name).name}"
    place.parent.mkdir(parents=True, exist_ok=True)
    place.unlink(missing_ok=True)
    try:
        os.link(fetched.resolve(), place)
    except OSError:  # another disk
        shutil.copyfile(fetched, place)
    return place


def _link(pin: Pinned, names: list[str], folder: Path) -> None:
    """Make a folder of links to the files of SQuTR's layout in the hub's cache."""
    tables = [PurePosixPath(name) for name in names if PurePosixPath(name).match(_AUDIO_QUERIES)]
    roots = {table.parents[2] for table in tables}
    if len(roots) > 1:
        raise UserError(
            f"{pin}: subsets lie below {' and '.join(sorted(map(str, roots)))}. One place is needed."
        )
    root = roots.pop()
    inside = tuple(f"{place}/" for place in {table.parent for table in tables})
    unsafe = re.compile(r"(^|/)\.{0,2}(/|$)|\\")
    wanted = [name for name in names if name.startswith(inside) and not unsafe.search(name)]
    snapshot = fetch(pin, wanted)
    with fresh_folder(folder) as place:
        for name in wanted:
            target = place / PurePosixPath(name).relative_to(root)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.symlink_to((snapshot / name).resolve())
