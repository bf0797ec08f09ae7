"""The report."""

from pathlib import Path
from typing import Any


def write_report(path: Path, results: dict[str, Any], runs: Any) -> None:
    path.write_text("")
