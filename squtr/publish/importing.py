"""Import: published audio made ready to be evaluated where it lies, in its archive or folder."""

from __future__ import annotations

import json
import re
import shutil
import zipfile
import zlib
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from squtr.errors import UserError
from squtr.imported import IMPORT_FILE, AudioSource
from squtr.progress import Reporter
from squtr.publish.fresh import fresh_folder
from squtr.publish.listing import Listing, list_files, subset_places
from squtr.publish.official import Difference, SubsetFacts, archive_sha256, differences, subset_facts
from squtr.store import write_atomic

_SCHEMA = 1
_TABLE = re.compile(r"[^/]+\.jsonl|qrels/[^/]+\.(?:jsonl|tsv)")
_PLAIN_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*")


@dataclass(frozen=True)
class Imported:
    """What was imported: facts by subset, what is not as published, and the archive's SHA-256 if computed."""

    subsets: dict[str, SubsetFacts]
    differences: list[Difference]
    sha256: str | None

    @property
    def is_official(self) -> bool:
        """True when everything that was compared is as published."""
        return not self.differences

    def plain(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "official": self.is_official,
            "sha256": self.sha256,
            "differences": [asdict(one) for one in self.differences],
            "subsets": {key: asdict(facts) for key, facts in self.subsets.items()},
        }


def import_squtr(source: Path, out: Path, check_official: bool, progress: Reporter) -> Imported:
    """Write the tables of a published data set and `import.json`, which says where its audio is, to `out`.

    The audio stays where it is: `squtr eval OUT` reads single members of the archive. What differs from the
    official data set is told, and no reason to refuse it; `check_official` computes the archive's SHA-256
    too. Raises UserError for a source in another layout, a dangerous or damaged archive, and if `out` is not
    empty.
    """
    listing = list_files(source)
    prefix, keys = subset_places(listing)
    for part in {part for key in keys for part in key.split("/")}:
        if not _PLAIN_NAME.fullmatch(part):
            raise UserError(f"{source}: {part!r} may hold only letters, digits, '.', '_' and '-'. Rename it.")
    with fresh_folder(out) as place:
        try:
            for key in keys:
                _copy_tables(listing, prefix, key, place)
            facts = {key: subset_facts(listing, prefix, key, progress) for key in keys}
        except (zipfile.BadZipFile, zlib.error, EOFError) as error:
            raise UserError(f"{source}: damaged ({error}). Fetch it again.") from error
        sha256 = archive_sha256(listing, progress) if check_official and source.is_file() else None
        imported = Imported(facts, differences(listing, facts, sha256), sha256)
        audio = AudioSource.of(source, prefix, out).plain()
        plain = {"schema": _SCHEMA, "audio": audio, **imported.plain()}
        write_atomic(place / IMPORT_FILE, json.dumps(plain, ensure_ascii=False, indent=1) + "\n")
    return imported


def _copy_tables(listing: Listing, prefix: str, key: str, place: Path) -> None:
    """Copy a subset's JSONL and qrels files, streamed; a member never grows past its stated size."""
    base = f"{prefix}/{key}/" if prefix else f"{key}/"
    for name in listing.sizes:
        if not name.startswith(base) or not _TABLE.fullmatch(name[len(base) :]):
            continue
        target = place / key / name[len(base) :]
        target.parent.mkdir(parents=True, exist_ok=True)
        with listing.open(name) as file, target.open("wb") as copy:
            shutil.copyfileobj(file, copy, 1 << 20)
