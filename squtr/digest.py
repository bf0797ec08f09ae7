"""Stable digests of values and files."""

from __future__ import annotations

import dataclasses
import functools
import hashlib
import json
from pathlib import Path
from typing import Any

_PLAIN_ALREADY = frozenset({str, int, float, bool, type(None)})
_encode = json.JSONEncoder(
    sort_keys=True, ensure_ascii=False, separators=(",", ":"), allow_nan=False, check_circular=False
).encode


def to_plain(value: Any) -> Any:
    """Turn dataclasses, paths, tuples and mappings into what JSON holds."""
    kind: Any = type(value)
    if kind in _PLAIN_ALREADY:
        return value
    if (names := _field_names(kind)) is not None:
        return {name: to_plain(getattr(value, name)) for name in names}
    if isinstance(value, dict):
        return {str(key): to_plain(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_plain(item) for item in value]
    if isinstance(value, Path):
        return value.as_posix()
    return value


@functools.lru_cache(maxsize=256)
def _field_names(kind: Any) -> tuple[str, ...] | None:
    return tuple(f.name for f in dataclasses.fields(kind)) if dataclasses.is_dataclass(kind) else None


def canonical_json(value: Any) -> str:
    """Return strict JSON with sorted keys and no blanks. Raises ValueError on NaN or infinity."""
    return _encode(to_plain(value))


def digest(*values: Any) -> str:
    """Return the SHA-256 (hex) of the canonical JSON of `values`."""
    return hashlib.sha256(canonical_json(list(values)).encode("utf-8", "surrogatepass")).hexdigest()


def digest_bytes(data: bytes | memoryview) -> str:
    """Return the SHA-256 (hex) of raw bytes."""
    return hashlib.sha256(data).hexdigest()


def digest_file(path: Path) -> str:
    """Return the SHA-256 (hex) of a file, read in blocks."""
    state = hashlib.sha256()
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            state.update(block)
    return state.hexdigest()
