"""Any language whose words are parted by blanks: numbers and symbols in words, by its row of the table.

Numbers are said by num2words where the row names a language of it, on both sides of an error rate and in
the text that is read aloud. Ordinals (3., 1er, 2.ª) and digits beside letters are left to the voice.
"""

from __future__ import annotations

import functools
import importlib
import importlib.metadata
import re
import unicodedata
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from squtr.digest import digest
from squtr.errors import UserError, did_you_mean
from squtr.text.folding import Kept, fold, settle
from squtr.text.normalise import Normaliser

if TYPE_CHECKING:
    from squtr.languages import Language

_RAW = Kept()
_LONGEST = 15
_YEARS = range(1100, 2100)
_STUTTER = re.compile(r"\b(\w+)\s*[-–—,]+\s*(?=\1\b)")


def plain(language: Language) -> Normaliser:
    """Return lower-case words without punctuation; accents stay, apostrophes part words.

    Raises UserError when the row names number words and num2words is not installed or does not know them.
    """
    words = _Words(language, folded=True)

    def clean(text: str) -> str:
        return settle(lambda part: raw(words.everywhere(fold(part))), text)

    def fluent(text: str) -> str:
        return clean(settle(lambda part: _STUTTER.sub("", part), fold(text)))

    return Normaliser("squtr-plain", f"squtr-plain/1+{words.version}", language.unit, raw, clean, fluent)


def raw(text: str) -> str:
    """Return lower-case words parted by one blank, numbers as they are written."""
    return settle(lambda part: " ".join(fold(part).translate(_RAW).split()), text)


class PlainReader:
    """What reads a text aloud by the same words: numbers and symbols that stand free, nothing else."""

    def __init__(self, language: Language) -> None:
        self._words = _Words(language, folded=False)

    @property
    def fingerprint(self) -> str:
        """The rules, the language's words, and num2words with its version."""
        return f"squtr-reading-plain/1+{self._words.version}"

    def spoken(self, text: str) -> str:
        """Return the text with numbers and symbols in words."""
        return " ".join(self._words.free(text).split())


class _Words:
    """Numbers and symbols to words, by one row."""

    def __init__(self, language: Language, folded: bool) -> None:
        shape = fold if folded else functools.partial(unicodedata.normalize, "NFKC")
        self._symbols = {shape(sign): words for sign, words in language.symbols.items()}
        self._decimal, self._name = language.decimal_mark, language.number_words
        if self._name is not None:
            _check_number_words(self._name)
        number = _number(self._decimal)
        signs = "|".join(map(re.escape, sorted(self._symbols, key=len, reverse=True))) or "(?!)"
        wordless = "|".join(re.escape(sign) for sign in self._symbols if not sign[-1].isalnum()) or "(?!)"
        self._before = re.compile(rf"({wordless})\s?({number})")
        self._after = re.compile(rf"(?<=[0-9])\s?({signs})(?!\w)|({wordless})")
        self._any = re.compile(rf"((?<!\S)[-−](?=[0-9]))?({number})")
        self._free = re.compile(rf"(?<![\w.,:/-])([-−])?({number})(?![\w:/-]|[.,][0-9]|\.\s\w)")

    @property
    def version(self) -> str:
        numbers = "digits" if self._name is None else f"num2words-{_version()}-{self._name}"
        return f"{numbers}-{digest(self._symbols, self._decimal)[:8]}"

    def everywhere(self, text: str) -> str:
        """Return the text with every digit in words."""
        return self._any.sub(lambda match: f" {self._said(match)} ", self._with_symbols(text))

    def free(self, text: str) -> str:
        """Return the text with the numbers in words that no letter, date or ordinal mark stands beside."""
        return self._free.sub(self._said, self._with_symbols(text))

    def _with_symbols(self, text: str) -> str:
        turned = self._before.sub(r"\2 \1", text)
        return self._after.sub(self._worded, turned)

    def _worded(self, match: re.Match[str]) -> str:
        following = match.string[match.end() : match.end() + 1]
        return f" {self._symbols[match[1] or match[2]]}{' ' if following.isalnum() else ''}"

    def _said(self, match: re.Match[str]) -> str:
        if self._name is None:
            return match[0]
        sign, written = match[1], match[2]
        whole, _, fraction = written.partition(self._decimal)
        digits = re.sub("[^0-9]", "", whole)
        is_year = not sign and written == digits and len(digits) == 4
        return _number_words(self._name, "-" if sign else "", digits, fraction, is_year)


def _number(decimal: str) -> str:
    thousands = re.escape("." if decimal == "," else ",")
    mark = re.escape(decimal)
    return rf"(?:[0-9]{{1,3}}(?:[{thousands} ][0-9]{{3}})+(?![0-9])|[0-9]+)(?:{mark}[0-9]+)?"


@functools.lru_cache(maxsize=4096)
def _number_words(name: str, sign: str, digits: str, fraction: str, is_year: bool) -> str:
    """Say a number; a leading zero, or more digits than a number has, are said one by one."""
    num2words = _package().num2words
    if len(digits) > _LONGEST or (digits[0] == "0" and len(digits) > 1):
        return " ".join(str(num2words(int(digit), lang=name)) for digit in digits + fraction)
    if fraction:
        return str(num2words(Decimal(f"{sign}{digits}.{fraction}"), lang=name))
    to = "year" if is_year and int(digits) in _YEARS else "cardinal"
    return str(num2words(int(sign + digits), lang=name, to=to))


def _check_number_words(name: str) -> None:
    try:
        known = _package().CONVERTER_CLASSES
    except ImportError:
        raise UserError(
            "Numbers in words need the package num2words: pip install 'squtr[languages]' brings it."
        ) from None
    if name not in known:
        raise UserError(f"number_words: num2words has no language {name!r}.{did_you_mean(name, known)}")


def _package() -> Any:
    return importlib.import_module("num2words")


def _version() -> str:
    return importlib.metadata.version("num2words")
