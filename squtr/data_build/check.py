"""Check: everything that can be wrong with a build is found before any of its work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from squtr import plugins
from squtr.collection import Remembered
from squtr.data_build.acoustics import AcousticMixing, check_conditions
from squtr.data_build.mix import Mixing, noise_source, noise_terms, wanted_recordings
from squtr.data_build.screen import Judging, judge
from squtr.data_build.select import Selection, select
from squtr.data_build.speak import Speak, voice
from squtr.digest import digest, to_plain
from squtr.errors import NotHere, UserError, at
from squtr.languages import also_decides
from squtr.noise_sources.placing import place_noise
from squtr.recipe import Recipe, resolve_path, spec_for
from squtr.records import NoiseRecording, Speaker
from squtr.text import normaliser, reading_fingerprint
from squtr.transcribe import Transcribe, recogniser
from squtr.voices.speakers import read_speakers, speaker_line, speakers_digest


@dataclass(frozen=True)
class Checked:
    """A recipe that can be built on this machine, with what was read to find that out."""

    recipe: Recipe
    selection: Selection
    speakers: dict[str, list[Speaker]]
    noise: str
    recordings: list[NoiseRecording]
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
    languages = recipe.languages
    for language in languages:
        normaliser(language)
    table = resolve_path(recipe.speak.speakers, base, "data_build")
    listed = {language: _listed_speakers(recipe, table, language) for language in languages}
    speakers = _placed(recipe, listed, table.parent)
    selection = select(recipe, base, remembered)
    noise = place_noise(recipe.mix.noise, base)
    recordings = wanted_recordings(noise_source(noise), recipe.mix)
    check_conditions(recipe.mix.conditions, recordings)
    _check_engines(recipe, noise, speakers, table)
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
        "stages": _fingerprints(recipe, noise, languages),
        "left_out": _left_out(selection),
        **({"noise": noise_terms(noise)} if len(recipe.mix.condition_names) > 1 else {}),
        "noise_categories": sorted({recording.category for recording in recordings}),
        "findings": {
            f"{collection.language}/{collection.name}": to_plain(collection.findings)
            for collection in selection.collections
        },
    }
    return Checked(recipe, selection, speakers, noise, recordings, identity, description)


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


def _check_engines(recipe: Recipe, noise: str, speakers: dict[str, list[Speaker]], table: Path) -> None:
    """Let each engine that can check itself do so: model digests, packages, keys, speakers' settings."""
    voices = {language: voice(spec_for(recipe.speak.voice, language)) for language in recipe.languages}
    engines: list[Any] = list(voices.values())
    for rule in (recipe.choose, recipe.screen):
        for language in recipe.languages:
            heard_by = recogniser(spec_for(rule.recogniser, language))
            getattr(heard_by, "check_language", lambda language: None)(language)
            engines.append(heard_by)
    engines += [judge(rule.judge) for rule in recipe.screen.judges]
    engines.append(noise_source(noise))
    for engine in dict.fromkeys(engines):
        getattr(engine, "check", lambda: None)()
    for language, group in speakers.items():
        check_speaker = getattr(voices[language], "check_speaker", lambda speaker: None)
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
