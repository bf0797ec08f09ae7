"""What noise there is to choose from, and what of it is on this machine."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from squtr.errors import UserError
from squtr.noise_sources import NoiseSource
from squtr.noise_sources.catalogue import SYNTHETIC, Catalogue, built_in, read_catalogue
from squtr.noise_sources.generators.scenes import find_preset, read_preset
from squtr.noise_sources.planning import locate, plan
from squtr.noise_sources.recordings import Recordings
from squtr.noise_sources.tree import list_tree


@dataclass
class Offer:
    """A noise source: what to write in `mix.noise`, its terms, and its recordings by category.

    `where` is its folder, None when it is not on this machine or needs none; `problem` says why it cannot
    be used as it stands. `categories` has title, note, readings and the number of recordings here.
    """

    name: str
    kind: str
    title: str
    licence: str
    redistribute: bool
    where: str | None
    problem: str | None
    recordings: int = 0
    categories: dict[str, dict[str, Any]] = field(default_factory=dict)


def survey() -> list[Offer]:
    """Return the built-in noise sources: synthetic, recorded, and presets."""
    return [_procedural(), *map(_offer, built_in().values())]


def by_category(source: NoiseSource) -> dict[str, list[str]]:
    """Return the ids of a source's recordings by category."""
    found: dict[str, list[str]] = {}
    for recording in source.recordings():
        found.setdefault(recording.category, []).append(recording.id)
    return found


def _procedural() -> Offer:
    from squtr.noise_sources.procedural import Procedural

    preset = read_preset(find_preset(SYNTHETIC))
    counts = Counter(recording.category for recording in Procedural().recordings())
    categories = {
        scene.category: {"title": scene.title, "note": scene.note, "recordings": counts[scene.category]}
        for scene in preset.scenes
    }
    title = f"{preset.title} (the default)"
    return Offer(
        "procedural", "synthetic", title, preset.licence, True, None, None, counts.total(), categories
    )


def _offer(file: Path) -> Offer:
    catalogue = read_catalogue(file)
    own = any(map(catalogue.globs, catalogue.categories))
    offer = Offer(
        name=catalogue.name,
        kind="recorded" if own else "preset",
        title=catalogue.title or catalogue.name,
        licence=catalogue.terms,
        redistribute=catalogue.redistribute,
        where=None,
        problem=None,
    )
    counts: Counter[str] = Counter()
    try:
        counts.update(_here(catalogue, file, offer) if own else _of_preset(catalogue))
    except UserError as error:
        offer.problem = str(error)
    for name, category in catalogue.categories.items():
        offer.categories[name] = {
            "title": category.title or name,
            "note": category.note,
            "recordings": counts[name],
        }
        if category.readings:
            offer.categories[name] |= {"reading": category.reading, "readings": list(category.readings)}
    offer.recordings = counts.total()
    return offer


def _here(catalogue: Catalogue, file: Path, offer: Offer) -> Sequence[str]:
    folder = locate(catalogue, file, "")
    offer.where = str(folder)
    return [track.recording.category for track in plan(catalogue, list_tree(folder)).tracks]


def _of_preset(catalogue: Catalogue) -> Sequence[str]:
    return [recording.category for recording in Recordings(catalogue.name).recordings()]
