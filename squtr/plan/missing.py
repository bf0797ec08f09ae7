"""What a recipe needs of this machine, asked of each engine and input without loading a model."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from squtr import plugins
from squtr.collection.hub import hub_folder, is_whole
from squtr.errors import NotHere, UserError
from squtr.hub import hub_needs, is_hub_path, pinned_dataset
from squtr.languages import Language
from squtr.needs import HOW_LANGUAGES, Need, needs_of, packages
from squtr.recipe import Recipe, resolve_path, spec_for
from squtr.voices.speakers import HOW_SPEAKERS, read_speakers, refuse_unknown_settings


@dataclass(frozen=True, slots=True)
class Asked:
    """An engine of the recipe, None where it cannot even be imported here, and what it needs."""

    engine: Any
    needs: tuple[Need, ...]


def ask(kind: str, spec: str) -> Asked:
    """Set an engine up and ask what it needs. Raises UserError for an unknown engine or a faulty option."""
    try:
        engine = plugins.load(kind, spec)
    except NotHere as error:
        name, _ = plugins.split_spec(spec)
        return Asked(None, (Need(_KINDS.get(kind, "package"), name, False, str(error)),))
    return Asked(engine, tuple(needs_of(engine)))


_KINDS = {"noise": "noise"}


def text_needs(row: Language) -> list[Need]:
    """Return what reading and normalising a language need besides the default install."""
    return packages(HOW_LANGUAGES, "num2words") if row.number_words else []


def collection_needs(recipe: Recipe) -> Iterator[Need]:
    """Yield the needs for collections on the hub."""
    for source in recipe.collections:
        if is_hub_path(source.path):
            present = is_whole(hub_folder(source.path, source.qrels))
            for path in filter(None, (source.path, source.qrels)):
                yield from hub_needs(pinned_dataset(path), "collection", present)


def speaker_needs(recipe: Recipe, base: Path, voices: dict[str, Any]) -> Iterator[Need]:
    """Yield the needs for speakers by language: the table, rows for the voice, and their prompt recordings.

    `voices` holds the voice engine of each language, or None. Raises UserError for a broken table.
    """
    for language, voice in voices.items():
        name, _ = plugins.split_spec(spec_for(recipe.speak.voice, language))
        what = f"{recipe.speak.speakers}: {language} speakers for {name}"
        how = getattr(voice, "how_speakers", HOW_SPEAKERS)
        try:
            with recipe.origin.of("speak", "speakers"):
                table = resolve_path(recipe.speak.speakers, base, "data_build")
                speakers = read_speakers(table, name, language)
        except NotHere as error:
            yield Need("speakers", what, False, f"{str(error).removesuffix(HOW_SPEAKERS).rstrip()} {how}")
            continue
        refuse_unknown_settings(speakers, voice, table)
        try:
            getattr(voice, "place_speakers", lambda speakers, _: speakers)(speakers, table.parent)
        except UserError as error:
            yield Need("speakers", what, False, str(error))
            continue
        yield Need("speakers", what, True, how)


def space_need(bytes_needed: int, out: Path) -> Need:
    """Return the need for room on the disk where `out` will be."""
    there = next(folder for folder in (out.resolve(), *out.resolve().parents) if folder.exists())
    free = shutil.disk_usage(there).free
    name = f"{bytes_needed / 1e9:.1f} GB at {there} ({free / 1e9:.1f} GB are free)"
    return Need(
        "space", name, free >= bytes_needed, "name a larger disk with --out, and with --cache of build"
    )
