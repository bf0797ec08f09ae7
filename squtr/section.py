"""The base of everything a recipe, a preset or a table may say, and how its faults are told."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from squtr.errors import UserError, at, did_you_mean

_WANTED = {
    "string_type": "a text must stand here; put it in quotes",
    "float_type": "a plain number must stand here",
    "int_type": "a whole number must stand here",
    "bool_type": "true or false must stand here",
    "tuple_type": "a list must stand here",
    "model_type": "settings, key: value, must stand here",
    "dict_type": "settings, key: value, must stand here",
    "finite_number": "a finite number must stand here",
    "greater_than": "must be above {gt}",
    "greater_than_equal": "must be at least {ge}",
    "less_than": "must be below {lt}",
    "less_than_equal": "must be at most {le}",
    "too_short": "must have at least {min_length} in its list",
    "too_long": "must have at most {max_length} in its list",
    "string_too_short": "must have at least {min_length} characters",
    "string_too_long": "must have at most {max_length} characters",
    "string_pattern_mismatch": "must match {pattern}",
    "literal_error": "must be {expected}",
}
NAME = r"^[A-Za-z0-9][A-Za-z0-9._-]*$"
_PATTERNS = {
    NAME: "may hold letters a to z, A to Z, digits and . _ - only, and begins with a letter or digit",
    r"^[\w][\w.-]*$": "may hold letters, digits and . _ - only, and begins with a letter or digit",
    r"^[a-z]{3}-[A-Z][a-z]{3}$": "must be three small letters, a hyphen and a script, such as eng-Latn",
    r"^[a-z][a-z0-9_]*$": "may hold small letters a to z, digits and _ only, and begins with a letter",
}
_LONGEST_SHOWN = 80

Location = tuple[Any, ...]


class Section(BaseModel):
    """A part of a recipe: frozen, strictly typed, finite numbers, unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


class FaultAt(ValueError):
    """A fault of a section that one of its keys is to blame for: told with that key and its line."""

    def __init__(self, message: str, *location: Any) -> None:
        super().__init__(message)
        self.location = location


SectionT = TypeVar("SectionT", bound=Section)


def check_section(
    model: type[SectionT],
    plain: dict[str, Any],
    where: str,
    line_of: Callable[[Location], int | None] = lambda location: None,
) -> SectionT:
    """Validate plain YAML values. Raises UserError naming every wrong field and the line `line_of` finds."""
    try:
        return model.model_validate(_tuples(plain))
    except ValidationError as error:
        lines = [
            f"{at(where, line_of(_place(fault)))}: {_describe(fault, model)}"
            for fault in _own_faults(error.errors())
        ]
        raise UserError("\n".join(lines)) from None
    except RecursionError:
        raise UserError(f"{where}: an alias contains itself. Write the values out.") from None


def _tuples(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_tuples(item) for item in value)
    if isinstance(value, dict):
        return {key: _tuples(item) for key, item in value.items()}
    return value


def _own_faults(faults: list[Any]) -> list[Any]:
    """Leave out that a list is too short where it only is so because an entry is faulty."""
    places = [fault["loc"] for fault in faults]
    return [
        fault
        for fault in faults
        if fault["type"] != "too_short"
        or not any(place != fault["loc"] and place[: len(fault["loc"])] == fault["loc"] for place in places)
    ]


def _place(fault: Any) -> Location:
    inner: Location = getattr(fault.get("ctx", {}).get("error"), "location", ())
    return (*fault["loc"], *inner)


def _describe(fault: Any, model: type[BaseModel]) -> str:
    place = _place(fault)
    name = ".".join(map(str, place))
    if fault["type"] == "extra_forbidden":
        return f"unknown key {name!r}.{did_you_mean(str(place[-1]), _known_keys(model, place[:-1]))}"
    if fault["type"] == "missing":
        return f"{name} is missing."
    message, value = _message(fault), fault["input"]
    is_told = place != fault["loc"] or (isinstance(value, str) and value != "" and value in message)
    return f"{name or model.__name__.lower()}: {message}{'' if is_told else _shown(value)}."


def _message(fault: Any) -> str:
    context = {key: _plain(value) for key, value in fault.get("ctx", {}).items()}
    if context.get("pattern") in _PATTERNS:
        return _PATTERNS[context["pattern"]]
    wanted = _WANTED.get(fault["type"])
    return wanted.format(**context) if wanted else fault["msg"].removeprefix("Value error, ")


def _plain(value: Any) -> Any:
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _shown(value: Any) -> str:
    """Return what was found as YAML has it; settings and long lists say nothing that the line does not."""
    if value is None:
        return " (found nothing)"
    if isinstance(value, dict) or (isinstance(value, tuple) and any(isinstance(one, dict) for one in value)):
        return ""
    found = repr(value) if isinstance(value, str) else json.dumps(value, ensure_ascii=False, default=str)
    return f" (found {found})" if len(found) <= _LONGEST_SHOWN else ""


def _known_keys(model: type[BaseModel], location: Location) -> list[str]:
    for part in location:
        if isinstance(part, str) and part in model.model_fields:
            model = _section_of(model.model_fields[part].annotation) or model
    return list(model.model_fields)


def _section_of(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_section_of, getattr(annotation, "__args__", ()))), None)
