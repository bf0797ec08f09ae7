"""Recordings with made-up transcripts, and scores with given values."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from squtr.dataset import Recording
from squtr.eval.scores import DEFAULT_MEASURES, Scores
from squtr.eval.transcripts import Heard
from squtr.text import count_errors

MEASURE = DEFAULT_MEASURES[0]


def heard(
    query: str,
    text: str,
    transcript: str | None,
    snr_db: float | None = 0.0,
    language: str = "en",
    **facts: Any,
) -> Heard:
    """Return what was heard of a query; a transcript of None is a failure."""
    recording = Recording(query, Path(f"{query}.wav"), snr_db, facts)
    said = [count_errors(text, transcript, language, form) for form in ("raw", "clean")]
    if transcript is None:
        return Heard(recording, "failed", "", None, None, said[0], said[1], "broken")
    return Heard(recording, "ok" if transcript else "empty", transcript, transcript, None, said[0], said[1])


def scored(values: Mapping[str, float]) -> Scores:
    """Return scores of the main measure by query."""
    name = MEASURE.full_name
    per_query = {query: {name: value} for query, value in sorted(values.items())}
    mean = sum(values.values()) / len(values)
    return Scores(per_query, {name: mean}, {name: mean}, len(values), 0, 0, 0, 0)
