"""What a recipe may say; the only place with defaults."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    Field,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from squtr.acoustics.condition import Condition
from squtr.collection_source import CollectionSource
from squtr.content import content
from squtr.data_build.layout import condition_name, data_files, snr_name
from squtr.digest import digest
from squtr.errors import NotHere
from squtr.resources import Resources
from squtr.section import Location, Section, check_section

_SNR_LIMIT_DB = 60.0


def _by_language(value: Any) -> Any:
    """Refuse what is neither a spec nor specs by language; a union's own messages would say it twice."""
    specs = value.values() if isinstance(value, dict) and value else [value]
    if not all(isinstance(spec, str) and spec for spec in specs):
        raise ValueError("one engine must stand here, or one for each language, as {en: ..., zh: ...}")
    return value


EngineSpec = Annotated[str | dict[str, str], BeforeValidator(_by_language)]


def spec_for(engine: str | dict[str, str], language: str) -> str:
    """Return the engine a recipe gives a language. Raises KeyError for one that it leaves out."""
    return engine if isinstance(engine, str) else engine[language]


class Select(Section):
    """Which queries are taken: all, or `limit` of them in a stable random order."""

    limit: Annotated[int, Field(gt=0)] | None = None


class Speak(Section):
    """Speech: the voice engine (one, or one a language), the speaker table, how many takes to make."""

    voice: EngineSpec = "kokoro"
    speakers: str = "speakers.jsonl"
    takes: Annotated[int, Field(ge=1, le=20)] = 3


class Choose(Section):
    """The recogniser (one, or one a language) whose error rate picks the best take."""

    recogniser: EngineSpec = "whisper-base"


class JudgeRule(Section):
    """A judge and the lowest score that passes it, on the judge's own scale.

    `name` stands for it in the data set, where a long spec with its addresses and folders would say too much.
    """

    judge: str
    min_score: float
    name: str | None = Field(default=None, min_length=1, max_length=64)

    @model_serializer(mode="wrap")
    def _plain(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave a name out where there is none, so that what has none keeps its digest."""
        plain: dict[str, Any] = write(self)
        return plain if self.name else {key: plain[key] for key in plain if key != "name"}

    @property
    def label(self) -> str:
        """What the judge is called: its name, or its spec."""
        return self.name or self.judge


class Screen(Section):
    """Two-stage screening: error rate first, then judges.

    consensus: `both`, every judge must give its min_score; `mean`, the mean of the scores must reach the
    mean of the min_scores; `any`, one judge is enough. A judge that failed passes nothing: it rejects under
    `both` and `mean`, and is passed over under `any`.
    """

    recogniser: EngineSpec = "whisper-base"
    max_error_rate: Annotated[float, Field(ge=0)] = 0.30
    judges: tuple[JudgeRule, ...] = (
        JudgeRule(judge="dictation", min_score=4.0),
        JudgeRule(judge="dnsmos", min_score=2.5),
    )
    consensus: Literal["both", "mean", "any"] = "both"

    @field_validator("judges")
    @classmethod
    def _judges_differ(cls, rules: tuple[JudgeRule, ...]) -> tuple[JudgeRule, ...]:
        for values in ([rule.judge for rule in rules], [rule.label for rule in rules]):
            if len(set(values)) != len(values):
                raise ValueError("the same judge is listed twice")
        return rules


class Mix(Section):
    """Noise: the source, its categories (all of them when empty), and the SNRs in dB."""

    noise: str = "procedural"
    categories: tuple[str, ...] = ()
    snrs_db: tuple[float, ...] = (20.0, 10.0, 0.0)
    draw_per: Literal["utterance", "condition"] = "utterance"
    sample_rate: Annotated[int, Field(ge=8000, le=96000)] = 24000
    conditions: tuple[Condition, ...] = ()

    @field_validator("snrs_db")
    @classmethod
    def _finite_and_different(cls, values: tuple[float, ...]) -> tuple[float, ...]:
        for value in values:
            if not math.isfinite(value) or abs(value) > _SNR_LIMIT_DB:
                raise ValueError(f"an SNR is a number of dB within ±{_SNR_LIMIT_DB:g}, not {value}")
        if len({snr_name(value) for value in values}) != len(values):
            raise ValueError("the same SNR is listed twice")
        return tuple(value + 0.0 for value in values)

    @field_validator("conditions")
    @classmethod
    def _names_differ(cls, values: tuple[Condition, ...]) -> tuple[Condition, ...]:
        if len({value.name for value in values}) != len(values):
            raise ValueError("two conditions have the same name")
        return values

    @model_serializer(mode="wrap")
    def _plain(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave conditions out where there are none, so that what has none keeps its digest."""
        plain: dict[str, Any] = write(self)
        return plain if self.conditions else {key: plain[key] for key in plain if key != "conditions"}

    @property
    def condition_names(self) -> tuple[str, ...]:
        """All conditions of a data set in order: clean, the SNRs, the others."""
        names = (condition_name(snr_db) for snr_db in (None, *self.snrs_db))
        return (*names, *(condition.name for condition in self.conditions))


class Recipe(Section):
    """Everything that decides a build's bytes, and the resources it is given."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64)
    seed: int = 2602
    collections: Annotated[tuple[CollectionSource, ...], Field(min_length=1)]
    select: Select = Select()
    speak: Speak = Speak()
    choose: Choose = Choose()
    screen: Screen = Screen()
    mix: Mix = Mix()
    resources: Resources = Resources()

    @model_validator(mode="after")
    def _engines_for_all_languages(self) -> Recipe:
        engines = {
            "speak.voice": self.speak.voice,
            "choose.recogniser": self.choose.recogniser,
            "screen.recogniser": self.screen.recogniser,
        }
        for key, engine in engines.items():
            lacking = sorted({source.language for source in self.collections} - set(engine))
            if isinstance(engine, dict) and lacking:
                raise ValueError(f"{key} has no engine for language {', '.join(map(repr, lacking))}")
        return self

    @model_validator(mode="after")
    def _names_differ(self) -> Recipe:
        places = [(source.language, source.name.lower()) for source in self.collections]
        if len(set(places)) != len(places):
            raise ValueError("two collections of one language have the same name")
        return self

    @property
    def digest(self) -> str:
        """Digest of all that decides bytes but where collections lie; what is in them has its own."""
        plain = self.description
        for source in plain["collections"]:
            del source["path"]
            source.pop("qrels", None)
        return digest(plain)

    @property
    def description(self) -> dict[str, Any]:
        """The recipe as plain values, without the resources it ran with."""
        return self.model_dump(mode="json", exclude={"resources"})

    @property
    def languages(self) -> list[str]:
        """The languages of the collections, sorted."""
        return sorted({source.language for source in self.collections})

    @property
    def subsets(self) -> list[str]:
        """The data set's subset folders, such as `en/pocket`."""
        return [f"{source.language}/{source.name}" for source in self.collections]

    @property
    def data_files(self) -> list[str]:
        """The data set's files but audio, README.md and build.json."""
        return data_files(self.subsets, self.mix.condition_names)


def check_recipe(
    plain: dict[str, Any], where: str, line_of: Callable[[Location], int | None] = lambda location: None
) -> Recipe:
    """Validate a recipe's plain YAML values, as `check_section` does."""
    return check_section(Recipe, plain, where, line_of)


def resolve_path(path: str, base: Path, *embedded: str) -> Path:
    """Return an input path: absolute, relative to the recipe, or inside an embedded content folder."""
    candidates = [base / path, content(*embedded, path)]
    for candidate in candidates:
        if candidate.exists():
            return candidate
    tried = " and ".join(dict.fromkeys(map(str, candidates)))
    raise NotHere(f"{path}: no such file or folder (looked at {tried}).")
