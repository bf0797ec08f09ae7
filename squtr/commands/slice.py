"""squtr slice."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from squtr.progress import reporter
from squtr.slicing import Cut, cut_slice


def run_slice(folder: Path, out: Path, queries: int, distractors: int, seed: int) -> dict[str, Any]:
    """Cut a slice, with progress."""
    with reporter() as progress:
        return cut_slice(folder, out, Cut(queries, distractors, seed), progress)


def show_slice(facts: dict[str, Any], out: Path, as_json: bool) -> None:
    """Print what was kept of each subset."""
    if as_json:
        print(json.dumps({"out": str(out), **facts}, ensure_ascii=False, allow_nan=False))
        return
    for key, kept in facts["subsets"].items():
        print(
            f"{key or facts['of']}: {kept['queries']:,} of {kept['queries_whole']:,} queries,"
            f" {kept['documents']:,} of {kept['documents_whole']:,} documents"
            f" ({kept['judged_documents']:,} judged, {kept['distractors']:,} distractors)."
        )
    print(f"{out}: {facts['warning']}")
