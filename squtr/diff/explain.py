"""Explain: which change of recipe, input, engine or version accounts for what differs at a stage."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from squtr.diff.settings import Change, SettingChanges
from squtr.diff.stages import BY_NAME, StageOf
from squtr.diff.words import MISSING, pair

_UNEXPLAINED = (
    "nothing the builds say of themselves accounts for it: files were changed after the build (squtr verify"
    " tells), or an engine does not repeat itself, as neural speech does on another machine"
)


def explain(stages: Mapping[str, int], settings: SettingChanges) -> dict[str, str]:
    """Return for each stage where queries begin to differ what explains it.

    Recipe and inputs come first, then the engine's fingerprint, then versions: what comes later often follows
    from what comes first.
    """
    return {name: _cause(BY_NAME[name], settings) for name in stages}


def _cause(stage: StageOf, settings: SettingChanges) -> str:
    recipe = _under(settings.recipe, stage.recipe)
    inputs = _under(settings.inputs, stage.inputs)
    engines = _under(settings.fingerprints, stage.fingerprints)
    if recipe or inputs:
        told = [f"recipe {_shown(one)}" for one in recipe]
        told += [f"input {one.key} is {_which(one)}" for one in inputs]
        return "; ".join(told)
    if engines:
        named = ", ".join(one.key for one in engines)
        versions = "; ".join(_shown(one) for one in settings.versions)
        return f"engine {named} has another fingerprint{f' ({versions})' if versions else ''}"
    if settings.recipe or settings.inputs:
        others = ", ".join(one.key for one in (*settings.recipe, *settings.inputs))
        return f"no setting of its own; elsewhere changed: {others}"
    if settings.versions:
        return "versions: " + "; ".join(_shown(one) for one in settings.versions)
    return _UNEXPLAINED


def _under(changes: Iterable[Change], prefixes: tuple[str, ...]) -> list[Change]:
    return [
        one
        for one in changes
        if any(one.key == prefix or one.key.startswith((f"{prefix}.", f"{prefix} ")) for prefix in prefixes)
    ]


def _shown(change: Change) -> str:
    return f"{change.key} {pair(change.a, change.b)}"


def _which(change: Change) -> str:
    if MISSING not in (change.a, change.b):
        return "another one"
    return "only in the first" if change.b == MISSING else "only in the second"
