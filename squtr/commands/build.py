"""squtr build."""

from __future__ import annotations

import json
import os
import re
from pathlib import Path

from squtr.counted import counted
from squtr.data_build.build import Summary, build
from squtr.engines import engine_starter
from squtr.errors import UserError
from squtr.languages import language_row, languages, rows_folder
from squtr.progress import reporter
from squtr.recipe import Recipe, check_recipe
from squtr.recipe_engines import moved_spec
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
    chosen = changed_recipe(chosen, base, limit, voice)
    with reporter() as progress:
        try:
            return build(chosen, base, out, start_engine=start_engine, cache=cache, progress=progress)
        except OSError as error:
            raise UserError(_explained(error, out, cache)) from error


def _explained(error: OSError, out: Path, cache: Path | None) -> str:
    """Say which file it is about, by its own name, where it has been written under a temporary one."""
    places = " or ".join(str(place) for place in (out, cache) if place)
    file = Path(error.filename2 or error.filename or places)
    named = file.with_name(re.sub(r"^\.(.+)\.\d+\.[0-9a-f]{8}\.tmp$", r"\1", file.name))
    said = f"{named}: {error.strerror}" if error.strerror else str(error)
    return f"{said}. What was finished is kept: mend it and run the same again."


def show_build(summary: Summary, out: Path, as_json: bool) -> None:
    """Print what a build did."""
    if as_json:
        print(json.dumps(vars(summary) | {"out": str(out), "model_share": summary.model_share}))
        return
    rejected, crashed = sum(summary.rejected.values()), sum(summary.crashed.values())
    spoken = counted(summary.queries, "query")
    if summary.utterances > summary.queries:
        spoken = f"{counted(summary.utterances, 'utterance')} of {spoken}"
    print(
        f"{out}: {summary.accepted} of {spoken} accepted, {rejected} rejected"
        f"{f' ({_listed(summary.rejected)}; see rejected.jsonl)' if rejected else ''}."
    )
    if not summary.accepted:
        print("Nothing was accepted, so there is nothing to evaluate or publish.")
        return
    if crashed:
        stages = _listed(summary.crashed)
        are = "is" if crashed == 1 else "are"
        print(f"{counted(crashed, 'item')} crashed a model ({stages}) and {are} tried again at the next run.")
    print(
        f"{counted(summary.recordings, 'recording')}, {summary.seconds_of_audio / 60:.1f} min; realised SNR"
        f" within {summary.largest_snr_error_db:.4f} dB of the setting."
    )
    computed, reused = sum(summary.computed.values()), sum(summary.reused.values())
    print(
        f"{summary.wall_seconds:.1f} s on {counted(summary.workers, 'worker')}, {summary.model_share:.0%} of"
        f" it in models; {counted(computed, 'stage result')} computed, {reused} reused."
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
    row, rows = language_row(language), rows_folder()
    recogniser = moved_spec("recogniser", row.recogniser, rows, folder.parent)
    plain = {
        "name": source["name"],
        "collections": [source],
        "speak": {"voice": moved_spec("voice", row.voice, rows, folder.parent)},
        "choose": {"recogniser": recogniser},
        "screen": {"recogniser": recogniser},
    }
    return check_recipe(plain, "--collection"), folder.parent


def changed_recipe(recipe: Recipe, base: Path, limit: int | None, voice: str | None) -> Recipe:
    """Return the recipe with what the command line says otherwise; paths there start where it runs."""
    if limit is not None:
        recipe = recipe.model_copy(update={"select": recipe.select.model_copy(update={"limit": limit})})
    if voice is None:
        return recipe
    recipe = recipe.placed_at(recipe.origin.with_option("speak.voice", "--voice"))
    with recipe.origin.of("speak", "voice"):
        speak = recipe.speak.model_copy(update={"voice": moved_spec("voice", voice, Path.cwd(), base)})
    return recipe.model_copy(update={"speak": speak})
