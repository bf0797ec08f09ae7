"""Catalogues: YAML files that say which recordings a noise source has, and on what terms."""

from __future__ import annotations

import functools
import string
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import AfterValidator, Field, field_validator, model_validator

from squtr.content import content
from squtr.errors import UserError, did_you_mean
from squtr.noise_sources.tree import glob_pattern
from squtr.recipe_file import line_of, plain_yaml
from squtr.section import Section, check_section

SYNTHETIC = "embedded"
_ID_FIELDS = ("category", "path", "stem")
_NAME = r"^[\w][\w.-]*$"
_FILE = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
_Name = Annotated[str, Field(pattern=_NAME, max_length=80)]


def _glob(text: str) -> str:
    if not text or text.startswith("/") or "\\" in text or ".." in text.split("/"):
        raise ValueError("a glob is relative to the folder, with / between names and no ..")
    glob_pattern(text)
    return text


_Globs = tuple[Annotated[str, AfterValidator(_glob)], ...]
_Sources = dict[_Name, tuple[_Name, ...]]


class Expect(Section):
    """What a whole copy looks like: length, rates, files a category and channels a file.

    `assumed_sample_rate` is for files that state no rate, or a wrong one.
    """

    seconds: Annotated[float, Field(gt=0)] | None = None
    sample_rates: tuple[int, ...] = ()
    assumed_sample_rate: Annotated[int, Field(gt=0)] | None = None
    files: Annotated[int, Field(gt=0)] | None = None
    channels: Annotated[int, Field(gt=0)] | None = None


class Archive(Section):
    """One file to download. What is not known is null."""

    file: Annotated[str, Field(pattern=_FILE)]
    category: _Name
    rate: str = ""
    bytes: Annotated[int, Field(gt=0)] | None = None
    md5: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")] | None = None
    sha256: Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")] | None = None


class Download(Section):
    """Where the archives lie; `{file}` in the URL stands for an archive's name. '' for an unknown place."""

    url: str = ""
    archives: tuple[Archive, ...]


class Reading(Section):
    """One way to read a category: categories of other sources; none of them leaves the category out."""

    sources: _Sources = Field(default_factory=dict)
    note: str = ""


class Category(Section):
    """A category: globs of files, categories of other sources, or several readings to choose from.

    In YAML a glob may stand for a list of globs, and either for the whole.
    """

    title: str = ""
    note: str = ""
    files: _Globs = ()
    channels: tuple[Annotated[int, Field(ge=1)], ...] = ()
    sources: _Sources = Field(default_factory=dict)
    reading: str = ""
    readings: dict[_Name, Reading] = Field(default_factory=dict)

    @model_validator(mode="before")
    @classmethod
    def _globs_alone(cls, plain: Any) -> Any:
        whole = {"files": plain} if isinstance(plain, (str, tuple)) else plain
        if isinstance(whole, dict) and isinstance(whole.get("files"), str):
            return whole | {"files": (whole["files"],)}
        return whole

    @model_validator(mode="after")
    def _one_kind(self) -> Category:
        if sum(map(bool, (self.files, self.sources, self.readings))) > 1:
            raise ValueError("files, sources and readings exclude each other")
        if self.readings and self.reading not in self.readings:
            raise ValueError(f"reading has to be one of {', '.join(self.readings)}")
        return self


class Catalogue(Section):
    """A noise source: its categories and its terms."""

    name: Annotated[str, Field(pattern=_FILE, max_length=40)]
    title: str = ""
    licence: str | tuple[str, ...]
    redistribute: bool = True
    synthetic: bool = False
    path: str = ""
    id: str = "{path}"
    same_id: Literal["refuse", "highest_rate"] = "refuse"
    expect: Expect = Expect()
    files: _Globs = ()
    channels: tuple[Annotated[int, Field(ge=1)], ...] = ()
    categories: Annotated[dict[_Name, Category], Field(min_length=1)]
    download: Download | None = None

    @field_validator("id")
    @classmethod
    def _known_fields(cls, template: str) -> str:
        fields = [field for _, field, _, _ in string.Formatter().parse(template) if field is not None]
        wrong = sorted(set(fields) - set(_ID_FIELDS))
        if wrong or not fields:
            raise ValueError(f"an id is made of {', '.join('{' + name + '}' for name in _ID_FIELDS)}")
        return template

    @model_validator(mode="after")
    def _every_category_has_something(self) -> Catalogue:
        for name, category in self.categories.items():
            if not (self.globs(name) or category.sources or category.readings):
                raise ValueError(f"category {name} has neither files nor sources")
        unknown = {archive.category for archive in self.download.archives} if self.download else set()
        if unknown - set(self.categories):
            raise ValueError(f"download: no category {', '.join(sorted(unknown - set(self.categories)))}")
        return self

    def globs(self, category: str) -> _Globs:
        """Return the globs of a category; those of the catalogue hold where it has none of its own."""
        own = self.categories[category]
        if own.sources or own.readings:
            return ()
        return own.files or tuple(glob.replace("{category}", category) for glob in self.files)

    @property
    def terms(self) -> str:
        """The licences in one line."""
        return self.licence if isinstance(self.licence, str) else "; ".join(self.licence)


@functools.cache
def built_in() -> dict[str, Path]:
    """Return the files of the built-in catalogues by name."""
    return {
        path.stem: path for path in sorted(content("noise_sources").glob("*.yaml")) if path.stem != SYNTHETIC
    }


def find_catalogue(spec: str | Path) -> Path:
    """Return the file of a catalogue given by path or built-in name. Raises UserError."""
    if Path(spec).is_file():
        return Path(spec)
    if str(spec) in built_in():
        return built_in()[str(spec)]
    hint = did_you_mean(str(spec), built_in())
    raise UserError(f"{spec}: no such catalogue file, and no built-in noise source of that name.{hint}")


def read_catalogue(path: Path) -> Catalogue:
    """Read and check a catalogue. Raises UserError that names file and line of every wrong key."""
    plain, tree = plain_yaml(path)
    if tree is None or not isinstance(plain, dict):
        raise UserError(f"{path}: a noise source is a mapping with at least name, licence and categories.")
    return check_section(Catalogue, plain, str(path), functools.partial(line_of, tree))
