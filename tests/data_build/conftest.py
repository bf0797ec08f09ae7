from __future__ import annotations

import pytest

import squtr.store


@pytest.fixture(autouse=True)
def _no_waiting_for_the_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    """A killed process loses nothing by it; only a power cut would."""
    monkeypatch.setattr(squtr.store, "_SCHEMA", f"PRAGMA synchronous=OFF;{squtr.store._SCHEMA}")
