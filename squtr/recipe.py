"""What a recipe may say; the only place with defaults."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Literal, TypeVar

from pydantic import (
    BaseModel,
    BeforeValidator,
    Field,
    SerializerFunctionWrapHandler,
    ValidationError,
    field_validator,
    model_serializer,
    model_validator,
)

from squtr.acoustics.condition import Condition
from squtr.content import content
from squtr.data_build.layout import condition_name, data_files, snr_name
from squtr.digest import digest
from squtr.errors import UserError, at, did_you_mean
from squtr.resources import Resources
from squtr.section import Section

_SNR_LIMIT_DB = 60.0
_WANTED = {
    "string_type": "a text must stand here; put it in quotes",
    "float_type": "a plain number must stand here",
    "int_type": "a whole number must stand here",
    "tuple_type": "a list must stand here",
    "model_type": "settings, key: value, must stand here",
}


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


class CollectionSource(Section):
    """One collection to read, and the subset name it gets in the data set."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64)
    language: str
    path: str = Field(description="a folder; relative to the recipe, or to the embedded data_build content")


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
    """A judge and the lowest score that passes it, on the judge's own scale."""

    judge: str
    min_score: float


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
        if len({rule.judge for rule in rules}) != len(rules):
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


Location = tuple[Any, ...]
SectionT = TypeVar("SectionT", bound=Section)


def check_recipe(
    plain: dict[str, Any], where: str, line_of: Callable[[Location], int | None] = lambda location: None
) -> Recipe:
    """Validate a recipe's plain YAML values, as `check_section` does."""
    return check_section(Recipe, plain, where, line_of)


def check_section(
    model: type[SectionT],
    plain: dict[str, Any],
    where: str,
    line_of: Callable[[Location], int | None] = lambda location: None,
) -> SectionT:
    """Validate plain YAML values. Raises UserError naming every wrong field and the line `line_of` finds."""
    try:
        return model.model_validate(_tuples(plain))
    except ValidationError as error:
        lines = [
            f"{at(where, line_of(fault['loc']))}: {_describe(fault, model)}"
            for fault in _own_faults(error.errors())
        ]
        raise UserError("\n".join(lines)) from None
    except RecursionError:
        raise UserError(f"{where}: an alias contains itself. Write the values out.") from None


def resolve_path(path: str, base: Path, *embedded: str) -> Path:
    """Return an input path: absolute, relative to the recipe, or inside an embedded content folder."""
    candidates = [base / path, content(*embedded, path)]
    for candidate in candidates:
        if candidate.exists():
            return candidate
    tried = " and ".join(str(candidate) for candidate in candidates)
    raise UserError(f"{path}: no such file or folder (looked at {tried}).")


def _tuples(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_tuples(item) for item in value)
    if isinstance(value, dict):
        return {key: _tuples(item) for key, item in value.items()}
    return value


def _own_faults(faults: list[Any]) -> list[Any]:
    """Leave out that a list is too short where it only is so because an entry is faulty."""
    places = [fault["loc"] for fault in faults]
    return [
        fault
        for fault in faults
        if fault["type"] != "too_short"
        or not any(place != fault["loc"] and place[: len(fault["loc"])] == fault["loc"] for place in places)
    ]


def _describe(fault: Any, model: type[BaseModel]) -> str:
    place = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "extra_forbidden":
        known = _known_keys(model, fault["loc"][:-1])
        return f"unknown key {place!r}.{did_you_mean(str(fault['loc'][-1]), known)}"
    if fault["type"] == "missing":
        return f"{place} is missing."
    message = _WANTED.get(fault["type"]) or fault["msg"].removeprefix("Value error, ")
    return f"{place or model.__name__.lower()}: {message} (found {fault['input']!r})."


def _known_keys(model: type[BaseModel], location: Location) -> list[str]:
    for part in location:
        if isinstance(part, str) and part in model.model_fields:
            model = _section_of(model.model_fields[part].annotation) or model
    return list(model.model_fields)


def _section_of(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_section_of, getattr(annotation, "__args__", ()))), None)
