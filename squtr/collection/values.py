"""Single values at the door: ids become strings, grades become integers, nothing is rounded."""

from __future__ import annotations

import re
from decimal import Decimal
from pathlib import Path

from squtr.collection.findings import Findings
from squtr.errors import UserError, at

_REFUSED_IN_ID = re.compile("[\0\n\r\v\f\x1c-\x1e\x85\u2028\u2029\ud800-\udfff]")
_UNUSUAL_ID = re.compile(r"[\s\0\ud800-\udfff]|^$")
_NUMBER = re.compile(r"[+-]?[0-9]+(?:\.[0-9]*)?(?:[eE][+-]?[0-9]+)?")
MAX_GRADE = 100_000


def to_id(value: object, path: Path, line: int, noun: str, findings: Findings) -> str:
    """Return an id as a string: JSON strings as they are, integers in decimal digits.

    Blanks around or inside an id are part of it. Raises UserError with `file:line` on every other
    type, on an empty id, and on NUL, line breaks or lone surrogates.
    """
    if type(value) is str:
        text = value
    elif type(value) is int:
        text = str(value)
        findings.add("integer-id", (path, line), f"{noun} id")
    else:
        raise UserError(
            f"{at(path, line)}: {noun} id {value!r} is neither a string nor an integer. Write it as a string."
        )
    if _UNUSUAL_ID.search(text):
        _check_unusual_id(text, path, line, noun, findings)
    return text


def _check_unusual_id(text: str, path: Path, line: int, noun: str, findings: Findings) -> None:
    if not text:
        raise UserError(f"{at(path, line)}: empty {noun} id. Give every {noun} an id.")
    if _REFUSED_IN_ID.search(text):
        raise UserError(
            f"{at(path, line)}: {noun} id {text!r} holds NUL, a line break or a broken character. Rename it."
        )
    findings.add("blank-in-id", (path, line), f"{noun} id")


def to_grade(value: object, path: Path, line: int) -> int:
    """Return a relevance grade: an integer, or a number or text that equals one (`1`, `1.0`, `1e0`).

    Raises UserError with `file:line` on fractions, other digits than 0-9, underscores, booleans
    and null: a grade is never rounded.
    """
    if type(value) is float:
        value = repr(value)
    if type(value) is int and abs(value) <= MAX_GRADE:
        return value
    if type(value) is str and _NUMBER.fullmatch(value):
        grade = _whole(value)
        if grade is not None:
            return grade
    raise UserError(
        f"{at(path, line)}: grade {value!r} is no integer up to {MAX_GRADE}."
        " Write a whole number such as 0, 1 or 2."
    )


def _whole(value: str) -> int | None:
    try:
        number = Decimal(value)
        if number.copy_abs() > MAX_GRADE or number != number.to_integral_value():
            return None
        return int(number)
    except ArithmeticError:  # an exponent out of all bounds
        return None
