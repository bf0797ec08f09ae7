"""Choose: the best of an utterance's takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from squtr.data_build.take_flags import TakeFacts, take_flags
from squtr.records import AudioRef
from squtr.text import ErrorCounts, count_errors


@dataclass(frozen=True, slots=True)
class Take:
    """One take with what the choosing recogniser heard in it."""

    number: int
    audio: AudioRef
    transcript: str
    raw: ErrorCounts
    clean: ErrorCounts
    flags: tuple[str, ...]
    trimmed_seconds: float
    gain: float

    @property
    def error_rate(self) -> float:
        """Error rate with numbers normalised; an empty reference counts each invented unit."""
        return self.clean.own_rate


def read_take(
    number: int,
    said: dict[str, Any],
    heard: dict[str, Any],
    text: str,
    spoken: str,
    language: str,
    prompt: str = "",
) -> Take:
    """Join a take's speech and transcript records and count its errors against the written text.

    `prompt` is the transcript of the voice's prompt recording, if it has one.
    """
    audio = AudioRef(**said["audio"])
    transcript = heard["text"]
    level_dbfs = said.get("level_dbfs", 0.0)
    facts = TakeFacts(
        audio.seconds, said["trimmed_seconds"], level_dbfs, spoken, transcript, language, prompt
    )
    raw = count_errors(text, transcript, language, "raw")
    clean = count_errors(text, transcript, language, "clean")
    flags = take_flags(facts)
    return Take(number, audio, transcript, raw, clean, flags, said["trimmed_seconds"], said["gain"])


def choose(takes: list[Take]) -> Take:
    """Return the take with the lowest error rate, then the fewest flags, then the lowest number."""
    return min(takes, key=lambda take: (take.error_rate, len(take.flags), take.number))
