"""Check: everything that can be wrong with a build is found before any of its work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from squtr import plugins
from squtr.data_build.acoustics import AcousticMixing, check_conditions
from squtr.data_build.mix import Mixing, noise_source, wanted_recordings
from squtr.data_build.screen import Judging, judge
from squtr.data_build.select import Selection, select
from squtr.data_build.speak import Speak, voice
from squtr.digest import digest, digest_file, to_plain
from squtr.recipe import Recipe, resolve_path, spec_for
from squtr.records import NoiseRecording, Speaker
from squtr.text import normaliser, reading_fingerprint
from squtr.transcribe import Transcribe, recogniser
from squtr.voices.speakers import read_speakers


@dataclass(frozen=True)
class Checked:
    """A recipe that can be built on this machine, with what was read to find that out."""

    recipe: Recipe
    selection: Selection
    speakers: dict[str, list[Speaker]]
    recordings: list[NoiseRecording]
    identity: dict[str, Any]
    description: dict[str, Any]

    def mixing(self, out: Path) -> Mixing:
        """Return the mixing stage that writes into `out`."""
        return Mixing(self.recipe.mix.noise, str(out))

    def acoustic_mixing(self, out: Path) -> AcousticMixing:
        """Return the stage that writes conditions which are more than plain noise into `out`."""
        return AcousticMixing(self.recipe.mix.noise, str(out))


def check(recipe: Recipe, base: Path) -> Checked:
    """Read the inputs and load every engine's set-up. Raises UserError for the first fault."""
    languages = recipe.languages
    for language in languages:
        normaliser(language)
    table = resolve_path(recipe.speak.speakers, base, "data_build")
    listed = {language: _listed_speakers(recipe, table, language) for language in languages}
    speakers = _placed(recipe, listed, table.parent)
    selection = select(recipe, base)
    recordings = wanted_recordings(noise_source(recipe.mix.noise), recipe.mix)
    check_conditions(recipe.mix.conditions, recordings)
    _check_engines(recipe, speakers)
    inputs = {
        "collections": {
            f"{collection.language}/{collection.name}": collection.fingerprint
            for collection in selection.collections
        },
        "speakers": digest_file(table),
        **({"prompts": digest(speakers)} if speakers != listed else {}),
    }
    identity = {"name": recipe.name, "recipe": recipe.digest, "inputs": digest(inputs)}
    description = {
        "recipe": recipe.description,
        "inputs": inputs,
        "stages": _fingerprints(recipe, languages),
        "left_out": _left_out(selection),
        "noise_categories": sorted({recording.category for recording in recordings}),
        "findings": {
            f"{collection.language}/{collection.name}": to_plain(collection.findings)
            for collection in selection.collections
        },
    }
    return Checked(recipe, selection, speakers, recordings, identity, description)


def _listed_speakers(recipe: Recipe, table: Path, language: str) -> list[Speaker]:
    spec = spec_for(recipe.speak.voice, language)
    voice(spec)
    name, _ = plugins.split_spec(spec)
    return read_speakers(table, name, language)


def _placed(recipe: Recipe, listed: dict[str, list[Speaker]], folder: Path) -> dict[str, list[Speaker]]:
    """Let a voice that reads files of the speaker table, such as prompt recordings, find them beside it."""
    placed = {}
    for language, speakers in listed.items():
        engine = voice(spec_for(recipe.speak.voice, language))
        placed[language] = getattr(engine, "place_speakers", lambda speakers, _: speakers)(speakers, folder)
    return placed


def _check_engines(recipe: Recipe, speakers: dict[str, list[Speaker]]) -> None:
    """Let each engine that can check itself do so: model digests, packages, keys, speakers' settings."""
    voices = {language: voice(spec_for(recipe.speak.voice, language)) for language in recipe.languages}
    engines: list[Any] = list(voices.values())
    for rule in (recipe.choose, recipe.screen):
        engines += [recogniser(spec_for(rule.recogniser, language)) for language in recipe.languages]
    engines += [judge(rule.judge) for rule in recipe.screen.judges]
    engines.append(noise_source(recipe.mix.noise))
    for engine in dict.fromkeys(engines):
        getattr(engine, "check", lambda: None)()
    for language, group in speakers.items():
        check_speaker = getattr(voices[language], "check_speaker", lambda speaker: None)
        for speaker in group:
            check_speaker(speaker)


def _fingerprints(recipe: Recipe, languages: list[str]) -> dict[str, str]:
    return {
        **{f"read {language}": reading_fingerprint(language) for language in languages},
        **{f"normalise {language}": normaliser(language).version for language in languages},
        **_by_engine("speak", recipe.speak.voice, lambda spec: Speak(spec, recipe.mix.sample_rate)),
        **_by_engine("choose", recipe.choose.recogniser, Transcribe),
        **_by_engine("screen", recipe.screen.recogniser, Transcribe),
        **{f"judge {rule.judge}": Judging(rule.judge).fingerprint for rule in recipe.screen.judges},
        "mix": Mixing(recipe.mix.noise, "").fingerprint,
        **({"acoustics": AcousticMixing(recipe.mix.noise, "").fingerprint} if recipe.mix.conditions else {}),
    }


def _by_engine(
    name: str, engine: str | dict[str, str], stage: Callable[[str], Speak | Transcribe]
) -> dict[str, str]:
    if isinstance(engine, str):
        return {name: stage(engine).fingerprint}
    return {f"{name} {language}": stage(spec).fingerprint for language, spec in engine.items()}


def _left_out(selection: Selection) -> dict[str, dict[str, int]]:
    rows = zip(selection.collections, selection.without_judgements, selection.without_positives, strict=True)
    return {
        f"{collection.language}/{collection.name}": {"unjudged": unjudged, "without_positive": no_positive}
        for collection, unjudged, no_positive in rows
    }
