"""One small evaluation for all tests of a process, and its submission."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.leaderboard.making import make, packed


@pytest.fixture(scope="session")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path]:
    return make(tmp_path_factory.mktemp("leaderboard"))


@pytest.fixture(scope="session")
def data(made: tuple[Path, Path]) -> Path:
    return made[0]


@pytest.fixture(scope="session")
def evaluation(made: tuple[Path, Path]) -> Path:
    return made[1]


@pytest.fixture(scope="session")
def submission(evaluation: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    return packed(evaluation, tmp_path_factory.mktemp("packed") / "good")
