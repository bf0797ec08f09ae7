"""Options of a spec, checked: one message says which option, what stands there and what may."""

from __future__ import annotations

import math

from squtr.errors import UserError


def number_option(name: str, value: object, least: float, most: float) -> float:
    """Return an option's number. Raises UserError when it is none, or out of bounds."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise UserError(f"{name} is {value!r}, not a number.")
    if not least <= value <= most:
        raise UserError(f"{name} is {value:g}; it must be from {least:g} to {most:g}.")
    return float(value)


def text_option(name: str, value: object) -> str:
    """Return an option's text; a whole number, such as a version, is taken as text. Raises UserError."""
    if isinstance(value, bool) or not isinstance(value, (str, int)) or value == "":
        raise UserError(f"{name} is {value!r}, not text. Put it in quotes.")
    return str(value)


def switch_option(name: str, value: object) -> bool:
    """Return an option's true or false. Raises UserError."""
    if not isinstance(value, bool):
        raise UserError(f"{name} is {value!r}; it is true or false.")
    return value
