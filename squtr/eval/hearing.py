"""What the systems of an evaluation's results hear by: a recogniser, an embedder, or nothing of squtr's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def recognition_by_spec(results: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Return {recogniser: {subset: {condition: what it gave}}}, the first recogniser first."""
    others = {spec: found["recognition"] for spec, found in results["other_recognisers"].items()}
    return {results["settings"]["recogniser"]: results["recognition"], **others}


def heard_by(results: Mapping[str, Any], key: str, system: str) -> str | None:
    """Return the recogniser whose transcripts a system searches with; None for one that needs none.

    It is what the system's name ends with where there are several, else the only one.
    """
    if system_kind(results, key, system) != "system":
        return None
    specs = list(recognition_by_spec(results))
    return next((spec for spec in specs if system.endswith(f" | {spec}")), specs[0])


def system_kind(results: Mapping[str, Any], key: str, system: str) -> str:
    """Return `system` (of a recogniser and a retriever), `end_to_end`, or `run` (made elsewhere)."""
    if system in results["end_to_end"].get(key, {}):
        return "end_to_end"
    return "run" if system in results.get("made_elsewhere", {}).get("runs", {}) else "system"


def lost_conditions(results: Mapping[str, Any], key: str, system: str) -> set[str]:
    """Return the conditions of which a system got no recording of a subset, for all of them failed."""
    spec = heard_by(results, key, system)
    if spec is not None:
        found = recognition_by_spec(results)[spec][key]
    else:
        found = results["end_to_end"].get(key, {}).get(system, {})
    return {condition for condition, said in found.items() if 0 < said["recordings"] == said["failed"]}
