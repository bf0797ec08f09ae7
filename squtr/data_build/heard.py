"""What a data set's manifest and rejections tell by language, judge and condition."""

from __future__ import annotations

import json
import math
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq

from squtr.collection import read_jsonl
from squtr.data_build.layout import CLEAN, without_channel

_COLUMNS = (
    "language", "condition", "channel", "error_rate", "error_rate_fluent", "judges",
    "noise_synthetic", "requested_snr_db", "realised_snr_db",
    "acoustics",
)  # fmt: skip


@dataclass
class Figures:
    """Values seen one by one: how many, their mean, the lowest and the highest."""

    count: int = 0
    total: float = 0.0
    lowest: float = math.inf
    highest: float = -math.inf

    def add(self, value: float) -> None:
        """Add one value."""
        self.count, self.total = self.count + 1, self.total + value
        self.lowest, self.highest = min(self.lowest, value), max(self.highest, value)

    @property
    def mean(self) -> float | None:
        """The mean; None of nothing."""
        return self.total / self.count if self.count else None


@dataclass
class Heard:
    """Error rates and rejections by language, scores by judge; counts, SNRs and lines' SNRs by condition.

    Error rates and rejections are of the queries as written. `channels` has both error rates by channel and
    language, as spoken and without fillers and repetitions, and `rejected_behind` how many were rejected.
    `synthetic`: whether all noise that was mixed in was generated; None where there is none.
    """

    error_rates: dict[str, Figures] = field(default_factory=lambda: defaultdict(Figures))
    rejected: Counter[str] = field(default_factory=Counter)
    channels: dict[tuple[str, str], tuple[Figures, Figures]] = field(
        default_factory=lambda: defaultdict(lambda: (Figures(), Figures()))
    )
    rejected_behind: Counter[tuple[str, str]] = field(default_factory=Counter)
    scores: dict[str, Figures] = field(default_factory=lambda: defaultdict(Figures))
    recordings: Counter[str] = field(default_factory=Counter)
    off_db: dict[str, Figures] = field(default_factory=lambda: defaultdict(Figures))
    line_db: dict[str, Figures] = field(default_factory=lambda: defaultdict(Figures))
    synthetic: bool | None = None

    def add(self, row: dict[str, Any]) -> None:
        """Add one row of the manifest."""
        condition = row["condition"]
        self.recordings[condition] += 1
        if without_channel(condition) != CLEAN:
            self.off_db[condition].add(abs(row["realised_snr_db"] - row["requested_snr_db"]))
            self.synthetic = bool(row["noise_synthetic"]) and self.synthetic is not False
            acoustics = json.loads(row["acoustics"] or "{}")
            if "telephone" in acoustics:
                self.line_db[condition].add(acoustics["telephone"]["line_snr_db"])
            return
        if row["channel"]:
            spoken, fluent = self.channels[row["channel"], row["language"]]
            spoken.add(row["error_rate"])
            if row["error_rate_fluent"] is not None:
                fluent.add(row["error_rate_fluent"])
        else:
            self.error_rates[row["language"]].add(row["error_rate"])
        for said in row["judges"]:
            if said["score"] is not None:
                self.scores[said["judge"]].add(said["score"])


def read_heard(folder: Path) -> Heard:
    """Read manifest.parquet and rejected.jsonl, batch by batch."""
    heard = Heard()
    with pq.ParquetFile(folder / "manifest.parquet") as file:
        for batch in file.iter_batches(columns=list(_COLUMNS)):
            for row in batch.to_pylist():
                heard.add(row)
    for _, row in read_jsonl(folder / "rejected.jsonl"):
        if row["channel"]:
            heard.rejected_behind[row["channel"], row["language"]] += 1
        else:
            heard.rejected[row["language"]] += 1
    return heard
