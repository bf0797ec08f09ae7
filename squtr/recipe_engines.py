"""The engines of a recipe: each with its key, and with the paths in its options placed."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from squtr import plugins
from squtr.channels.channel import _without_family as without_family
from squtr.errors import NotHere, UserError
from squtr.noise_sources.placing import place_noise
from squtr.recipe import Recipe
from squtr.section import Location


@dataclass(frozen=True, slots=True)
class Use:
    """One engine where the recipe names it. language: None for an engine that serves all of them."""

    kind: str
    spec: str
    location: Location
    language: str | None = None


def uses(recipe: Recipe) -> Iterator[Use]:
    """Yield voice and recognisers by language, then the judges, then the noise."""
    for kind, engine, location in (
        ("voice", recipe.speak.voice, ("speak", "voice")),
        ("recogniser", recipe.choose.recogniser, ("choose", "recogniser")),
        ("recogniser", recipe.screen.recogniser, ("screen", "recogniser")),
    ):
        for language in recipe.languages:
            if isinstance(engine, str):
                yield Use(kind, engine, location, language)
            else:
                yield Use(kind, engine[language], (*location, language), language)
    for place, rule in enumerate(recipe.screen.judges):
        yield Use("judge", rule.judge, ("screen", "judges", place, "judge"))
    yield Use("noise", recipe.mix.noise, ("mix", "noise"))


def place_recipe(recipe: Recipe, base: Path) -> Recipe:
    """Return the recipe as its engines are loaded: relative paths in their options start from `base`.

    What is written stays the recipe's identity, so that no data set depends on where its recipe lies.
    Raises UserError for an unknown engine, and for a path that lies only where the command runs.
    """
    placed = {use.location: _placed(recipe, use, base) for use in uses(recipe)}

    def engine(spec: str | dict[str, str], *location: str) -> str | dict[str, str]:
        if isinstance(spec, str):
            return placed[location]
        return {language: placed.get((*location, language), one) for language, one in spec.items()}

    judges = tuple(
        rule.model_copy(update={"judge": placed["screen", "judges", place, "judge"], "name": rule.label})
        for place, rule in enumerate(recipe.screen.judges)
    )
    changes = {
        "speak": {"voice": engine(recipe.speak.voice, "speak", "voice")},
        "choose": {"recogniser": engine(recipe.choose.recogniser, "choose", "recogniser")},
        "screen": {
            "recogniser": engine(recipe.screen.recogniser, "screen", "recogniser"),
            "judges": judges,
        },
        "mix": {"noise": placed["mix", "noise"]},
    }
    sections = {section: getattr(recipe, section).model_copy(update=new) for section, new in changes.items()}
    return recipe.model_copy(update={**sections, "channels": tuple(_channels(recipe, base))})


def _channels(recipe: Recipe, base: Path) -> Iterator[str]:
    for place, spec in enumerate(recipe.channels):
        with recipe.origin.of("channels", place):
            yield "|".join(_operator(part, base) for part in spec.split("|"))


def _operator(part: str, base: Path) -> str:
    """Return an operator of a channel, such as `typed:key-swap@0.2,option=value`, with its paths placed."""
    head, comma, options = part.partition(",")
    if not comma:
        return part
    bare = without_family(head.partition("@")[0])
    placed = place_spec("channel", f"{bare},{options}", base)
    return f"{head},{placed.partition(',')[2]}"


def _placed(recipe: Recipe, use: Use, base: Path) -> str:
    with recipe.origin.of(*use.location):
        return place_noise(use.spec, base) if use.kind == "noise" else place_spec(use.kind, use.spec, base)


def place_spec(kind: str, spec: str, base: Path) -> str:
    """Return a spec whose relative paths start from `base`: the options that its class names.

    `paths` are always paths; `names_or_paths` are paths when something lies there.
    """
    name, options = plugins.split_spec(spec)
    try:
        engine = plugins.resolve(kind, name)
    except NotHere:
        return spec
    placed = dict(options)
    for key in set(getattr(engine, "paths", ())) & set(options):
        placed[key] = _absolute(options[key], base)
    for key in set(getattr(engine, "names_or_paths", ())) & set(options):
        placed[key] = _found(key, options[key], base)
    return spec if placed == options else plugins.join_spec(name, placed)


def moved_spec(kind: str, spec: str, start: Path, base: Path) -> str:
    """Return a spec whose relative paths start from `start` as a recipe in `base` would write it."""
    name, given = plugins.split_spec(spec)
    placed = plugins.split_spec(place_spec(kind, spec, start))[1]
    moved = {
        key: os.path.relpath(value, base.resolve()) for key, value in placed.items() if value != given[key]
    }
    return plugins.join_spec(name, {**given, **moved}) if moved else spec


def _absolute(value: Any, base: Path) -> Any:
    if not isinstance(value, str) or not value or "\0" in value:
        return value
    return str(base.resolve() / Path(value).expanduser())


def _found(key: str, value: Any, base: Path) -> Any:
    place = _absolute(value, base)
    if place == value or not isinstance(place, str) or Path(place).exists():
        return place
    if Path(value).exists():
        raise UserError(
            f"{key}={value}: lies where the command runs, and not in the recipe's folder, {base.resolve()}."
            " Paths start from the recipe: write it whole, or from there."
        )
    return value
