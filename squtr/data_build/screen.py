"""Screen: error rate first, then judges who must all pass the utterance."""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from squtr import plugins
from squtr.errors import ItemFailure
from squtr.judges import Judge
from squtr.recipe import Screen
from squtr.records import AudioRef
from squtr.store import Audio, PackWriter


@dataclass(frozen=True, slots=True)
class JudgeItem:
    """What decides a judgement besides the judge."""

    audio: AudioRef
    text: str
    transcript: str
    language: str


@dataclass(frozen=True)
class Judging:
    """Stage: one judge on one utterance. Record: score, scale, reasons."""

    judge: str
    name: str = "judge"

    @property
    def fingerprint(self) -> str:
        return judge(self.judge).fingerprint

    def audio_of(self, item: JudgeItem) -> Sequence[AudioRef]:
        return (item.audio,)

    def run(self, item: JudgeItem, audio: Audio, pack: PackWriter) -> dict[str, Any]:
        said = judge(self.judge).judge(audio.waveform(item.audio), item.text, item.transcript, item.language)
        if not math.isfinite(said.score):
            raise ItemFailure(f"gave a score of {said.score}")
        return {"score": said.score, "scale": said.scale, "reasons": list(said.reasons)}


@functools.cache
def judge(spec: str) -> Judge:
    """Return this process's one judge of that spec."""
    loaded: Judge = plugins.load("judge", spec)
    return loaded


def error_rate_reason(error_rate: float, rule: Screen, unit: str) -> str | None:
    """Return why stage one rejects an utterance, or None."""
    if error_rate <= rule.max_error_rate:
        return None
    return f"{unit} {error_rate:.1%} is above {rule.max_error_rate:.0%}"


def judges_reason(judgements: dict[str, dict[str, Any]], rule: Screen) -> str | None:
    """Return why stage two rejects an utterance, or None; a judge that failed does not pass it."""
    failed = []
    for row in rule.judges:
        said = judgements[row.judge]
        if said["status"] != "ok":
            failed.append(f"judge {row.judge} failed ({said['reason']})")
        elif said["score"] < row.min_score:
            because = f" ({'; '.join(said['reasons'])})" if said["reasons"] else ""
            failed.append(f"judge {row.judge} gave {said['score']:.2f}, below {row.min_score:g}{because}")
    return "; ".join(failed) or None
