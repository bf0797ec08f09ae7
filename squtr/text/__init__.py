"""Text: normalisers, error units, error rates from counts, and the form a text is read aloud in."""

from __future__ import annotations

from squtr.text.error_rate import (
    Edit,
    ErrorCounts,
    align,
    corpus_rate,
    count_errors,
    count_errors_units,
)
from squtr.text.normalise import Normaliser, normaliser, units
from squtr.text.reading import Reading, read_aloud, reading_fingerprint

__all__ = [
    "Edit",
    "ErrorCounts",
    "Normaliser",
    "Reading",
    "align",
    "corpus_rate",
    "count_errors",
    "count_errors_units",
    "normaliser",
    "read_aloud",
    "reading_fingerprint",
    "units",
]
