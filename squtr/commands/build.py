"""squtr build."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from squtr.data_build.build import Summary, build
from squtr.engines import engine_starter
from squtr.errors import UserError
from squtr.languages import language_row, languages
from squtr.progress import reporter
from squtr.recipe import Recipe, check_recipe
from squtr.recipe_file import read_recipe


def run_build(
    recipe: str | None,
    out: Path,
    collection: Path | None,
    language: str | None,
    limit: int | None,
    voice: str | None,
    workers: int,
    cache: Path | None,
    engine: str = "local",
    ray_address: str | None = None,
) -> Summary:
    """Build from a recipe or from a collection folder."""
    start_engine = engine_starter(engine, workers or cores(), ray_address)
    chosen, base = chosen_recipe(recipe, collection, language)
    chosen = changed_recipe(chosen, limit, voice)
    with reporter() as progress:
        return build(chosen, base, out, start_engine=start_engine, cache=cache, progress=progress)


def show_build(summary: Summary, out: Path, as_json: bool) -> None:
    """Print what a build did."""
    if as_json:
        print(json.dumps(vars(summary) | {"out": str(out), "model_share": summary.model_share}))
        return
    rejected, crashed = sum(summary.rejected.values()), sum(summary.crashed.values())
    print(
        f"{out}: {summary.accepted} of {summary.queries} queries accepted, {rejected} rejected"
        f"{f' ({_listed(summary.rejected)}; see rejected.jsonl)' if rejected else ''}."
    )
    if not summary.accepted:
        print("Nothing was accepted, so there is nothing to evaluate or publish.")
        return
    if crashed:
        stages = _listed(summary.crashed)
        print(f"{crashed} items crashed a model ({stages}) and are tried again at the next run.")
    print(
        f"{summary.recordings} recordings, {summary.seconds_of_audio / 60:.1f} min; realised SNR within"
        f" {summary.largest_snr_error_db:.4f} dB of the setting."
    )
    computed, reused = sum(summary.computed.values()), sum(summary.reused.values())
    print(
        f"{summary.wall_seconds:.1f} s on {summary.workers} workers, {summary.model_share:.0%} of it in"
        f" models; {computed} stage results computed, {reused} reused."
    )


def _listed(counts: dict[str, int]) -> str:
    return ", ".join(f"{stage} {count}" for stage, count in counts.items())


def cores() -> int:
    """Return how many processors this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def chosen_recipe(recipe: str | None, collection: Path | None, language: str | None) -> tuple[Recipe, Path]:
    """Return the recipe a command line means, and the folder its paths start from. Raises UserError."""
    if (recipe is None) == (collection is None):
        raise UserError("Give either a recipe or --collection DIR with --language.")
    if recipe is not None:
        if language is not None:
            raise UserError("--language goes with --collection; a recipe names its languages itself.")
        return read_recipe(recipe)
    if language is None:
        raise UserError(f"--collection needs --language. Known: {', '.join(sorted(languages()))}.")
    folder = Path(str(collection)).resolve()
    if not folder.is_dir():
        raise UserError(f"{collection}: no such collection folder.")
    name = "".join(mark if mark.isalnum() and mark.isascii() else "-" for mark in folder.name).strip("-")
    source = {"name": name[:64] or "collection", "language": language, "path": folder.name}
    row = language_row(language)
    plain = {
        "name": source["name"],
        "collections": [source],
        "speak": {"voice": row.voice},
        "choose": {"recogniser": row.recogniser},
        "screen": {"recogniser": row.recogniser},
    }
    return check_recipe(plain, "--collection"), folder.parent


def changed_recipe(recipe: Recipe, limit: int | None, voice: str | None) -> Recipe:
    """Return the recipe with what the command line says otherwise."""
    changes: dict[str, Any] = {}
    if limit is not None:
        changes["select"] = recipe.select.model_copy(update={"limit": limit})
    if voice is not None:
        changes["speak"] = recipe.speak.model_copy(update={"voice": voice})
    return recipe.model_copy(update=changes)
