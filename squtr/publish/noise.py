"""The noise in a data set: its licence, and whether it may be passed on."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from squtr.collection import read_jsonl
from squtr.data_build.seal import is_sealed
from squtr.dataset import audio_tables, subset_folders
from squtr.errors import UserError
from squtr.manifest import read_build
from squtr.noise_sources.protected import protected_by_id
from squtr.publish.listing import Listing
from squtr.store import write_atomic

NOISE_FILE = "noise.json"
Terms = dict[str, Any]


def noise_terms(folder: Path) -> Terms:
    """Return `licence` and `redistribute` of a data set's noise: None where they are not known.

    They stand in build.json, or in noise.json where a data set was exported or imported. Noise that its ids
    show to be of a built-in source that must not be passed on is never free. Raises UserError for a
    noise.json that cannot be used, and a build.json that was edited after the build.
    """
    path, build = folder / NOISE_FILE, read_build(folder)
    if build or not path.is_file():
        terms = _built_terms(build, str(folder / "build.json"))
    else:
        terms = _terms(_read(path.read_bytes(), str(path)))
    if terms["redistribute"] is False:
        return terms
    protected = protected_by_id(_noise_ids(folder))
    return {"licence": protected, "redistribute": False} if protected else terms


def listed_terms(listing: Listing, prefix: str) -> Terms:
    """Return the terms that a source says of itself, in noise.json or build.json. Raises UserError."""
    base = f"{prefix}/" if prefix else ""
    for name in (NOISE_FILE, "build.json"):
        place = f"{listing.source}: {base}{name}"
        if base + name in listing.sizes:
            with listing.open(base + name) as file:
                said = _read(file.read(), place)
            return _terms(said) if name == NOISE_FILE else _built_terms(said, place)
    return _terms(None)


def write_terms(folder: Path, terms: Terms) -> None:
    """Write noise.json, so that the terms go where the audio goes; nothing where nothing is known."""
    if any(value is not None for value in terms.values()):
        write_atomic(folder / NOISE_FILE, json.dumps(terms, ensure_ascii=False, indent=1) + "\n")


def warning(terms: Terms) -> str | None:
    """Return a sentence on noise that must not be passed on, None for any other."""
    if terms["redistribute"] is not False:
        return None
    return f"its noise must not be passed on ({terms['licence'] or 'no licence is known'})."


def refuse_protected_noise(folder: Path) -> None:
    """Raise UserError when a data set's noise must not be passed on."""
    said = warning(noise_terms(folder))
    if said:
        raise UserError(
            f"{folder}: {said} Build with other noise; or, if you have the right to publish this one, say so"
            " with --accept-licence, and the card will name its terms."
        )


def _noise_ids(folder: Path) -> set[str]:
    tables = [table for place in subset_folders(folder) for table in audio_tables(place)]
    return {
        row["noise_id"]
        for table in tables
        for _, row in read_jsonl(table)
        if isinstance(row.get("noise_id"), str)
    }


def _built_terms(build: dict[str, Any], place: str) -> Terms:
    if build and not is_sealed(build):
        raise UserError(f"{place}: was edited after the build, so its terms are not known. Restore it.")
    return _terms(build.get("noise"))


def _terms(said: Any) -> Terms:
    told = said if isinstance(said, dict) else {}
    return {name: told.get(name) for name in ("licence", "redistribute")}


def _read(data: bytes, place: str) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except ValueError as error:
        raise UserError(
            f"{place}: no JSON ({error}). Restore it: it tells whether the noise may be passed on."
        ) from None
    if not isinstance(found, dict):
        raise UserError(
            f"{place}: no settings in it. Restore it: it tells whether the noise may be passed on."
        )
    return found
