"""One ordinary report for the tests that only read it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from report_data import Page, evaluated, report, write_dataset

from squtr.eval.results import SubsetRuns

Evaluated = tuple[dict[str, Any], Sequence[SubsetRuns]]


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Evaluated:
    """Two subsets of four queries, two systems, clean, 10 and 0 dB, with an empty and a failed recording."""
    folder = write_dataset(tmp_path_factory.mktemp("data") / "tiny set")
    return evaluated(folder, lost=("empty", "failed"))


@pytest.fixture(scope="session")
def path(small: Evaluated, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report")
    report(folder, *small)
    return folder / "report.html"


@pytest.fixture(scope="session")
def text(path: Path) -> str:
    return path.read_text(encoding="utf-8")


@pytest.fixture(scope="session")
def page(text: str) -> Page:
    return Page(text)
