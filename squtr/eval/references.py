"""References: stored commands with the figures they gave, and published tables, read from eval/references."""

from __future__ import annotations

import functools
import math
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, TypeVar

from pydantic import Field, field_validator

from squtr.content import content
from squtr.errors import UserError, did_you_mean
from squtr.needs import Need, packages
from squtr.recipe_file import line_of, plain_yaml
from squtr.section import Section, check_section

REPLAYS, PUBLISHED = "commands", "languages"
PLACES = ("here", "content", "data", "work", "cache")
IN_PATTERNS = ("language", "subset", "condition")  # squtr eval fills these itself
_PLACEHOLDER = re.compile(r"\{([^{}\s]*)\}")
_HOW_DATA = "give the folder that holds it with --data"
SectionT = TypeVar("SectionT", bound=Section)


class Needs(Section):
    """What a machine must have: importable modules, folders below --data, files beside the reference.

    `how` says where the modules come from.
    """

    modules: tuple[str, ...] = ()
    data: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    how: str = "pip install 'squtr[embedded]'"


class Reference(Section):
    """Commands of squtr and figures that the last one's JSON must hold.

    {here} is the reference's folder, {content} that of recipes and collections, {data} that of --data, {work}
    an empty one, {cache} a store that all references of a run share. A figure that differs by at most
    `tolerance` is OK, by at most `near` near. `expected` has the form of the JSON; its leaves are numbers.
    """

    what: str
    needs: Needs = Needs()
    commands: tuple[str, ...] = Field(min_length=1)
    tolerance: float = Field(ge=0)
    near: float = Field(ge=0)
    expected: dict[str, Any]

    @field_validator("commands")
    @classmethod
    def _placeholders(cls, commands: tuple[str, ...]) -> tuple[str, ...]:
        for name in _PLACEHOLDER.findall(" ".join(commands)):
            if name not in (*PLACES, *IN_PATTERNS):
                raise ValueError(f"unknown placeholder {{{name}}}.{did_you_mean(name, PLACES)}".rstrip("."))
        return commands


class Row(Section):
    """One system as printed: family and the cells of one line, `-` where none is."""

    family: str
    printed: str
    models: str = ""


class Language(Section):
    """The rows of one language: means over the subsets in `over`, heard by `recogniser`."""

    over: tuple[str, ...]
    recogniser: str
    systems: dict[str, Row]
    error_rate: str
    recognisers: dict[str, str]


class Doubt(Section):
    """A reason to take printed figures with care; without languages or systems it is about all of them."""

    says: str
    languages: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()


class Single(Section):
    """One figure of one subset or language, printed outside the tables."""

    language: str
    subset: str | None
    recogniser: str | None
    system: str
    condition: str
    measure: str
    value: float


class Published(Section):
    """Tables as they were printed, and every doubt about them."""

    what: str
    source: str
    measures: tuple[str, ...]
    conditions: tuple[str, ...]
    languages: dict[str, Language]
    deviations: dict[str, float] = Field(default_factory=dict)
    singles: tuple[Single, ...] = ()
    doubts: tuple[Doubt, ...] = ()


def reference_names(kind: str) -> list[str]:
    """Return the names of what is stored: replays or published tables, told apart by a key they have."""
    return [path.stem for path in _files() if kind in (plain_yaml(path)[0] or {})]


def read_reference(spec: str) -> tuple[Reference, Path]:
    """Read a reference by name or path; return it and its folder. Raises UserError with the line."""
    reference, path = _read(spec, Reference, REPLAYS)
    for place, value in leaves(reference.expected):
        if type(value) not in (int, float) or not math.isfinite(value):
            raise UserError(f"{path}: expected {' / '.join(place)} is {value!r}; a number must stand there.")
    if reference.near < reference.tolerance:
        raise UserError(f"{path}: near is below tolerance. Near is the wider of the two.")
    return reference, path.parent


def read_published(spec: str) -> Published:
    """Read published tables by name or path. Raises UserError for a fault or a row of the wrong length."""
    published, path = _read(spec, Published, PUBLISHED)
    for language in published.languages.values():
        rows = [row.printed for row in language.systems.values()]
        if any(len(row.split()) != len(published.conditions) for row in rows):
            raise UserError(f"{path}: a row has not one cell for each of {', '.join(published.conditions)}.")
    return published


def cells(printed: str) -> list[tuple[float, ...] | None]:
    """Return the numbers of a printed line, `.48/.57 -` as [(0.48, 0.57), None]."""
    return [
        None if cell == "-" else tuple(float(number) for number in cell.split("/"))
        for cell in printed.split()
    ]


def needs_of_reference(reference: Reference, here: Path, data: Path | None) -> list[Need]:
    """Return what a reference needs and whether it is there; nothing is imported."""
    needs = reference.needs
    return [
        *packages(needs.how, *needs.modules),
        *(
            Need("collection", name, data is not None and (data / name).is_dir(), _HOW_DATA)
            for name in needs.data or _folder_of_data(reference)
        ),
        *(
            Need("file", name, (here / name).exists(), "a checkout has it, an installed package does not")
            for name in needs.files
        ),
    ]


def _folder_of_data(reference: Reference) -> tuple[str, ...]:
    """The folder itself, where commands name it and no collection in it."""
    return (".",) if any("{data}" in command for command in reference.commands) else ()


def leaves(tree: Any, place: tuple[str, ...] = ()) -> Iterator[tuple[tuple[str, ...], Any]]:
    """Yield the path and value of every leaf of nested mappings."""
    if not isinstance(tree, dict):
        yield place, tree
        return
    for key, value in tree.items():
        yield from leaves(value, (*place, str(key)))


def _read(spec: str, section: type[SectionT], kind: str) -> tuple[SectionT, Path]:
    path = Path(spec)
    if not path.is_file():
        known = {file.stem: file for file in _files()}
        names = reference_names(kind)
        if spec not in names:
            raise UserError(f"{spec}: no such reference and no such file.{did_you_mean(spec, names)}")
        path = known[spec]
    plain, tree = plain_yaml(path)
    if tree is None or not isinstance(plain, dict):
        raise UserError(f"{path}: a reference is a mapping; see docs/references.md.")
    find: Callable[..., int] = functools.partial(line_of, tree)
    return check_section(section, plain, str(path), find), path


def _files() -> Iterable[Path]:
    return sorted(content("eval", "references").glob("*.yaml"))
