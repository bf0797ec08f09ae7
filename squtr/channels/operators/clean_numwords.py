"""clean+numwords: numbers in words, 5 becomes five."""

from __future__ import annotations

import re

import numpy as np

from squtr.channels.changed import Changed, Edit, changed
from squtr.digest import digest
from squtr.errors import UserError
from squtr.languages import languages
from squtr.text.reading import Span, read_aloud, reading_fingerprint

_CODES = re.compile(
    r"""
    `[^`]*`                                # code in backticks
    | (?:https?://|www\.)[!-~]+            # addresses of pages
    | [\w.+-]+@[\w-]+(?:\.[\w-]+)+         # e-mail addresses
    | [!-~]*[A-Za-z]\d[!-~]*               # B2B, mp3
    | \w*_\w+ | \w+\(\)                    # names_with_lines, calls()
    | [$\#@][A-Za-z]\w*                    # $names, #tags, @handles
    | [\w.]*(?:[\\/][A-Za-z_][\w.]*){2,}   # paths
    """,
    re.VERBOSE,
)


class CleanNumwords:
    """Write numbers as they are said, with the signs and units that are said with them.

    Years, decimals, ordinals, money and units are read as a voice would get them (squtr.text.reading);
    digits in addresses and codes stay.

    "2.5% of the 3rd bill of 1999" becomes "two point five percent of the third bill of nineteen ninety nine".
    """

    @property
    def fingerprint(self) -> str:
        """Version and what decides the spoken forms."""
        return digest("clean+numwords/1", {code: _reading(code) for code in self.languages})

    @property
    def languages(self) -> tuple[str, ...]:
        """Those of data_build/languages.yaml."""
        return tuple(languages())

    def check_language(self, language: str) -> None:
        """Raise UserError where a package that says a language's numbers is missing."""
        reading_fingerprint(language)

    def change(self, text: str, language: str, rng: np.random.Generator) -> Changed:
        """Change a text; there is no chance in it."""
        if not any(char.isdigit() for char in text):
            return Changed(text)
        codes = [match.span() for match in _CODES.finditer(text)]
        reading = read_aloud(text, language)
        return changed(
            text,
            [
                Edit("number", start, end, reading.spoken[said:until])
                for start, end, said, until in _joined(text, reading.spans)
                if any(char.isdigit() for char in text[start:end])
                and not any(start < last and first < end for first, last in codes)
            ],
        )


def _joined(text: str, spans: tuple[Span, ...]) -> list[Span]:
    """Put spans together that no blank parts: the two of 401(k)."""
    found: list[Span] = []
    for span in spans:
        between = text[found[-1][1] : span[0]] if found else " "
        if between.isascii() and not any(char.isspace() for char in between):
            found[-1] = found[-1][0], span[1], found[-1][2], span[3]
        else:
            found.append(span)
    return found


def _reading(code: str) -> str:
    try:
        return reading_fingerprint(code)
    except UserError:
        return "none here"
