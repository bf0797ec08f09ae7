"""The digest of build.json's facts within it, by which an edit of any of them contradicts the rest."""

from __future__ import annotations

from typing import Any

from squtr.digest import digest

SEAL = "digest"


def is_sealed(facts: dict[str, Any]) -> bool:
    """True while the facts are those that were sealed."""
    return bool(facts.get(SEAL) == sealed(facts)[SEAL])


def sealed(facts: dict[str, Any]) -> dict[str, Any]:
    """Return the facts with the digest of them all, which takes the place of an older one."""
    told = {name: value for name, value in facts.items() if name != SEAL}
    return {**told, SEAL: digest(told)}
