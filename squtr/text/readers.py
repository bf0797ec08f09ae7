"""What says numbers, dates, money and units in words, by language: the `wetext` package with our rules."""

from __future__ import annotations

import functools
import importlib.metadata
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from squtr.text.folding import Rule, apply

if TYPE_CHECKING:
    from squtr.languages import Language

_ESCAPED = re.compile(r"([\"\\])")
_PIECES = re.compile(r"\s+|[A-Za-z0-9.,']+|.", re.DOTALL)


class Reader(Protocol):
    """A part named in the row of a language: it is called with the row."""

    @property
    def fingerprint(self) -> str:
        """What decides the spoken form: rules, packages, versions and options."""
        ...

    def spoken(self, text: str) -> str:
        """Return the form a text is read aloud in; blanks are single, emoji are gone already."""
        ...


@dataclass(frozen=True)
class WetextReader:
    """wetext between rules for what it misreads and rules for what it leaves."""

    language: str
    rules_version: int
    before: tuple[Rule, ...]
    after: tuple[Rule, ...] = ()

    @property
    def fingerprint(self) -> str:
        version = importlib.metadata.version("wetext")
        return f"squtr-reading-{self.language}/{self.rules_version}+wetext-{version}-tn"

    def spoken(self, text: str) -> str:
        parts = _ESCAPED.split(apply(self.before, text))
        return apply(self.after, "".join(_spoken_part(part, self.language) for part in parts))


def english(language: Language) -> WetextReader:
    """Return the reader of English."""
    from squtr.text.reading_rules import ENGLISH, ENGLISH_AFTER

    return WetextReader("en", 3, ENGLISH, ENGLISH_AFTER)


def chinese(language: Language) -> WetextReader:
    """Return the reader of Chinese."""
    from squtr.text.reading_rules import CHINESE

    return WetextReader("zh", 3, CHINESE)


def japanese(language: Language) -> WetextReader:
    """Return the reader of Japanese."""
    from squtr.text.reading_rules_japanese import JAPANESE

    return WetextReader("ja", 1, JAPANESE)


@functools.cache
def _engine(language: str) -> Callable[[str], str]:
    from wetext import Normalizer

    normalize: Callable[[str], str] = Normalizer(lang=language, operator="tn").normalize
    return normalize


def _spoken_part(part: str, language: str) -> str:
    """Say one stretch without quotation marks and backslashes, which the package would escape."""
    core = part.strip()
    if not any(char.isalnum() for char in core):
        return part
    lead = part[: len(part) - len(part.lstrip())]
    return f"{lead}{_say(core, language)}{part[len(lead) + len(core) :]}"


def _say(core: str, language: str) -> str:
    spoken = _attempt(core, language)
    if spoken:
        return spoken
    pieces = _PIECES.findall(core)
    if len(pieces) == 1:
        return core
    return "".join(_spoken_part(piece, language) for piece in pieces)


def _attempt(core: str, language: str) -> str:
    """Return "" where the package has no reading: it asserts, or hands back nothing."""
    try:
        return _engine(language)(core)
    except AssertionError:
        return ""
