"""Error rates from counts: counts add up, rates never do."""

from __future__ import annotations

import functools
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from rapidfuzz.distance import Levenshtein

from squtr.errors import UserError, did_you_mean
from squtr.text.normalise import normaliser, units

FORMS = ("clean", "raw", "fluent", "written")
_KINDS = {"equal": "hit", "replace": "substitution", "delete": "deletion", "insert": "insertion"}


@dataclass(frozen=True, slots=True)
class ErrorCounts:
    """Errors and hits in units of the reference; add them up and take the rate of the sum."""

    substitutions: int = 0
    deletions: int = 0
    insertions: int = 0
    hits: int = 0

    @property
    def reference_length(self) -> int:
        return self.hits + self.substitutions + self.deletions

    @property
    def errors(self) -> int:
        return self.substitutions + self.deletions + self.insertions

    @property
    def rate(self) -> float | None:
        """Errors per reference unit, above 1 where much was invented; None for an empty reference."""
        return self.errors / self.reference_length if self.reference_length else None

    @property
    def own_rate(self) -> float:
        """The rate of one utterance: `rate`, and for an empty reference how many units were invented."""
        return float(self.errors if self.rate is None else self.rate)

    def __add__(self, other: ErrorCounts) -> ErrorCounts:
        return ErrorCounts(
            self.substitutions + other.substitutions,
            self.deletions + other.deletions,
            self.insertions + other.insertions,
            self.hits + other.hits,
        )

    def __radd__(self, other: int) -> ErrorCounts:
        if other != 0:
            return NotImplemented
        return self


@dataclass(frozen=True, slots=True)
class Edit:
    """A run of equal edits: its units on both sides and where they start, counted in units."""

    kind: str
    reference: tuple[str, ...]
    hypothesis: tuple[str, ...]
    reference_start: int
    hypothesis_start: int


def count_errors(
    reference: str, hypothesis: str | None, language: str, form: str = "clean", unit: str | None = None
) -> ErrorCounts:
    """Count the errors of a hypothesis; None and blank count as everything deleted.

    `form` is "clean", "raw" (numbers as written), "fluent" (clean without fillers and repetitions) or
    "written" (the text untouched, blanks and all).
    Raises UserError for an unknown language, form or unit.
    """
    return _count(
        _units_of(reference, language, form, unit), _units_of(hypothesis or "", language, form, unit)
    )


def count_errors_units(
    references: Sequence[Sequence[str]], hypotheses: Sequence[Sequence[str]]
) -> list[ErrorCounts]:
    """Count errors of pairs that are split into units already. Raises ValueError on unequal lengths."""
    return [_count(ref, hyp) for ref, hyp in zip(references, hypotheses, strict=True)]


def align(
    reference: str, hypothesis: str | None, language: str, form: str = "clean", unit: str | None = None
) -> list[Edit]:
    """Return the edits in order, one for each run, so a cut-off end is a last deletion of many units."""
    ref = _units_of(reference, language, form, unit)
    hyp = _units_of(hypothesis or "", language, form, unit)
    return [
        Edit(
            _KINDS[op.tag],
            ref[op.src_start : op.src_end],
            hyp[op.dest_start : op.dest_end],
            op.src_start,
            op.dest_start,
        )
        for op in Levenshtein.opcodes(ref, hyp)
    ]


def corpus_rate(counts: Iterable[ErrorCounts]) -> dict[str, Any]:
    """Pool the counts of many utterances into one rate, with what the pooled rate hides beside it.

    The share above 1 and the median are over utterances with a reference. An undefined value is None
    and `reason` says why; insertions on empty references still count in the pooled rate.
    """
    listed = list(counts)
    total = sum(listed, ErrorCounts())
    rates = [count.rate for count in listed if count.rate is not None]
    return {
        "rate": total.rate,
        "reason": None if total.rate is not None else "no reference units",
        "substitutions": total.substitutions,
        "deletions": total.deletions,
        "insertions": total.insertions,
        "hits": total.hits,
        "reference_length": total.reference_length,
        "utterances": len(listed),
        "empty_references": len(listed) - len(rates),
        "share_above_one": sum(rate > 1 for rate in rates) / len(rates) if rates else None,
        "median_rate": statistics.median(rates) if rates else None,
    }


def _count(reference: Sequence[str], hypothesis: Sequence[str]) -> ErrorCounts:
    if reference == hypothesis:
        return ErrorCounts(hits=len(reference))
    tags = [op[0] for op in Levenshtein.editops(reference, hypothesis).as_list()]
    substitutions, deletions = tags.count("replace"), tags.count("delete")
    return ErrorCounts(
        substitutions,
        deletions,
        len(tags) - substitutions - deletions,
        len(reference) - substitutions - deletions,
    )


@functools.lru_cache(maxsize=256)
def _units_of(text: str, language: str, form: str, unit: str | None) -> tuple[str, ...]:
    """Return a text's error units; a few are kept, as several takes say the same."""
    if form not in FORMS:
        raise UserError(f"Unknown text form {form!r}.{did_you_mean(form, FORMS)}")
    if form == "written":
        return tuple(_written_units(text, unit or normaliser(language).unit, language))
    chosen = normaliser(language)
    normalise = {"clean": chosen.clean, "raw": chosen.raw, "fluent": chosen.fluent}[form]
    return tuple(units(normalise(text), language, unit))


def _written_units(text: str, unit: str, language: str) -> list[str]:
    return list(text.strip()) if unit == "character" else units(text, language, unit)
