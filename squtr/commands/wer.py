"""squtr wer."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

from squtr.counted import counted
from squtr.errors import UserError
from squtr.eval.transcript_files import HYPOTHESIS_NAMES, REFERENCE_NAMES, read_transcripts
from squtr.text import Edit, ErrorCounts, align, corpus_rate, count_errors, normaliser

FORMS = ("clean", "raw")
_SHOWN = 10


@dataclass(frozen=True)
class Rated:
    """Error counts by form and id; a hypothesis that failed or is missing has none, and is named here."""

    language: str
    counts: dict[str, dict[str, ErrorCounts]]
    alignments: dict[str, list[Edit]]
    missing: tuple[str, ...]
    failed: tuple[str, ...]
    strangers: tuple[str, ...]
    missing_counts: dict[str, ErrorCounts]

    @property
    def name(self) -> str:
        """WER or CER, by the language's error unit."""
        return "CER" if self.unit == "character" else "WER"

    @property
    def unit(self) -> str:
        """What the language's errors are counted in."""
        return "character" if normaliser(self.language).unit == "character" else "word"

    @property
    def empty(self) -> tuple[str, ...]:
        """Ids whose reference, normalised, holds nothing."""
        return tuple(name for name, one in self.counts["clean"].items() if not one.reference_length)


def run_wer(reference: Path, hypothesis: Path, language: str, unit: str | None) -> Rated:
    """Join transcripts by id and count their errors. Raises UserError with file and line for a fault."""
    normaliser(language)
    references = read_transcripts(reference, REFERENCE_NAMES)
    hypotheses = read_transcripts(hypothesis, HYPOTHESIS_NAMES)
    shared = [name for name in references if name in hypotheses]
    if not shared:
        raise UserError(
            f"{reference} and {hypothesis} share no id: {list(references)[:3]} against"
            f" {list(hypotheses)[:3]}. Ids must match exactly."
        )
    heard = {name: text for name in shared if (text := hypotheses[name]) is not None}
    said = {name: _said(references[name], name, reference) for name in references}
    lost = [name for name in references if name not in heard]
    return Rated(
        language,
        {
            form: {name: count_errors(said[name], heard[name], language, form, unit) for name in heard}
            for form in FORMS
        },
        {name: align(said[name], heard[name], language, "clean", unit) for name in heard},
        tuple(name for name in references if name not in hypotheses),
        tuple(name for name in shared if hypotheses[name] is None),
        tuple(name for name in hypotheses if name not in references),
        {name: count_errors(said[name], "", language, "clean", unit) for name in lost},
    )


def show_wer(rated: Rated, per_utterance: bool, as_json: bool) -> None:
    """Print pooled rates, what was lost, and the commonest confusions."""
    if as_json:
        print(json.dumps(_plain(rated, per_utterance), ensure_ascii=False, allow_nan=False))
        return
    if per_utterance:
        for name, counts in rated.counts["clean"].items():
            print(f"{name}\t{counts.own_rate:.4f}\t{_edits(rated.alignments[name])}")
    Console().print(_table(rated))
    print(f"clean: normalised by {normaliser(rated.language).version}; raw: numbers as they are written.")
    for (noun, what), names in _lost(rated).items():
        if names:
            more = ", ..." if len(names) > 3 else ""
            print(f"{counted(len(names), noun)} {what}: {', '.join(names[:3])}{more}.")
    pooled = corpus_rate([*rated.counts["clean"].values(), *rated.missing_counts.values()])
    if pooled["rate"] is None:
        print(f"No reference has a {rated.unit} in it, so there is no {rated.name}.")
    elif rated.missing_counts:
        print(f"With these counted as deleted whole, the {rated.name} is {pooled['rate']:.2%}.")
    for (said, heard), times in _confusions(rated).most_common(_SHOWN):
        print(f"  {times:>5}  {said or '(nothing)'} -> {heard or '(nothing)'}")


def _said(text: str | None, name: str, path: Path) -> str:
    if text is None:
        raise UserError(f"{path}: {name!r} has no reference text.")
    return text


def _lost(rated: Rated) -> dict[tuple[str, str], tuple[str, ...]]:
    return {
        ("reference", "without a hypothesis, not in the rate"): rated.missing,
        ("transcript", "failed, not in the rate"): rated.failed,
        ("transcript", "without a reference, left out"): rated.strangers,
        ("reference", f"without a {rated.unit}; each {rated.unit} heard there is an insertion"): rated.empty,
    }


def _table(rated: Rated) -> Table:
    table = Table(
        title=f"{rated.name}, {counted(len(rated.counts['clean']), 'utterance')}", title_justify="left"
    )
    for column in ("text", rated.name, "sub", "del", "ins", "units", "median", ">100 %"):
        table.add_column(column, justify="left" if column == "text" else "right")
    for form in FORMS:
        pooled = corpus_rate(rated.counts[form].values())
        rates = [pooled["rate"], pooled["median_rate"], pooled["share_above_one"]]
        rate, median, above = ("-" if value is None else f"{value:.2%}" for value in rates)
        counts = (pooled[name] for name in ("substitutions", "deletions", "insertions", "reference_length"))
        table.add_row(form, rate, *(f"{count:,}" for count in counts), median, above)
    return table


def _confusions(rated: Rated) -> Counter[tuple[str, str]]:
    joiner = "" if rated.name == "CER" else " "
    return Counter(
        (joiner.join(edit.reference), joiner.join(edit.hypothesis))
        for edits in rated.alignments.values()
        for edit in edits
        if edit.kind != "hit"
    )


def _edits(edits: list[Edit]) -> str:
    return "; ".join(
        f"{' '.join(edit.reference) or '(nothing)'} -> {' '.join(edit.hypothesis) or '(nothing)'}"
        for edit in edits
        if edit.kind != "hit"
    )


def _plain(rated: Rated, per_utterance: bool) -> dict[str, Any]:
    pooled = {form: corpus_rate(counts.values()) for form, counts in rated.counts.items()}
    with_lost = corpus_rate([*rated.counts["clean"].values(), *rated.missing_counts.values()])
    plain: dict[str, Any] = {
        "name": rated.name,
        "language": rated.language,
        "normaliser": normaliser(rated.language).version,
        **pooled,
        "rate_with_missing_as_deleted": with_lost["rate"],
        "missing": list(rated.missing),
        "failed": list(rated.failed),
        "without_reference": list(rated.strangers),
        "empty_references": list(rated.empty),
        "confusions": [
            {"reference": said, "hypothesis": heard, "count": times}
            for (said, heard), times in _confusions(rated).most_common(_SHOWN)
        ],
    }
    if per_utterance:
        plain["utterances"] = {
            name: {
                form: {"rate": rated.counts[form][name].own_rate, "errors": rated.counts[form][name].errors}
                for form in FORMS
            }
            for name in rated.counts["clean"]
        }
    return plain
