"""Words of speech by language, as channels/spoken_words.yaml and the folder channels/homophones list them."""

from __future__ import annotations

import functools
from typing import Annotated, Any

import yaml
from pydantic import Field

from squtr.content import content
from squtr.errors import UserError
from squtr.recipe_file import line_of, plain_yaml
from squtr.section import Section, check_section

Text = Annotated[str, Field(min_length=1)]


class SpokenWords(Section):
    """One language's row; the file tells of each field."""

    fillers: tuple[Text, ...] = ()
    always: tuple[Text, ...] = ()
    set_off: tuple[Text, ...] = ()
    may_repeat: tuple[Text, ...] = ()
    function_words: str = ""


@functools.cache
def spoken_words() -> dict[str, SpokenWords]:
    """Return the rows by language. Raises UserError with file and line for a fault of the file."""
    path = content("channels", "spoken_words.yaml")
    plain, tree = plain_yaml(path)
    if tree is None or not isinstance(plain, dict):
        raise UserError(f"{path}: the words are a mapping of languages to rows.")
    return {
        code: check_section(SpokenWords, row, str(path), functools.partial(_line_in_row, tree, code))
        for code, row in plain.items()
    }


def _line_in_row(tree: yaml.Node, code: str, location: tuple[Any, ...]) -> int:
    return line_of(tree, (code, *location))


def languages_with(field: str) -> tuple[str, ...]:
    """Return the languages whose row has a field, in alphabetical order."""
    return tuple(sorted(code for code, row in spoken_words().items() if getattr(row, field)))


@functools.cache
def homophones(language: str) -> dict[str, tuple[str, ...]]:
    """Return the words of channels/homophones/LANGUAGE.txt, each with those that sound like it."""
    path = content("channels", "homophones", f"{language}.txt")
    found: dict[str, tuple[str, ...]] = {}
    for line in path.read_text(encoding="utf-8").splitlines():
        alike = line.split() if not line.startswith("#") else []
        for word in alike:
            found[word] = (*found.get(word, ()), *(other for other in alike if other != word))
    return found


def homophone_languages() -> tuple[str, ...]:
    """Return the languages that have a file of homophones, in alphabetical order."""
    return tuple(sorted(path.stem for path in content("channels", "homophones").glob("*.txt")))
