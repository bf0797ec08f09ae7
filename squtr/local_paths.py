"""Paths from the root of one machine say nothing elsewhere, and who works there is nobody's business."""

from __future__ import annotations

import re
from typing import Any

_START = r"""(?:(?<==)|(?<=['"])|(?<=\| )|^)"""
_ROOT = r"""(?:file://|~[^,|'"/\\]*|[A-Za-z]:)?[/\\]"""
_NAME = r"""[^,|'"/\\]"""
_FOLDERS = re.compile(rf"{_START}{_ROOT}(?:{_NAME}*[/\\])*(?={_NAME})")


def without_local_paths(value: Any) -> Any:
    """Return JSON values with absolute paths, in specs of engines too, cut down to their last part."""
    if isinstance(value, dict):
        return {name: without_local_paths(one) for name, one in value.items()}
    if isinstance(value, list):
        return [without_local_paths(one) for one in value]
    return _FOLDERS.sub("", value) if isinstance(value, str) else value
