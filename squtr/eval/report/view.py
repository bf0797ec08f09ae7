"""One subset's part of the results, with its conditions in order."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from squtr.eval.report.words import Label, label, ordered, snr_of


@dataclass(frozen=True)
class SubsetView:
    """What the results say of one subset; `number` makes the anchors of its page parts."""

    results: dict[str, Any]
    key: str
    number: int

    @property
    def name(self) -> Label:
        return label(self.key)

    @property
    def facts(self) -> dict[str, Any]:
        found: dict[str, Any] = self.results["dataset"]["subsets"][self.key]
        return found

    @property
    def language(self) -> str:
        return str(self.facts["language"])

    @property
    def scores(self) -> dict[str, dict[str, Any]]:
        found: dict[str, dict[str, Any]] = self.results["scores"][self.key]
        return found

    @property
    def cascades(self) -> list[str]:
        """The systems that search the first recogniser's transcripts."""
        found: list[str] = self.results["error_costs"][self.key]["systems"]
        return found

    @property
    def recognition(self) -> dict[str, Any]:
        found: dict[str, Any] = self.results["recognition"][self.key]
        return found

    @property
    def measure(self) -> str:
        return str(self.results["main_measure"])

    @property
    def conditions(self) -> list[str]:
        return ordered(name for conditions in self.scores.values() for name in conditions)

    @property
    def spoken(self) -> list[str]:
        return ordered(self.recognition)

    @property
    def hardest(self) -> str:
        """The lowest SNR, or clean speech where there is no noise."""
        return self.spoken[-1]

    @property
    def noisy(self) -> bool:
        return snr_of(self.hardest) is not None

    @property
    def rate_name(self) -> str:
        return str(self.recognition[self.hardest]["name"])

    @property
    def unit(self) -> str:
        return "character" if self.rate_name == "CER" else "word"


def views(results: dict[str, Any]) -> list[SubsetView]:
    """Return one view a subset, in the order of the results."""
    return [SubsetView(results, key, number) for number, key in enumerate(results["dataset"]["subsets"])]
