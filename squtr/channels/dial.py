"""The dial of `typos`: the rates asked for beside those realised, over real queries.

python -m squtr.channels.dial COLLECTION:LANGUAGE ... prints the table of the documents.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import cycle, islice
from pathlib import Path

from rapidfuzz.distance import DamerauLevenshtein

from squtr.channels.channel import read_channel
from squtr.channels.typed_runs import letters_of

RATES = (0.005, 0.01, 0.02, 0.04, 0.08, 0.16, 0.24, 0.32)
QUERIES = 10_000


@dataclass(frozen=True, slots=True)
class Realised:
    """What a rate came to: the Damerau-Levenshtein distance over the letters that could carry a slip."""

    asked: float
    distance: int
    letters: int
    kinds: dict[str, int]

    @property
    def rate(self) -> float:
        """Slips per letter."""
        return self.distance / self.letters

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return the exact binomial interval of the rate (Clopper and Pearson)."""
        from scipy.stats import binomtest

        found = binomtest(self.distance, self.letters).proportion_ci(confidence)
        return float(found.low), float(found.high)


def realised(
    texts: Sequence[str], language: str, rates: Sequence[float] = RATES, count: int = QUERIES, seed: int = 1
) -> Iterator[Realised]:
    """Send `count` queries, the texts over and over with an id each, through typos at every rate."""
    letters = [len(letters_of(text, language)) for text in texts]
    for rate in rates:
        channel, kinds, distance = read_channel(f"typos@{rate}"), dict[str, int](), 0
        for number, text in enumerate(islice(cycle(texts), count)):
            passed = channel.apply(text, language, seed, str(number))
            distance += DamerauLevenshtein.distance(text, passed.text)
            for edit in passed.steps[0].edits:
                kinds[edit.kind] = kinds.get(edit.kind, 0) + 1
        yield Realised(rate, distance, sum(islice(cycle(letters), count)), kinds)


def table(rows: Sequence[Realised]) -> str:
    """Return the rows as a Markdown table; rates in per cent."""
    lines = ["| asked | realised | 95 % interval | off by | letters |", "| --- | --- | --- | --- | --- |"]
    for row in rows:
        low, high = row.interval()
        off = f"{row.rate / row.asked - 1:+.1%}"
        lines.append(
            f"| {row.asked:.1%} | {row.rate:.3%} | {low:.3%} to {high:.3%} | {off} | {row.letters:,} |"
        )
    return "\n".join(lines)


def main(arguments: Sequence[str]) -> None:
    """Print a table for each COLLECTION:LANGUAGE."""
    from squtr.collection.jsonl import read_jsonl

    for argument in arguments:
        folder, _, language = argument.rpartition(":")
        texts = [str(row["text"]) for _, row in read_jsonl(Path(folder) / "queries.jsonl")]
        sys.stdout.write(f"{folder}, {language}\n\n{table(list(realised(texts, language)))}\n\n")


if __name__ == "__main__":
    main(sys.argv[1:])
