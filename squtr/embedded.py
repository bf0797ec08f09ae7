"""Model bytes that installed packages carry, checked by SHA-256 before they are used."""

from __future__ import annotations

import hashlib
import importlib.resources
from collections.abc import Iterable

from squtr.errors import UserError


def package_bytes(parts: Iterable[tuple[str, str]], sha256: str) -> bytes:
    """Return the joined bytes of (package, path inside it) parts.

    Raises UserError when a package is missing or the digest differs.
    """
    places = list(parts)
    try:
        data = b"".join(_read(package, path) for package, path in places)
    except (ModuleNotFoundError, FileNotFoundError) as error:
        raise UserError(
            f"Model file missing: {error}. pip install 'squtr[embedded]' brings the embedded models."
        ) from error
    found = hashlib.sha256(data).hexdigest()
    if found != sha256:
        names = ", ".join(f"{package}/{path}" for package, path in places)
        raise UserError(
            f"{names}: the model's SHA-256 is {found}, expected {sha256}."
            " Reinstall the package at its pinned version."
        )
    return data


def _read(package: str, path: str) -> bytes:
    return importlib.resources.files(package).joinpath(*path.split("/")).read_bytes()
