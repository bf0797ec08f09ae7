"""Normalisers by language: the same function goes over the reference and over the hypothesis."""

from __future__ import annotations

import functools
import importlib.metadata
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from squtr.errors import UserError, did_you_mean

if TYPE_CHECKING:
    from squtr.languages import Language

_IDEOGRAPHS = "\u3005-\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U000323af"
_MIXED = re.compile(f"[{_IDEOGRAPHS}]|[^\\s{_IDEOGRAPHS}]+")

UNITS: dict[str, Callable[[str], list[str]]] = {
    "word": str.split,
    "character": lambda text: list("".join(text.split())),
    "mixed": _MIXED.findall,
}


@dataclass(frozen=True)
class Normaliser:
    """How one language is normalised. `version` goes into every score made with it.

    `unit` is the language's error unit: words make a WER, characters a CER.
    """

    name: str
    version: str
    unit: str
    _raw: Callable[[str], str] = field(repr=False)
    _clean: Callable[[str], str] = field(repr=False)
    _fluent: Callable[[str], str] = field(repr=False)

    def raw(self, text: str) -> str:
        """Return NFKC in lower case without punctuation; numbers stay as they are written."""
        return self._raw(text)

    def clean(self, text: str) -> str:
        """Return `raw` with one form for numbers, contractions, symbols, units, accents or scripts."""
        return self._clean(text)

    def fluent(self, text: str) -> str:
        """Return `clean` without fillers and repetitions that stand right beside each other."""
        return self._fluent(text)


def english(language: Language) -> Normaliser:
    """Return English with numbers in digits and contractions written out."""
    from squtr.text import english as forms

    return Normaliser("squtr-en", "squtr-en/2", language.unit, forms.raw, forms.clean, forms.fluent)


def chinese(language: Language) -> Normaliser:
    """Return Chinese in simplified characters with numbers in digits."""
    from squtr.text import chinese as forms

    converter = importlib.metadata.version(forms.CONVERTER)
    version = f"squtr-zh/1+{forms.CONVERTER}-{converter}-t2s"
    return Normaliser("squtr-zh", version, language.unit, forms.raw, forms.clean, forms.fluent)


def japanese(language: Language) -> Normaliser:
    """Return Japanese in the script it is written in, with numbers in digits."""
    from squtr.text import japanese as forms

    return Normaliser("squtr-ja", "squtr-ja/1", language.unit, forms.raw, forms.clean, forms.fluent)


@functools.cache
def normaliser(language: str) -> Normaliser:
    """Return the normaliser that a language's row names. Raises UserError for a language without a row."""
    from squtr import languages, plugins

    row = languages.language_row(language)
    found: Normaliser = plugins.load("normaliser", row.normaliser, language=row)
    return found


def units(text: str, language: str, unit: str | None = None) -> list[str]:
    """Split normalised text into error units: the language's own, or "word", "character" or "mixed".

    Mixed units are one ideograph or one blank-delimited run of anything else, so the rate is the CER
    on pure Chinese and the WER on pure English. Blanks are never a unit.
    """
    chosen = unit or normaliser(language).unit
    if chosen not in UNITS:
        raise UserError(f"Unknown error unit {chosen!r}.{did_you_mean(chosen, UNITS)}")
    return UNITS[chosen](text)
