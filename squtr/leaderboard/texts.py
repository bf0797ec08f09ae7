"""Texts that others will see on the board: no markup, no formula, nothing invisible, web links only."""

from __future__ import annotations

import re
import unicodedata
from typing import Annotated
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field

_FORMULA = tuple("=+-@＝＋－＠")
_MARKUP = re.compile(r"[<>`]|\]\(|&#?\w+;|\b(?:javascript:|vbscript:|data:text)", re.IGNORECASE)
_UNSEEN = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
# Letters, marks and a symbol that show nothing: fillers, joiners, selectors of variants, blank Braille.
_BLANK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0f\uffa0\U000e0100-\U000e01ef]"
)
_MOST_MARKS = 4
_IN_LINKS = re.compile(r"[A-Za-z0-9._~:/?#@!$&*+,;=%-]+")
_LINE_PATTERN = r"^[^=+@<>`\s-][^<>`]*$"


def plain_line(text: str) -> str:
    """Return a text of one line as it is. Raises ValueError for what a page or a spreadsheet would act on."""
    if text != text.strip() or not text:
        raise ValueError("must be a text without blanks at its ends")
    _refuse_unseen(text, "")
    if found := _BLANK.search(text):
        raise ValueError(f"holds U+{ord(found[0]):04X}, a character that nobody sees; leave it out")
    if _stacked(text) > _MOST_MARKS:
        raise ValueError(f"stacks more than {_MOST_MARKS} marks on a letter; leave them out")
    if text.startswith(_FORMULA):
        raise ValueError(f"begins with {text[0]!r}, which a spreadsheet takes for a formula")
    if found := _MARKUP.search(text):
        raise ValueError(f"holds {found[0]!r}, which is markup; write plain text")
    return text


def prompt_text(text: str) -> str:
    """Return a prompt as it is: tags and line ends belong to prompts, invisible characters do not."""
    _refuse_unseen(text, "\n\t")
    return text


def web_link(text: str) -> str:
    """Return a link as it is. Raises ValueError for anything but a plain http or https address."""
    try:
        parts = urlsplit(text)
        host = parts.hostname
    except ValueError:
        raise ValueError("is no web address") from None
    if parts.scheme not in ("http", "https") or not host:
        raise ValueError("must be a web address that begins with https:// or http://")
    if not _IN_LINKS.fullmatch(text) or "@" in parts.netloc:
        raise ValueError("holds characters or a password that a link must not; percent-encode or leave out")
    return text


def _stacked(text: str) -> int:
    """Return how many marks stand on one letter at most."""
    marks = "".join("m" if unicodedata.combining(one) else " " for one in text)
    return max(map(len, marks.split()), default=0)


def _refuse_unseen(text: str, allowed: str) -> None:
    for character in text:
        if unicodedata.category(character) in _UNSEEN and character not in allowed:
            raise ValueError(f"holds U+{ord(character):04X}, a character that nobody sees; leave it out")


Line = Annotated[
    str,
    Field(min_length=1, max_length=300, json_schema_extra={"pattern": _LINE_PATTERN}),
    AfterValidator(plain_line),
]
Name = Annotated[
    str,
    Field(min_length=1, max_length=100, json_schema_extra={"pattern": _LINE_PATTERN}),
    AfterValidator(plain_line),
]
Spec = Annotated[str, Field(min_length=1, max_length=3000), AfterValidator(plain_line)]
Prompt = Annotated[str, Field(max_length=8000), AfterValidator(prompt_text)]
Link = Annotated[
    str,
    Field(max_length=500, json_schema_extra={"pattern": "^https?://", "format": "uri"}),
    AfterValidator(web_link),
]
