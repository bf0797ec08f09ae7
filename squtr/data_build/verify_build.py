"""Verify build.json: what can be counted again is, and nothing in it may contradict the rest."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from squtr.data_build.card import CARD
from squtr.data_build.seal import is_sealed
from squtr.data_build.verify_files import Fault
from squtr.digest import digest
from squtr.errors import UserError, os_fault
from squtr.noise_sources.protected import protected_by_id
from squtr.recipe import Recipe, check_recipe

Row = dict[str, Any]
_LEFT_OUT = {"unjudged": "unjudged-query", "without_positive": "query-without-positive"}
_UTTERANCE = ("language", "subset", "query_id", "channel")
_UNUSABLE = (ValueError, KeyError, TypeError, AttributeError, UserError)


def read_facts(folder: Path) -> tuple[dict[str, Any], Recipe]:
    """Return build.json and the recipe in it. Raises UserError when they cannot be read."""
    try:
        facts = json.loads((folder / "build.json").read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        said = os_fault(error) if isinstance(error, OSError) else f"no JSON, {error}"
        raise UserError(f"cannot be read: {said}") from None
    if not isinstance(facts, dict) or not isinstance(facts.get("recipe"), dict):
        raise UserError("cannot be read: no recipe in it")
    try:
        return facts, check_recipe(facts["recipe"], "recipe")
    except _UNUSABLE as error:
        raise UserError(f"cannot be read: {_said(error)}") from None


def check_build(
    facts: dict[str, Any], recipe: Recipe, rows: list[Row], rejected: list[Row]
) -> Iterator[Fault]:
    """Yield every entry of build.json that is not what the recipe, the rows or the rest of it say."""
    if not is_sealed(facts):
        yield "build.json", "was edited after the build: its digest is not that of what it says"
    checks = (_by_recipe(facts, recipe), _counts(facts, rows, rejected), _left_out(facts))
    for check in (*checks, _noise(facts, recipe, rows)):
        try:
            for name, said, found in check:
                if said != found:
                    yield "build.json", f"{name}: says {said}, found {found}"
        except _UNUSABLE as error:
            yield "build.json", f"cannot be held against the rest: {_said(error)}"


def _said(error: Exception) -> str:
    if isinstance(error, UserError):
        return " ".join(str(error).split())
    missing = isinstance(error, KeyError)
    return f"{error.args[0]} is missing" if missing else "not of the form that squtr writes"


def _by_recipe(facts: dict[str, Any], recipe: Recipe) -> Iterator[tuple[str, Any, Any]]:
    identity, subsets = facts["identity"], sorted(recipe.subsets)
    yield "identity.name", identity["name"], recipe.name
    yield "recipe", identity["recipe"], recipe.digest
    yield "inputs", identity["inputs"], digest(facts["inputs"])
    yield "files", sorted(facts["files"]), sorted([*recipe.data_files, CARD])
    yield "inputs.collections", sorted(facts["inputs"]["collections"]), subsets
    yield "left_out", sorted(facts["left_out"]), subsets
    yield "findings", sorted(facts["findings"]), subsets


def _counts(facts: dict[str, Any], rows: list[Row], rejected: list[Row]) -> Iterator[tuple[str, Any, Any]]:
    """Count again as the build did, so that every figure is the same to the last digit."""
    seconds = largest = 0.0
    for row in rows:
        seconds = round(seconds + row["seconds"], 6)
        if row["realised_snr_db"] is not None:
            largest = max(largest, round(abs(row["realised_snr_db"] - row["requested_snr_db"]), 6))
    found = {
        "accepted": len({tuple(row[name] for name in _UTTERANCE) for row in rows}),
        "rejected": dict(Counter(row["stage"] for row in rejected)),
        "recordings": len(rows),
        "seconds_of_audio": seconds,
        "largest_snr_error_db": largest,
    }
    said = facts["counts"]
    for name in dict.fromkeys([*found, *said]):
        yield f"counts.{name}", said.get(name), found.get(name)


def _left_out(facts: dict[str, Any]) -> Iterator[tuple[str, Any, Any]]:
    """Hold the queries left out of each subset against what the reader of its collection counted."""
    for subset in sorted({*facts["left_out"]} & {*facts["findings"]}):
        counted = {finding["kind"]: finding["count"] for finding in facts["findings"][subset]}
        for name, kind in _LEFT_OUT.items():
            yield f"left_out.{subset}.{name}", facts["left_out"][subset][name], counted.get(kind, 0)


def _noise(facts: dict[str, Any], recipe: Recipe, rows: list[Row]) -> Iterator[tuple[str, Any, Any]]:
    """Hold the noise's terms and categories against the noise that was mixed in."""
    terms, categories = facts.get("noise"), facts["noise_categories"]
    if len(recipe.mix.condition_names) > 1:
        yield "noise", sorted(terms or {}), ["licence", "redistribute"]
        heard = {row["noise_category"] for row in rows} - {None}
        yield "noise_categories", categories, sorted({*recipe.mix.categories} or {*categories, *heard})
        protected = protected_by_id({row["noise_id"] for row in rows} - {None})
        if protected:
            yield "noise.redistribute", (terms or {}).get("redistribute"), False
    else:
        yield "noise", terms, None
