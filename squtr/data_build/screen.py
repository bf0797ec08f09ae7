"""Screen: error rate first, then judges, by the recipe's consensus."""

from __future__ import annotations

import functools
import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from squtr import plugins
from squtr.errors import ItemFailure, UserError
from squtr.judges import Judge
from squtr.languages import also_decides
from squtr.recipe import JudgeRule, Recipe, Screen
from squtr.records import AudioRef, Judgement
from squtr.store import Audio, PackWriter

_ROUNDING = 1e-9


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

    def also_decides(self, item: JudgeItem) -> tuple[str, ...]:
        return also_decides(judge(self.judge), item.language)

    def run(self, item: JudgeItem, audio: Audio, pack: PackWriter) -> dict[str, Any]:
        waveform = audio.waveform(item.audio)
        return _record(judge(self.judge).judge(waveform, item.text, item.transcript, item.language))

    def run_many(
        self, items: Sequence[JudgeItem], audio: Audio, pack: PackWriter
    ) -> list[dict[str, Any]] | None:
        together = getattr(judge(self.judge), "judge_many", None)
        if together is None:
            return None
        said = together(
            [(audio.waveform(item.audio), item.text, item.transcript, item.language) for item in items]
        )
        return [_record(one) for one in said] if len(said) == len(items) else None


def _record(said: Judgement) -> dict[str, Any]:
    if not math.isfinite(said.score):
        raise ItemFailure(f"gave a score of {said.score}")
    return {"score": said.score, "scale": said.scale, "reasons": list(said.reasons)}


@functools.cache
def judge(spec: str) -> Judge:
    """Return this process's one judge of that spec."""
    loaded: Judge = plugins.load("judge", spec)
    return loaded


def refuse_beyond_scale(recipe: Recipe, judges: Sequence[Any]) -> None:
    """Raise UserError for a min_score that no score of the judge can miss, or reach."""
    for place, (rule, engine) in enumerate(zip(recipe.screen.judges, judges, strict=True)):
        lowest, highest = getattr(engine, "bounds", (-math.inf, math.inf))
        if not lowest <= rule.min_score <= highest:
            with recipe.origin.of("screen", "judges", place, "min_score"):
                raise UserError(
                    f"{rule.min_score:g} is outside of the judge's scale. Give a score from {lowest:g} to"
                    f" {highest:g}."
                )


def error_rate_reason(error_rate: float, rule: Screen, unit: str) -> str | None:
    """Return why stage one rejects an utterance, or None."""
    if error_rate <= rule.max_error_rate:
        return None
    return f"{unit} {error_rate:.1%} is above {rule.max_error_rate:.0%}"


def judges_reason(judgements: dict[str, dict[str, Any]], rule: Screen) -> str | None:
    """Return why stage two rejects an utterance by the recipe's consensus, or None."""
    said = [(row, judgements[row.label]) for row in rule.judges]
    short = [reason for row, judgement in said if (reason := _shortcoming(row, judgement))]
    if not short or (rule.consensus == "any" and len(short) < len(said)):
        return None
    scores = [judgement["score"] for _, judgement in said if judgement["status"] == "ok"]
    if rule.consensus != "mean" or len(scores) < len(said):
        return "; ".join(short)
    mean, wanted = statistics.fmean(scores), statistics.fmean(row.min_score for row in rule.judges)
    if mean >= wanted - _ROUNDING:
        return None
    return f"judges gave {mean:.2f} on average, below {wanted:g}: {'; '.join(short)}"


def _shortcoming(row: JudgeRule, said: dict[str, Any]) -> str | None:
    if said["status"] != "ok":
        return f"judge {row.label} failed ({said['reason']})"
    if said["score"] >= row.min_score:
        return None
    because = f" ({'; '.join(said['reasons'])})" if said["reasons"] else ""
    return f"judge {row.label} gave {said['score']:.2f}, below {row.min_score:g}{because}"
