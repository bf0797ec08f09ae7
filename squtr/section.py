"""The base of everything a recipe, a preset or a table may say, and how its faults are told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from pydantic import BaseModel, ConfigDict, ValidationError

from squtr.errors import UserError, at, did_you_mean

_WANTED = {
    "string_type": "a text must stand here; put it in quotes",
    "float_type": "a plain number must stand here",
    "int_type": "a whole number must stand here",
    "tuple_type": "a list must stand here",
    "model_type": "settings, key: value, must stand here",
}

Location = tuple[Any, ...]


class Section(BaseModel):
    """A part of a recipe: frozen, strictly typed, finite numbers, unknown keys are errors."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)


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
            f"{at(where, line_of(fault['loc']))}: {_describe(fault, model)}"
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


def _describe(fault: Any, model: type[BaseModel]) -> str:
    place = ".".join(str(part) for part in fault["loc"])
    if fault["type"] == "extra_forbidden":
        known = _known_keys(model, fault["loc"][:-1])
        return f"unknown key {place!r}.{did_you_mean(str(fault['loc'][-1]), known)}"
    if fault["type"] == "missing":
        return f"{place} is missing."
    message = _WANTED.get(fault["type"]) or fault["msg"].removeprefix("Value error, ")
    return f"{place or model.__name__.lower()}: {message} (found {fault['input']!r})."


def _known_keys(model: type[BaseModel], location: Location) -> list[str]:
    for part in location:
        if isinstance(part, str) and part in model.model_fields:
            model = _section_of(model.model_fields[part].annotation) or model
    return list(model.model_fields)


def _section_of(annotation: Any) -> type[BaseModel] | None:
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return annotation
    return next(filter(None, map(_section_of, getattr(annotation, "__args__", ()))), None)
