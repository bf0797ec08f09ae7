"""Check: everything that can be wrong with a build is found before any of its work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from squtr import plugins
from squtr.collection import Remembered
from squtr.data_build.acoustics import AcousticMixing, check_conditions
from squtr.data_build.channels import Change, changes
from squtr.data_build.mix import Mixing, noise_source, noise_terms, wanted_recordings
from squtr.data_build.screen import Judging, judge, refuse_beyond_scale
from squtr.data_build.select import Selection, select
from squtr.data_build.speak import Speak, voice
from squtr.digest import digest, to_plain
from squtr.errors import NotHere, UserError, at
from squtr.languages import also_decides
from squtr.recipe import Recipe, resolve_path, spec_for
from squtr.recipe_engines import Use, place_recipe, uses
from squtr.records import NoiseRecording, Speaker
from squtr.text import normaliser, reading_fingerprint
from squtr.transcribe import Transcribe, recogniser
from squtr.voices.speakers import read_speakers, refuse_unknown_settings, speaker_line, speakers_digest


@dataclass(frozen=True)
class Checked:
    """A recipe that can be built on this machine, with what was read to find that out.

    `placed` is the recipe as its engines are loaded; what it says of them is no part of the data set.
    """

    recipe: Recipe
    placed: Recipe
    selection: Selection
    speakers: dict[str, list[Speaker]]
    noise: str
    recordings: list[NoiseRecording]
    changes: list[Change]
    identity: dict[str, Any]
    description: dict[str, Any]

    def mixing(self, out: Path) -> Mixing:
        """Return the mixing stage that writes into `out`."""
        return Mixing(self.noise, str(out))

    def acoustic_mixing(self, out: Path) -> AcousticMixing:
        """Return the stage that writes conditions which are more than plain noise into `out`."""
        return AcousticMixing(self.noise, str(out))


def check(recipe: Recipe, base: Path, remembered: Remembered | None = None) -> Checked:
    """Read the inputs and load every engine's set-up. Raises UserError for the first fault."""
    languages, origin = recipe.languages, recipe.origin
    for place, source in enumerate(recipe.collections):
        with origin.of("collections", place, "language"):
            normaliser(source.language)
    placed = place_recipe(recipe, base)
    channels = changes(recipe, placed)
    engines = _loaded(placed)
    with origin.of("speak", "speakers"):
        table = resolve_path(recipe.speak.speakers, base, "data_build")
        listed = {language: _listed_speakers(placed, table, language) for language in languages}
    for language, group in listed.items():
        refuse_unknown_settings(group, voice(spec_for(placed.speak.voice, language)), table)
    with origin.of("speak", "speakers"):
        speakers = _placed(placed, listed, table.parent)
    selection = select(recipe, base, remembered)
    noise = placed.mix.noise
    with origin.of("mix", "categories"):
        recordings = wanted_recordings(noise_source(noise), recipe.mix)
    with origin.of("mix", "conditions"):
        check_conditions(recipe.mix.conditions, recordings)
    _check_engines(placed, engines)
    _check_speakers(placed, speakers, table)
    inputs = {
        "collections": {
            f"{collection.language}/{collection.name}": collection.fingerprint
            for collection in selection.collections
        },
        "speakers": speakers_digest(table, languages),
        **({"prompts": digest(speakers)} if speakers != listed else {}),
    }
    identity = {"name": recipe.name, "recipe": recipe.digest, "inputs": digest(inputs)}
    description = {
        "recipe": recipe.description,
        "inputs": inputs,
        "stages": {
            **_fingerprints(placed, noise, languages),
            **{f"channel {change.channel}": change.fingerprint for change in channels},
        },
        "left_out": _left_out(selection),
        **({"noise": noise_terms(noise)} if len(recipe.mix.condition_names) > 1 else {}),
        "noise_categories": sorted({recording.category for recording in recordings}),
        "findings": {
            f"{collection.language}/{collection.name}": to_plain(collection.findings)
            for collection in selection.collections
        },
    }
    return Checked(recipe, placed, selection, speakers, noise, recordings, channels, identity, description)


def _loaded(recipe: Recipe) -> dict[Use, Any]:
    """Set every engine up. Raises UserError for one that is unknown, or knows not what the recipe wants."""
    loaders = {"voice": voice, "recogniser": recogniser, "judge": judge, "noise": noise_source}
    engines: dict[Use, Any] = {}
    for use in uses(recipe):
        with recipe.origin.of(*use.location):
            engines[use] = engine = loaders[use.kind](use.spec)
            if use.kind == "recogniser":
                getattr(engine, "check_language", lambda language: None)(use.language)
    refuse_beyond_scale(recipe, [engine for use, engine in engines.items() if use.kind == "judge"])
    return engines


def _listed_speakers(recipe: Recipe, table: Path, language: str) -> list[Speaker]:
    name, _ = plugins.split_spec(spec_for(recipe.speak.voice, language))
    return read_speakers(table, name, language)


def _placed(recipe: Recipe, listed: dict[str, list[Speaker]], folder: Path) -> dict[str, list[Speaker]]:
    """Let a voice that reads files of the speaker table, such as prompt recordings, find them beside it."""
    placed = {}
    for language, speakers in listed.items():
        engine = voice(spec_for(recipe.speak.voice, language))
        placed[language] = getattr(engine, "place_speakers", lambda speakers, _: speakers)(speakers, folder)
    return placed


def _check_engines(recipe: Recipe, engines: dict[Use, Any]) -> None:
    """Let each engine that can check itself do so: model digests, packages, keys."""
    first = {id(engine): use for use, engine in reversed(engines.items())}
    for use, engine in engines.items():
        if first[id(engine)] is use:
            with recipe.origin.of(*use.location):
                getattr(engine, "check", lambda: None)()


def _check_speakers(recipe: Recipe, speakers: dict[str, list[Speaker]], table: Path) -> None:
    for language, group in speakers.items():
        engine = voice(spec_for(recipe.speak.voice, language))
        check_speaker = getattr(engine, "check_speaker", lambda speaker: None)
        for speaker in group:
            _point_to_line(check_speaker, speaker, table)


def _point_to_line(check_speaker: Callable[[Speaker], None], speaker: Speaker, table: Path) -> None:
    try:
        check_speaker(speaker)
    except NotHere:
        raise
    except UserError as error:
        raise UserError(f"{at(table, speaker_line(table, speaker.id))}: {error}") from None


def _fingerprints(recipe: Recipe, noise: str, languages: list[str]) -> dict[str, str]:
    return {
        **{f"read {language}": reading_fingerprint(language) for language in languages},
        **{f"normalise {language}": normaliser(language).version for language in languages},
        **_by_engine("speak", recipe.speak.voice, lambda spec: Speak(spec, recipe.mix.sample_rate)),
        **_by_engine("choose", recipe.choose.recogniser, Transcribe),
        **_by_engine("screen", recipe.screen.recogniser, Transcribe),
        **{f"judge {rule.label}": Judging(rule.judge).fingerprint for rule in recipe.screen.judges},
        **_by_language(recipe, languages),
        "mix": Mixing(noise, "").fingerprint,
        **({"acoustics": AcousticMixing(noise, "").fingerprint} if recipe.mix.conditions else {}),
    }


def _by_engine(
    name: str, engine: str | dict[str, str], stage: Callable[[str], Speak | Transcribe]
) -> dict[str, str]:
    if isinstance(engine, str):
        return {name: stage(engine).fingerprint}
    return {f"{name} {language}": stage(spec).fingerprint for language, spec in engine.items()}


def _by_language(recipe: Recipe, languages: list[str]) -> dict[str, str]:
    """Return what decides an engine's outcome in one language beyond its fingerprint."""
    told: dict[str, str] = {}
    for language in languages:
        engines: dict[str, Any] = {
            "speak": voice(spec_for(recipe.speak.voice, language)),
            "choose": recogniser(spec_for(recipe.choose.recogniser, language)),
            "screen": recogniser(spec_for(recipe.screen.recogniser, language)),
            **{f"judge {rule.label}": judge(rule.judge) for rule in recipe.screen.judges},
        }
        for name, engine in engines.items():
            told.update({f"{name} in {language}": also for also in also_decides(engine, language)})
    return told


def _left_out(selection: Selection) -> dict[str, dict[str, int]]:
    rows = zip(selection.collections, selection.without_judgements, selection.without_positives, strict=True)
    return {
        f"{collection.language}/{collection.name}": {"unjudged": unjudged, "without_positive": no_positive}
        for collection, unjudged, no_positive in rows
    }
