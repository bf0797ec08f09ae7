"""results.json read back: what `squtr compare` needs of it, checked before anything is reckoned."""

from __future__ import annotations

import json
from collections.abc import Collection
from pathlib import Path
from typing import Any

from pydantic import ConfigDict, Field

from squtr.counted import counted
from squtr.errors import UserError, at
from squtr.section import Section, check_section

AGAIN = "Evaluate again: squtr eval writes them."


class _Part(Section):
    """A part of results.json; it holds more than is asked for here."""

    model_config = ConfigDict(extra="ignore")


class _Subset(_Part):
    language: str
    judged_queries: int


class _Slice(_Part):
    of: str
    warning: str


class _Imported(_Part):
    official: bool | None = None


class _Dataset(_Part):
    subsets: dict[str, _Subset] = Field(min_length=1)
    slice: _Slice | None
    imported: _Imported | None


class _Settings(_Part):
    recogniser: str
    retrievers: dict[str, str]


class _Mean(_Part):
    mean: float | None = Field(ge=0, le=1)


class _Cell(_Part):
    measures: dict[str, _Mean]


class _Rate(_Part):
    rate: float | None = Field(ge=0, le=1e6)


class _Heard(_Part):
    clean: _Rate


Recognition = dict[str, dict[str, _Heard]]


class _Other(_Part):
    recognition: Recognition


class _Made(_Part):
    runs: dict[str, Any] = Field(default_factory=dict)


class _Results(_Part):
    dataset: _Dataset
    settings: _Settings
    scores: dict[str, dict[str, dict[str, _Cell]]]
    recognition: Recognition
    other_recognisers: dict[str, _Other]
    end_to_end: dict[str, dict[str, Any]]
    made_elsewhere: _Made = _Made()


def read_results(path: Path) -> dict[str, Any]:
    """Return the results of an evaluation. Raises UserError that names what is missing or wrong."""
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{path}: no such file. squtr eval writes results.") from None
    except json.JSONDecodeError as error:
        raise UserError(
            f"{at(path, error.lineno)}: no JSON from character {error.colno} on; is it cut short? {AGAIN}"
        ) from None
    except (OSError, ValueError, RecursionError):
        raise UserError(f"{path}: cannot be read as JSON in UTF-8. {AGAIN}") from None
    if not isinstance(found, dict):
        raise UserError(f"{path}: not the results of squtr eval, which are one JSON object. {AGAIN}")
    try:
        results = check_section(_Results, found, str(path))
    except UserError as error:
        first, *more = str(error).splitlines()
        others = f" {counted(len(more), 'other part')} of it too." if more else ""
        raise UserError(f"{first}{others} These are not the results of squtr eval. {AGAIN}") from None
    parts: dict[str, Collection[str]] = {"scores": results.scores, "recognition": results.recognition}
    for spec, one in results.other_recognisers.items():
        parts[f"other_recognisers.{spec}.recognition"] = one.recognition
    for name, part in parts.items():
        if lacking := sorted(set(results.dataset.subsets) - set(part)):
            raise UserError(f"{path}: {name}.{lacking[0]} is missing. {AGAIN}")
    return found
