"""Gaps: what of a published data set could not be used as it is, each with its place and its reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import asdict, dataclass, field
from pathlib import Path

from squtr.collection import write_jsonl

GAPS_FILE = "gaps.jsonl"
SUBSET, TABLE, ROW = "subset left out", "query file left out", "row left out"
MISSING, BROKEN = "recording missing", "recording broken"
UNASKED, UNJUDGED = "judgement left out", "query without judgement"
UNFOUND = "judged documents that are not there"
UNHEARD, UNNAMED = "query without recording", "audio that no row names"
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Gap:
    """One gap: its kind, the file (and line) it lies in, and what is wrong there."""

    kind: str
    place: str
    what: str


@dataclass
class Gaps:
    """All gaps of an import, in the order they were found."""

    found: list[Gap] = field(default_factory=list)

    def add(self, kind: str, place: str, what: str) -> None:
        """Add one gap."""
        self.found.append(Gap(kind, place, what))

    @property
    def counts(self) -> dict[str, int]:
        """How many there are of each kind."""
        return dict(Counter(gap.kind for gap in self.found))

    def lines(self) -> Iterator[str]:
        """Yield a line for each kind, with its first cases."""
        for kind, count in self.counts.items():
            yield f"{kind}: {count}, such as {first(gap for gap in self.found if gap.kind == kind)}"

    def write(self, folder: Path) -> None:
        """Write gaps.jsonl, one row a gap; no file where there is none."""
        if self.found:
            write_jsonl(folder / GAPS_FILE, map(asdict, self.found))


def first(gaps: Iterable[Gap]) -> str:
    """Return the first gaps in words."""
    told = [f"{gap.place} ({gap.what})" for gap, _ in zip(gaps, range(_SHOWN), strict=False)]
    return "; ".join(told)
