"""squtr noise list, fetch and check."""

from __future__ import annotations

import dataclasses
import json
import math
from collections.abc import Sequence
from pathlib import Path

from squtr import plugins
from squtr.counted import counted
from squtr.noise_sources.catalogue import Archive, find_catalogue, read_catalogue
from squtr.noise_sources.download import Patience, Progress
from squtr.noise_sources.fetch import Fetched, fetch, wanted_archives
from squtr.noise_sources.inspect import Inspection, inspect
from squtr.noise_sources.survey import Offer, by_category, survey
from squtr.progress import Reporter, reporter

_SHOWN = 50
_MB = 1_000_000


def show_noise(spec: str, as_json: bool) -> None:
    """Print the noise sources there are, or the recordings of one."""
    if not spec:
        offers = survey()
        _print(json.dumps(list(map(vars, offers)), ensure_ascii=False)) if as_json else _show_offers(offers)
        return
    source = plugins.load("noise", spec)
    found = by_category(source)
    if as_json:
        facts = {"noise": spec, "licence": getattr(source, "licence", ""), "categories": found}
        _print(json.dumps(facts, ensure_ascii=False))
        return
    for category, ids in found.items():
        _print(f"{category}: {', '.join(ids)}")


def run_fetch(
    source: str, to: Path, environments: Sequence[str], rate: str, base_url: str, patience: Patience
) -> list[Fetched]:
    """Fetch the archives of a source, with progress. Raises UserError."""
    catalogue = read_catalogue(find_catalogue(source))
    names = [name for group in environments for name in group.split(",") if name]
    archives = wanted_archives(catalogue, names, rate)
    with reporter() as progress:
        return fetch(catalogue, archives, to, base_url, patience, lambda archive: told(progress, archive))


def show_fetched(source: str, to: Path, rate: str, fetched: Sequence[Fetched], as_json: bool) -> None:
    """Print what is in the folder now, and on what terms."""
    catalogue = read_catalogue(find_catalogue(source))
    if as_json:
        facts = {"source": catalogue.name, "folder": str(to), "licence": catalogue.licence}
        _print(json.dumps(facts | {"archives": list(map(dataclasses.asdict, fetched))}, ensure_ascii=False))
        return
    for each in fetched:
        other = f", at {rate} there is none" if each.rate != rate else ""
        _print(f"{each.file}: {each.status}, {each.bytes / _MB:.1f} MB, SHA-256 {each.sha256[:16]}...{other}")
    _print(
        f"{to}: {counted(len(fetched), 'archive')} of {catalogue.title or catalogue.name}."
        f" Licence: {catalogue.terms}"
    )


def run_check(folder: Path, source: str, environments: Sequence[str]) -> Inspection:
    """Read a user's copy whole. Raises UserError for a bad call."""
    return inspect(folder, source, [name for group in environments for name in group.split(",") if name])


def show_check(found: Inspection, as_json: bool) -> int:
    """Print what is wrong; return the exit code, 1 if anything is."""
    if as_json:
        _print(json.dumps(vars(found), ensure_ascii=False, allow_nan=False))
        return 1 if found.faults else 0
    for place, what in found.faults[:_SHOWN]:
        _print(f"{place}: {what}")
    for place, what in found.notes[:_SHOWN]:
        _print(f"note: {place}: {what}")
    hidden = max(0, len(found.faults) - _SHOWN) + max(0, len(found.notes) - _SHOWN)
    if hidden:
        _print(f"and {hidden} more: --json names all.")
    hours = sum(row["seconds"] for row in found.recordings) / 3600
    verdict = counted(len(found.faults), "fault") if found.faults else "nothing is wrong"
    there = counted(len(found.recordings), "recording")
    _print(f"{found.folder}: {there} of {found.source}, {hours:.2f} h; {verdict}.")
    return 1 if found.faults else 0


def _show_offers(offers: Sequence[Offer]) -> None:
    for offer in offers:
        here = (
            "made on the spot"
            if offer.kind == "synthetic"
            else f"in {offer.where}"
            if offer.where
            else "here"
        )
        _print(f"{offer.name}: {offer.title}")
        categories = counted(len(offer.categories), "category")
        _print(f"  {categories}, {counted(offer.recordings, 'recording')} {here}")
        _print(f"  licence: {offer.licence}")
        if offer.problem:
            _print(f"  {offer.problem}")


def told(progress: Reporter, archive: Archive) -> Progress:
    """Return what passes the bytes of an archive on to `progress`, in whole MB."""
    stage, said, known = f"{archive.file}, MB", 0, archive.bytes
    progress.total(stage, math.ceil((known or 0) / _MB))

    def tell(there: int, total: int | None) -> None:
        nonlocal said, known
        if total not in (None, known):
            known = total
            progress.total(stage, math.ceil((known or 0) / _MB))
        now = math.ceil(there / _MB) if there == total else there // _MB
        if now != said:
            progress.advance(stage, now - said)
            said = now

    return tell


def _print(line: str) -> None:
    print(line)
