"""Oddities of a text: reported, never repaired."""

from __future__ import annotations

import re
from pathlib import Path

from squtr.collection.findings import Findings

_CONTROL = re.compile("[\0-\x08\x0b\x0c\x0e-\x1f\x7f]")
_FULLWIDTH_DIGIT = re.compile("[０-９]")

# UTF-8 read as Latin-1 leaves C1 controls or these pairs; read as Windows-1252 it leaves the signs in
# _CP1252 instead. Quotation marks, dashes and the blanks of French typography are left out: they
# stand beside accented letters in sound text.
_CP1252 = "€ƒ†‡ˆ‰Š‹ŒŽ˜™š›œžŸ"
_TRAIL = f"\xa1-\xaa\xac-\xba\xbc-\xbf{_CP1252}"
_SUSPECT = re.compile("[\x80-\x9fÂÃà-ð\ufffd\ud800-\udfff]")
_MIS_ENCODED = re.compile(
    f"[\x80-\x9f\ufffd\ud800-\udfff]|[ÂÃ][\xa0-\xbf{_CP1252}]|[à-ï][{_TRAIL}]{{2}}|â€|ðŸ"
)


def is_mis_encoded(text: str) -> bool:
    """Tell whether a text looks decoded with the wrong encoding, or lost characters in decoding."""
    return not text.isascii() and bool(_SUSPECT.search(text)) and bool(_MIS_ENCODED.search(text))


def note_oddities(text: str, path: Path, line: int, noun: str, findings: Findings) -> None:
    """Report control characters and signs of a wrong encoding."""
    if _CONTROL.search(text):
        findings.add("control-characters", (path, line), noun)
    if is_mis_encoded(text):
        findings.add("mis-encoded", (path, line), noun)


def note_fullwidth_digits(text: str, path: Path, line: int, noun: str, findings: Findings) -> None:
    """Report digits that a recogniser will write in ASCII."""
    if not text.isascii() and _FULLWIDTH_DIGIT.search(text):
        findings.add("fullwidth-digits", (path, line), noun)


def is_invisible(text: str) -> bool:
    """Tell whether a text has no visible character: empty, or only blanks, controls and format marks."""
    return not any(character.isprintable() and not character.isspace() for character in text)
