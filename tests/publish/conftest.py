from __future__ import annotations

from pathlib import Path

import pytest

from tests.building import build, write_both


@pytest.fixture(scope="session")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A built data set of two subsets and three conditions; not to be changed."""
    folder = tmp_path_factory.mktemp("publish")
    build(write_both(folder), folder / "data")
    return folder / "data"


@pytest.fixture(autouse=True)
def _no_network(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HF_HUB_OFFLINE", "HF_DATASETS_OFFLINE", "HF_HUB_DISABLE_TELEMETRY"):
        monkeypatch.setenv(name, "1")
    monkeypatch.delenv("HF_TOKEN", raising=False)
