"""The noise in a data set: its licence, and whether it may be passed on."""

from __future__ import annotations

from pathlib import Path

from squtr.errors import UserError
from squtr.manifest import read_build


def refuse_protected_noise(folder: Path) -> None:
    """Raise UserError when a data set's build.json says that its noise must not be passed on."""
    terms = read_build(folder).get("noise") or {}
    if terms.get("redistribute") is False:
        raise UserError(
            f"{folder}: its noise must not be passed on ({terms.get('licence') or 'no licence is known'})."
            " Build with other noise; or, if you have the right to publish this one, say so with"
            " --accept-licence, and the card will name its terms."
        )
