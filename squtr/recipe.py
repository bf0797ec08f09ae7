"""What a recipe may say; the only place with defaults."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Annotated, Any, Literal

import yaml
from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator, model_validator

from squtr.content import content
from squtr.digest import digest
from squtr.errors import UserError, did_you_mean

_SNR_LIMIT_DB = 60.0


class Section(BaseModel):
    """A part of a recipe: frozen, strictly typed, unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)


class CollectionSource(Section):
    """One collection to read, and the subset name it gets in the data set."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64)
    language: str
    path: str = Field(description="a folder; relative to the recipe, or to the embedded data_build content")


class Select(Section):
    """Which queries are taken: all, or `limit` of them in a stable random order."""

    limit: Annotated[int, Field(gt=0)] | None = None


class Speak(Section):
    """Speech: the voice engine, the speaker table, and how many takes to make."""

    voice: str = "kokoro"
    speakers: str = "speakers.jsonl"
    takes: Annotated[int, Field(ge=1, le=20)] = 3


class Choose(Section):
    """The recogniser whose error rate picks the best take."""

    recogniser: str = "whisper-base"


class JudgeRule(Section):
    """A judge and the lowest score that passes it, on the judge's own scale."""

    judge: str
    min_score: float


class Screen(Section):
    """Two-stage screening: error rate first, then judges who must all pass it."""

    recogniser: str = "whisper-base"
    max_error_rate: Annotated[float, Field(ge=0)] = 0.30
    judges: tuple[JudgeRule, ...] = (
        JudgeRule(judge="dictation", min_score=4.0),
        JudgeRule(judge="dnsmos", min_score=2.5),
    )


class Mix(Section):
    """Noise: the source, its categories (all of them when empty), and the SNRs in dB."""

    noise: str = "procedural"
    categories: tuple[str, ...] = ()
    snrs_db: tuple[float, ...] = (20.0, 10.0, 0.0)
    draw_per: Literal["utterance", "condition"] = "utterance"
    sample_rate: Annotated[int, Field(ge=8000, le=96000)] = 24000

    @field_validator("snrs_db")
    @classmethod
    def _finite_and_different(cls, values: tuple[float, ...]) -> tuple[float, ...]:
        for value in values:
            if not math.isfinite(value) or abs(value) > _SNR_LIMIT_DB:
                raise ValueError(f"an SNR is a number of dB within ±{_SNR_LIMIT_DB:g}, not {value}")
        if len(set(values)) != len(values):
            raise ValueError("the same SNR is listed twice")
        return values


class Recipe(Section):
    """Everything that decides a build's bytes."""

    name: str = Field(pattern=r"^[A-Za-z0-9][A-Za-z0-9._-]*$", max_length=64)
    seed: int = 2602
    collections: Annotated[tuple[CollectionSource, ...], Field(min_length=1)]
    select: Select = Select()
    speak: Speak = Speak()
    choose: Choose = Choose()
    screen: Screen = Screen()
    mix: Mix = Mix()

    @model_validator(mode="after")
    def _names_differ(self) -> Recipe:
        places = [(source.language, source.name.lower()) for source in self.collections]
        if len(set(places)) != len(places):
            raise ValueError("two collections of one language have the same name")
        return self

    @property
    def digest(self) -> str:
        return digest(self.model_dump(mode="json"))


def read_recipe(spec: str | Path) -> tuple[Recipe, Path]:
    """Read a recipe by path or built-in name; return it and the folder its paths start from."""
    path = find_recipe(spec)
    try:
        plain = yaml.safe_load(path.read_text(encoding="utf-8-sig"))
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: not plain YAML in UTF-8: {_one_line(error)}.") from error
    if not isinstance(plain, dict):
        raise UserError(f"{path}: a recipe is a mapping with at least name and collections.")
    return check_recipe(plain, str(path)), path.parent


def find_recipe(spec: str | Path) -> Path:
    """Return the file of a recipe given by path or built-in name."""
    path = Path(spec)
    if path.is_file():
        return path
    folder = content("data_build", "recipes")
    built_in = folder / f"{path.name}.yaml"
    if path.name == str(spec) and built_in.is_file():
        return built_in
    hint = did_you_mean(str(spec), [file.stem for file in folder.glob("*.yaml")])
    raise UserError(f"{spec}: no such recipe file, and no built-in recipe of that name.{hint}")


def check_recipe(plain: dict[str, Any], where: str) -> Recipe:
    """Validate plain YAML values. Raises UserError naming every wrong field."""
    try:
        return Recipe.model_validate(_tuples(plain))
    except ValidationError as error:
        lines = [_describe(detail) for detail in error.errors()]
        raise UserError("\n".join(f"{where}: {line}" for line in lines)) from None


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


def _describe(detail: Any) -> str:
    place = ".".join(str(part) for part in detail["loc"])
    if detail["type"] == "extra_forbidden":
        return (
            f"unknown key {place!r}.{did_you_mean(str(detail['loc'][-1]), _known_keys(detail['loc'][:-1]))}"
        )
    message = detail["msg"].removeprefix("Value error, ")
    shown = "" if detail["type"] == "missing" else f" (found {detail['input']!r})"
    return f"{place or 'recipe'}: {message}{shown}."


def _known_keys(location: tuple[Any, ...]) -> list[str]:
    model: type[BaseModel] = Recipe
    for part in location:
        if isinstance(part, str) and part in model.model_fields:
            found = _section_of(model.model_fields[part].annotation)
            model = found or model
    return list(model.model_fields)


def _section_of(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    for argument in getattr(annotation, "__args__", ()):
        if found := _section_of(argument):
            return found
    return None


def _one_line(error: Exception) -> str:
    return " ".join(str(error).split())
