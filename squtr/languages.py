"""The languages: one row of data_build/languages.yaml each, and what a language without one is told."""

from __future__ import annotations

import functools
import os
import re
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import Field, field_validator

from squtr.content import content
from squtr.errors import UserError, at
from squtr.section import Section, check_section

FIRST = ("en", "zh")
OWN_FILE = "SQUTR_LANGUAGES"
ERROR_RATES = {"word": "WER", "character": "CER", "mixed": "MER"}
_CODE = r"[a-z]{2,3}"

Seconds = Annotated[float, Field(gt=0)]


class KokoroPart(Section):
    """How Kokoro's phonemes are made, and which accents of espeak-ng a speaker can have."""

    phonemes: Literal["espeak", "mandarin", "japanese"]
    accents: tuple[str, ...] = ()


class Language(Section):
    """Everything that is particular to one language; the file tells of each field.

    `voice` and `recogniser` are those of a build without a recipe; they, `normaliser`, `reading` and
    `analyser` are specs of the registry (squtr.plugins). `number_words`,
    `decimal_mark` and `symbols` are what the parts named `plain` go by.
    """

    name: Annotated[str, Field(min_length=1)]
    voice: str = "kokoro"
    recogniser: str = "whisper-base"
    spoken_name: str | None = None
    tag: Annotated[str, Field(pattern=r"^[a-z]{3}-[A-Z][a-z]{3}$")]
    unit: Literal["word", "character", "mixed"]
    normaliser: str
    reading: str
    analyser: str
    number_words: str | None = None
    decimal_mark: Literal[".", ","] = "."
    symbols: dict[Annotated[str, Field(min_length=1)], str] = Field(default_factory=dict)
    search_form: Literal["heard", "simplified"] = "heard"
    seconds_per_character: tuple[Seconds, Seconds]
    fault_run: Annotated[int, Field(ge=1)]
    whisper_prompt: str | None = None
    kokoro: KokoroPart | None = None
    espeak: tuple[str, ...] = ()

    @field_validator("seconds_per_character")
    @classmethod
    def _rising(cls, band: tuple[float, float]) -> tuple[float, float]:
        if band[0] >= band[1]:
            raise ValueError("the shortest comes first, then the longest")
        return band

    @property
    def error_rate(self) -> str:
        """WER, CER or MER, by the unit."""
        return ERROR_RATES[self.unit]

    @property
    def joiner(self) -> str:
        """What stands between two units of a text in this language."""
        return "" if self.unit == "character" else " "


def language_row(code: str) -> Language:
    """Return a language's row. Raises UserError that names the known ones and the file."""
    known = languages()
    if code not in known:
        raise UserError(
            f"No language {code!r}. Known: {', '.join(sorted(known))}. A language is one row like those of"
            f" {languages_file()}, in a file that {OWN_FILE} names; docs/languages.md tells how to write it."
        )
    return known[code]


def language_tag(code: str) -> str:
    """Return the tag of a language as MTEB writes it; the code itself where no row tells."""
    known = languages()
    return known[code].tag if code in known else code


@functools.cache
def languages() -> dict[str, Language]:
    """Return all rows by code, in the order of the file; those of the file in SQUTR_LANGUAGES come after.

    A row there for a code that is known takes its place.
    """
    own = os.environ.get(OWN_FILE)
    return {**read_languages(languages_file()), **(read_languages(Path(own)) if own else {})}


def languages_file() -> Path:
    """Return where the rows stand."""
    return content("data_build", "languages.yaml")


def rows_folder() -> Path:
    """Return the folder that paths in a row's engines start from: that of the file in SQUTR_LANGUAGES."""
    own = os.environ.get(OWN_FILE)
    return Path(own).resolve().parent if own else languages_file().parent


def read_languages(path: Path) -> dict[str, Language]:
    """Read a file of rows. Raises UserError with file and line for every fault of a row."""
    from squtr.recipe_file import line_of, plain_yaml

    plain, tree = plain_yaml(path)
    if tree is None or not isinstance(plain, dict):
        raise UserError(f"{path}: the languages are a mapping of codes to rows.")
    rows: dict[str, Language] = {}
    for code, row in plain.items():
        place = functools.partial(_line_in_row, line_of, tree, code)
        if not isinstance(code, str) or not re.fullmatch(_CODE, code):
            raise UserError(
                f"{at(path, place(()))}: {code!r} is no language code. Write two or three small letters, in"
                ' quotes where YAML reads something else, such as "no".'
            )
        if not isinstance(row, dict):
            raise UserError(f"{at(path, place(()))}: {code}: settings, key: value, must stand here.")
        rows[code] = check_section(Language, row, str(path), place)
    return rows


def also_decides(part: object, code: str) -> tuple[str, ...]:
    """Return what decides a part's outcome in one language beyond its fingerprint, if there is anything.

    An engine that serves many languages may offer `fingerprint_in(language)`, so that a change to what one
    language needs leaves the results kept for the others alone. English and Chinese (FIRST) stand in the
    fingerprints themselves.
    """
    tell = getattr(part, "fingerprint_in", None)
    told = tell(code) if tell is not None and code not in FIRST else ""
    return (told,) if told else ()


def _line_in_row(line_of: Any, tree: Any, code: Any, location: tuple[Any, ...]) -> int:
    found: int = line_of(tree, (code, *location))
    return found
