"""A plan: counts, hours, bytes, model calls and prices of a recipe, and what is missing for it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from squtr.data_build.acoustics import check_conditions
from squtr.data_build.channels import read_channels
from squtr.data_build.mix import wanted_recordings
from squtr.data_build.screen import refuse_beyond_scale
from squtr.languages import language_row
from squtr.needs import Need, needs_in, needs_of
from squtr.plan.counts import Counted, count
from squtr.plan.missing import Asked, ask, collection_needs, space_need, speaker_needs, text_needs
from squtr.recipe import Recipe, spec_for
from squtr.recipe_engines import Use, place_recipe, uses

_BYTES_A_SAMPLE = 2
_WAV_HEADER = 44


@dataclass(frozen=True, slots=True)
class Calls:
    """How often a stage calls an engine, at most. usd: what that costs; None where it has no price."""

    stage: str
    engine: str
    languages: tuple[str, ...]
    calls: int
    usd: float | None = None


@dataclass(frozen=True)
class Plan:
    """What a recipe would take, if no utterance were rejected. Bytes are those on disk at the end."""

    recipe: Recipe
    collections: tuple[Counted, ...]
    calls: tuple[Calls, ...]
    needs: tuple[Need, ...]

    @property
    def queries(self) -> int:
        return sum(one.queries for one in self.collections)

    @property
    def takes(self) -> int:
        return self.queries * self.texts * self.recipe.speak.takes

    @property
    def texts(self) -> int:
        """What is spoken of each query: its text, and what comes out behind each channel."""
        return 1 + len(self.recipe.channels)

    @property
    def recordings(self) -> int:
        return self.queries * len(self.recipe.condition_names)

    @property
    def clean_seconds(self) -> float:
        return sum(one.queries * one.seconds for one in self.collections) * self.texts

    @property
    def bytes(self) -> dict[str, int]:
        """Audio files, takes kept in the cache, the data set's corpora, and those still to be fetched."""
        return _bytes(self.recipe, self.collections)

    @property
    def usd(self) -> float | None:
        """All prices together; None where no engine has one."""
        prices = [one.usd for one in self.calls if one.usd is not None]
        return sum(prices) if prices else None

    @property
    def missing(self) -> list[Need]:
        return [need for need in self.needs if not need.present]

    @property
    def is_ready(self) -> bool:
        return not self.missing


def plan(recipe: Recipe, base: Path, out: Path) -> Plan:
    """Work out what a build of `recipe` in `out` takes. Nothing is fetched, loaded or written.

    Raises UserError for what is wrong with the recipe itself, as a build does.
    """
    origin = recipe.origin
    for place, source in enumerate(recipe.collections):
        with origin.of("collections", place, "language"):
            language_row(source.language)
    channels = read_channels(recipe, place_recipe(recipe, base))
    asked = _asked(recipe, base)
    counted = tuple(_counted(recipe, base))
    voices = {use.language: found for use, found in asked.items() if use.kind == "voice" and use.language}
    recognisers = {use.spec: found for use, found in asked.items() if use.kind == "recogniser"}
    judges = {use.spec: found for use, found in asked.items() if use.kind == "judge"}
    refuse_beyond_scale(recipe, [found.engine for found in judges.values()])
    speakers = speaker_needs(recipe, base, {language: found.engine for language, found in voices.items()})
    needs = [
        *collection_needs(recipe),
        *(need for found in asked.values() for need in found.needs),
        *(need for channel in channels for _, operator in channel.operators for need in needs_of(operator)),
        *(need for language, found in voices.items() for need in needs_in(found.engine, language)),
        *(need for language in recipe.languages for need in text_needs(language_row(language))),
        *speakers,
        space_need(sum(_bytes(recipe, counted).values()), out),
    ]
    return Plan(
        recipe,
        counted,
        tuple(_calls(recipe, counted, voices, recognisers, judges)),
        tuple(dict.fromkeys(needs)),
    )


def _asked(recipe: Recipe, base: Path) -> dict[Use, Asked]:
    """Ask every engine, by where the recipe as it is written names it."""
    asked = {}
    for use, placed in zip(uses(recipe), uses(place_recipe(recipe, base)), strict=True):
        with recipe.origin.of(*use.location):
            asked[use] = found = ask(use.kind, placed.spec)
        if use.kind == "noise" and found.engine is not None:
            with recipe.origin.of("mix", "categories"):
                recordings = wanted_recordings(found.engine, recipe.mix)
            with recipe.origin.of("mix", "conditions"):
                check_conditions(recipe.mix.conditions, recordings)
    return asked


def _counted(recipe: Recipe, base: Path) -> Iterator[Counted]:
    for place, source in enumerate(recipe.collections):
        with recipe.origin.of("collections", place, "path"):
            found = count(source, base, recipe.select.limit)
        yield found


def _bytes(recipe: Recipe, counted: tuple[Counted, ...]) -> dict[str, int]:
    seconds = sum(one.queries * one.seconds for one in counted) * (1 + len(recipe.channels))
    recordings = sum(one.queries for one in counted) * len(recipe.condition_names)
    pcm = seconds * recipe.mix.sample_rate * _BYTES_A_SAMPLE
    return {
        "audio": round(pcm * len(recipe.mix.condition_names)) + recordings * _WAV_HEADER,
        "cache": round(pcm * recipe.speak.takes),
        "corpora": sum(one.corpus_bytes for one in counted),
        "downloads": sum(one.corpus_bytes for one in counted if not one.present),
    }


def _calls(
    recipe: Recipe,
    counted: tuple[Counted, ...],
    voices: dict[str, Asked],
    recognisers: dict[str, Asked],
    judges: dict[str, Asked],
) -> Iterator[Calls]:
    """Yield the calls a stage and engine; what the choosing recogniser heard is not asked again to screen."""
    texts = 1 + len(recipe.channels)
    takes, choose, screen = recipe.speak.takes * texts, recipe.choose.recogniser, recipe.screen.recogniser
    for channel in recipe.channels:
        yield _row("change", channel, list(counted), 1)
    for spec, parts in _by_engine(recipe.speak.voice, counted).items():
        voice = voices[parts[0].language].engine
        usd = [_usd(voice, round(one.characters)) for one in parts]
        yield _row("speak", spec, parts, takes, usd)
    for spec, parts in _by_engine(choose, counted).items():
        yield _row("choose", spec, parts, takes, _prices(recognisers[spec], parts))
    for spec, parts in _by_engine(screen, counted).items():
        new = [one for one in parts if spec_for(choose, one.language) != spec]
        kept = tuple(dict.fromkeys(one.language for one in parts))
        prices = _prices(recognisers[spec], new)
        yield _row("screen", spec, new, texts, prices) if new else Calls("screen", spec, kept, 0)
    for spec, asked in judges.items():
        yield _row("judge", spec, list(counted), texts, _prices(asked, counted))


def _by_engine(engine: str | dict[str, str], counted: tuple[Counted, ...]) -> dict[str, list[Counted]]:
    found: dict[str, list[Counted]] = {}
    for one in counted:
        found.setdefault(spec_for(engine, one.language), []).append(one)
    return found


def _row(
    stage: str, spec: str, parts: list[Counted], each: int, usd: list[float | None] | None = None
) -> Calls:
    languages = tuple(Counter(one.language for one in parts))
    calls = sum(one.queries for one in parts) * each
    if usd is None or any(price is None for price in usd):
        return Calls(stage, spec, languages, calls)
    price = sum(one.queries * each * (price or 0.0) for one, price in zip(parts, usd, strict=True))
    return Calls(stage, spec, languages, calls, round(price, 4))


def _prices(asked: Asked, parts: Sequence[Counted]) -> list[float | None]:
    """Return the price of one call about a query's audio, a part each."""
    return [_usd(asked.engine, one.seconds) for one in parts]


def _usd(engine: Any, amount: float) -> float | None:
    price = getattr(engine, "price_usd", None)
    return None if price is None else float(price(amount))
