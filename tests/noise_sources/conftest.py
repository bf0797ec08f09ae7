from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from noise_archives import write_demand, write_noisex
from noise_server import Server


@pytest.fixture(autouse=True)
def own_folders(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no test see or write what belongs to the user."""
    monkeypatch.setenv("SQUTR_NOISE", str(tmp_path / "usual-place"))
    monkeypatch.setenv("SQUTR_NOISE_CACHE", str(tmp_path / "cache"))


@pytest.fixture(scope="session")
def demand(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """All 18 environments of DEMAND as archives, two channels of 2.5 s at 48 kHz each."""
    return write_demand(tmp_path_factory.mktemp("demand"))


@pytest.fixture(scope="session")
def noisex(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The 15 noises of NOISEX-92, 2.5 s each, half of them as .mat."""
    return write_noisex(tmp_path_factory.mktemp("noisex"))


@pytest.fixture
def server() -> Iterator[Server]:
    with Server() as running:
        yield running


@pytest.fixture
def written(tmp_path: Path) -> Callable[[str], Path]:
    """Write a catalogue."""

    def write(text: str) -> Path:
        path = tmp_path / "mine.yaml"
        path.write_text(text, encoding="utf-8")
        return path

    return write
