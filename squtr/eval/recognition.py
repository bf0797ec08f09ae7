"""What recognition gave and cost: error rates, statuses, confidence, and the real-time factor."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from squtr.dataset import Subset
from squtr.eval.transcripts import Heard
from squtr.languages import language_row
from squtr.stage import Runner, Tally
from squtr.text import corpus_rate

STATUSES = ("ok", "empty", "failed")
NOTHING_COMPUTED = "nothing was computed: all transcripts are kept from earlier"


def recognition(language: str, heard: Mapping[str, Sequence[Heard]]) -> dict[str, Any]:
    """Return by condition error rates, how many recordings were heard, and how surely.

    The mean confidence is over the recordings that have one; what it is measured in is the recogniser's.
    Rates are against the words that were spoken; behind a channel `fluent` is the rate without fillers and
    repetitions on either side.
    """
    name = language_row(language).error_rate
    return {condition: _described(name, transcripts) for condition, transcripts in heard.items()}


def _described(name: str, transcripts: Sequence[Heard]) -> dict[str, Any]:
    known = [heard for heard in transcripts if heard.status != "failed"]
    fluent = [heard.fluent for heard in known if heard.fluent is not None]
    sure = [heard.confidence for heard in known if heard.confidence is not None]
    return {
        "name": name,
        "recordings": len(transcripts),
        "clean": corpus_rate(heard.clean for heard in known),
        "raw": corpus_rate(heard.raw for heard in known),
        **({"fluent": corpus_rate(fluent)} if any(heard.recording.channel for heard in transcripts) else {}),
        **{status: sum(heard.status == status for heard in transcripts) for status in STATUSES},
        "confidence": {"mean": math.fsum(sure) / len(sure) if sure else None, "recordings": len(sure)},
    }


@dataclass
class Meter:
    """Runs a recogniser's stage over one subset and condition after the other, and notes what each cost.

    Times are measured, so they stand beside the results and never in what is kept of an item.
    """

    runner: Runner
    noted: list[Tally] = field(default_factory=list)

    def expect(self, items: int) -> None:
        """Announce how many recordings all runs will be."""
        self.runner.expect("transcribe", items)

    def run(self, stage: Any, items: Sequence[Any]) -> list[dict[str, Any]]:
        """Return the items' records, as the runner gives them."""
        before = self._so_far(stage.name)
        records = self.runner.run(stage, items)
        after = self._so_far(stage.name)
        done = Tally(after.done - before.done, after.reused - before.reused)
        done.stage_seconds = after.stage_seconds - before.stage_seconds
        done.audio_seconds = after.audio_seconds - before.audio_seconds
        self.noted.append(done)
        return records

    def _so_far(self, name: str) -> Tally:
        found = self.runner.tallies.get(name, Tally())
        return Tally(found.done, found.reused, found.crashed, found.stage_seconds, found.audio_seconds)

    def costs(self, subsets: Sequence[Subset]) -> dict[str, dict[str, Any]]:
        """Return {subset key: {condition: cost}} of one run a subset and condition, in order."""
        places = [(subset.key, condition) for subset in subsets for condition in subset.conditions]
        found: dict[str, dict[str, Any]] = {}
        for (subset, condition), noted in zip(places, self.noted, strict=True):
            found.setdefault(subset, {})[condition] = _cost(noted)
        return found


def _cost(noted: Tally) -> dict[str, Any]:
    computed = noted.done > 0 and noted.audio_seconds > 0
    return {
        "computed": noted.done,
        "reused": noted.reused,
        "audio_seconds": noted.audio_seconds,
        "recogniser_seconds": noted.stage_seconds,
        "real_time_factor": noted.stage_seconds / noted.audio_seconds if computed else None,
        "reason": None if computed else NOTHING_COMPUTED,
    }
