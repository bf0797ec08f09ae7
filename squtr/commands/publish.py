"""squtr publish."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from squtr.errors import UserError
from squtr.progress import reporter
from squtr.publish.card import LICENSE
from squtr.publish.hub import Target, hub_api, parse_target, upload
from squtr.publish.noise import refuse_protected_noise
from squtr.publish.publish import Staged, stage, staging_folder
from squtr.publish.repository import STAGING_NAMES, staging
from squtr.publish.source import open_source

_SHOWN = 40
_LICENSE_ID = re.compile(r"[a-z0-9][a-z0-9.-]*")


@dataclass(frozen=True)
class Published:
    """What was staged, where it went, and whether it was uploaded."""

    staged: Staged
    target: Target
    uploaded: bool


def run_publish(
    dataset: Path,
    to: str,
    dry_run: bool,
    private: bool,
    place: Path | None,
    license_id: str | None,
    api: Any = None,
    accept_licence: bool = False,
) -> Published:
    """Stage a data set and, unless it is a dry run, upload it; `api` stands in for the hub's client.

    Raises UserError for noise that must not be passed on, unless `accept_licence` says who publishes may.
    """
    target = parse_target(to)
    if license_id is not None and not _LICENSE_ID.fullmatch(license_id):
        raise UserError(f"--license {license_id!r}: give the hub's name of a licence, such as cc-by-sa-4.0.")
    open_source(dataset)
    _refuse_place(place, dataset)
    if not accept_licence:
        refuse_protected_noise(dataset)
    client = None if dry_run else api or hub_api()
    with staging(place or staging_folder(dataset)) as folder:
        with reporter() as progress:
            staged = stage(dataset, target, folder, license_id or LICENSE, progress)
        if client is not None:
            upload(client, staged.root, target, private)
    return Published(staged, target, client is not None)


def _refuse_place(place: Path | None, dataset: Path) -> None:
    """Refuse to stage into a data set, or among files that no staging made."""
    if place is None or not place.exists():
        inside = place is not None and place.resolve().is_relative_to(dataset.resolve())
    else:
        inside = place.resolve().is_relative_to(dataset.resolve()) or not place.is_dir()
        if not inside and {path.name for path in place.iterdir()} - STAGING_NAMES:
            raise UserError(f"{place}: has files that no staging made. Choose an empty or new folder.")
    if inside:
        raise UserError(f"{place}: is a file, or lies in the data set itself. Choose another --staging.")


def show_publish(published: Published, as_json: bool) -> None:
    """Print the files, configurations and sizes, and what happened to them."""
    staged, url = published.staged, published.target.url
    size = sum(count for _, count in staged.files)
    if as_json:
        plain = {
            "url": url,
            "uploaded": published.uploaded,
            "folder": str(staged.root),
            "bytes": size,
            "files": [{"name": name, "bytes": count} for name, count in staged.files],
            "configs": [
                {"name": one.name, "files": len(one.files), "rows": one.rows} for one in staged.configs
            ],
        }
        print(json.dumps(plain, ensure_ascii=False))
        return
    for one in staged.configs:
        print(f"{one.name}: {one.rows} rows, {len(one.files)} files, {one.bytes / 1e6:.1f} MB")
    for name, count in staged.files[:_SHOWN]:
        print(f"  {name} {count}")
    if len(staged.files) > _SHOWN:
        print(f"  and {len(staged.files) - _SHOWN} more")
    done = f"uploaded to {url}" if published.uploaded else f"not uploaded to {url} (dry run)"
    print(f"{staged.root}: {len(staged.files)} files, {size / 1e6:.1f} MB, {done}.")
