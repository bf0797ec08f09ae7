"""A data set whose audio lies elsewhere: `import.json` says in which folder or archive."""

from __future__ import annotations

import json
import os
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from squtr.archive import member_path
from squtr.errors import UserError

IMPORT_FILE = "import.json"


@dataclass(frozen=True)
class AudioSource:
    """Where the audio lies: a folder or a zip archive of `bytes` bytes, below `prefix`.

    `relative` leads there from the data set's folder, for both may have been moved together.
    """

    source: str
    relative: str
    archive: bool
    prefix: str
    bytes: int | None

    @classmethod
    def of(cls, source: Path, prefix: str, out: Path) -> AudioSource:
        """Describe a source for the data set in `out`."""
        whole = source.resolve()
        relative = Path(os.path.relpath(whole, out.resolve())).as_posix()
        archive = whole.is_file()
        return cls(str(whole), relative, archive, prefix, whole.stat().st_size if archive else None)

    def plain(self) -> dict[str, Any]:
        """Return it as it stands in import.json."""
        return asdict(self)

    def root(self, folder: Path) -> Path:
        """Return the path that {language}/{subset} audio folders lie below.

        Raises UserError when the source is not where it was, or is another one.
        """
        for place in (folder / self.relative, Path(self.source)):
            if place.is_file() if self.archive else place.is_dir():
                break
        else:
            raise UserError(
                f"{folder}: its audio is not at {self.source} any more. Put it back, or import it again."
            )
        place = place.resolve()
        if not self.archive:
            return place / self.prefix
        if place.stat().st_size != self.bytes:
            raise UserError(f"{place}: is not the archive that {folder} was imported from. Import it again.")
        return member_path(place, self.prefix)


def audio_root(folder: Path) -> Path:
    """Return what a data set's audio lies below: its own folder, unless it was imported.

    Raises UserError for an import.json that cannot be used.
    """
    found = _read_import(folder)
    if found is None:
        return folder
    try:
        source = AudioSource(**found["audio"])
    except (KeyError, TypeError) as error:
        raise _unreadable(folder, error) from None
    return source.root(folder)


def import_verdict(folder: Path) -> dict[str, Any] | None:
    """Return what an import found: `official`, by the archive's `sha256` if that was compared, and how many
    `differences` from the official data set and `gaps`, which could not be used.

    None where nothing was imported. Raises UserError for an import.json that cannot be used.
    """
    found = _read_import(folder)
    if found is None:
        return None
    try:
        verdict = {"official": found["official"], "sha256": found["sha256"]}
        gaps = sum(found.get("gaps", {}).values())
        return verdict | {"differences": len(found["differences"]), "gaps": gaps}
    except (KeyError, TypeError, AttributeError) as error:
        raise _unreadable(folder, error) from None


def _read_import(folder: Path) -> dict[str, Any] | None:
    path = folder / IMPORT_FILE
    if not path.is_file():
        return None
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise _unreadable(folder, error) from None
    if not isinstance(found, dict):
        raise _unreadable(folder, "no JSON object")
    return found


def _unreadable(folder: Path, why: object) -> UserError:
    return UserError(f"{folder / IMPORT_FILE}: cannot be read ({why}). Import the data set again.")
