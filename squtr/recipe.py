"""What a recipe may say; the only place with defaults."""

from __future__ import annotations

import difflib
import math
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import (
    BeforeValidator,
    Field,
    PrivateAttr,
    SerializerFunctionWrapHandler,
    field_validator,
    model_serializer,
    model_validator,
)

from squtr.acoustics.condition import Condition
from squtr.collection_source import CollectionSource
from squtr.content import content
from squtr.data_build.layout import behind, condition_name, data_files, snr_name
from squtr.digest import digest
from squtr.errors import NotHere, did_you_mean
from squtr.origin import Origin
from squtr.resources import Resources
from squtr.section import NAME, FaultAt, Location, Section, check_section

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
            if (place := _repeated(values)) is not None:
                raise FaultAt(f"the same judge is listed twice ({values[place]})", place)
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
        if (place := _repeated([value.name for value in values])) is not None:
            raise FaultAt("two conditions have the same name", place, "name")
        return values

    @model_serializer(mode="wrap")
    def _plain(self, write: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """Leave conditions out where there are none, so that what has none keeps its digest."""
        plain: dict[str, Any] = write(self)
        return plain if self.conditions else {key: plain[key] for key in plain if key != "conditions"}

    @property
    def condition_names(self) -> tuple[str, ...]:
        """All acoustic conditions in order: clean, the SNRs, the others."""
        names = (condition_name(snr_db) for snr_db in (None, *self.snrs_db))
        return (*names, *(condition.name for condition in self.conditions))


class Recipe(Section):
    """Everything that decides a build's bytes, and the resources it is given."""

    name: str = Field(pattern=NAME, max_length=64)
    seed: int = 2602
    collections: Annotated[tuple[CollectionSource, ...], Field(min_length=1)]
    select: Select = Select()
    channels: tuple[str, ...] = ()
    speak: Speak = Speak()
    choose: Choose = Choose()
    screen: Screen = Screen()
    mix: Mix = Mix()
    resources: Resources = Resources()
    _origin: Origin = PrivateAttr(default_factory=Origin)

    @model_validator(mode="after")
    def _engines_for_all_languages(self) -> Recipe:
        languages = set(self.languages)
        for location, engine in self._engines_by_language():
            if lacking := sorted(languages - set(engine)):
                raise FaultAt(f"no engine for {lacking[0]!r}, which a collection is in. Add one", *location)
            if unused := sorted(set(engine) - languages):
                raise FaultAt(
                    f"no collection of the recipe is in {unused[0]!r}. Take it out, or correct it",
                    *location,
                    unused[0],
                )
        return self

    def _engines_by_language(self) -> Iterator[tuple[Location, dict[str, str]]]:
        for location, engine in (
            (("speak", "voice"), self.speak.voice),
            (("choose", "recogniser"), self.choose.recogniser),
            (("screen", "recogniser"), self.screen.recogniser),
        ):
            if isinstance(engine, dict):
                yield location, engine

    @model_validator(mode="after")
    def _names_differ(self) -> Recipe:
        place = _repeated([(source.language, source.name.lower()) for source in self.collections])
        if place is not None:
            name = self.collections[place].name
            said = f"an earlier collection of its language is called {name!r} too, capitals aside"
            raise FaultAt(f"{said}. Names must differ", "collections", place, "name")
        return self

    @field_validator("channels")
    @classmethod
    def _channels_differ(cls, values: tuple[str, ...]) -> tuple[str, ...]:
        names = tuple("|".join(part.strip() for part in value.split("|")) for value in values)
        if (place := _repeated(names)) is not None:
            raise FaultAt(f"the same channel is listed twice ({names[place]})", place)
        return names

    @property
    def condition_names(self) -> tuple[str, ...]:
        """All conditions of the data set in order: those of the mix as written, then behind each channel."""
        return tuple(
            behind(channel, name) for channel in (None, *self.channels) for name in self.mix.condition_names
        )

    @property
    def origin(self) -> Origin:
        """Where its values stand, for messages."""
        return self._origin

    def placed_at(self, origin: Origin) -> Recipe:
        """Return the same recipe, known to stand there."""
        copy = self.model_copy()
        copy._origin = origin
        return copy

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
        """The recipe as plain values, without the resources it ran with, and channels where it has none."""
        return self.model_dump(mode="json", exclude={"resources", *(() if self.channels else ("channels",))})

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
        return data_files(self.subsets, self.condition_names)


def check_recipe(
    plain: dict[str, Any], where: str, line_of: Callable[[Location], int | None] = lambda location: None
) -> Recipe:
    """Validate a recipe's plain YAML values, as `check_section` does."""
    return check_section(Recipe, plain, where, line_of).placed_at(Origin(where, line_of))


def resolve_path(path: str, base: Path, *embedded: str) -> Path:
    """Return an input path: absolute, relative to the recipe, or inside an embedded content folder."""
    candidates = [base / path, content(*embedded, path)]
    for candidate in candidates:
        if candidate.exists():
            return candidate
    tried = list(dict.fromkeys(map(str, candidates)))
    looked = "" if tried == [path] else f" (looked at {' and '.join(tried)})"
    raise NotHere(f"{path}: no such file or folder{looked}.{_near(candidates)}")


def _near(candidates: list[Path]) -> str:
    """Return ` Did you mean 'x'?` for a name beside a path that is not there, and nothing for none."""
    wanted = candidates[0].name
    beside = {entry.name for path in candidates if path.parent.is_dir() for entry in path.parent.iterdir()}
    return (
        did_you_mean(wanted, near) if (near := difflib.get_close_matches(wanted, beside, cutoff=0.7)) else ""
    )


def _repeated(values: Sequence[object]) -> int | None:
    """Return the place of the first value that stands earlier too."""
    return next((place for place, value in enumerate(values) if value in values[:place]), None)
