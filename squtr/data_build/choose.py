"""Choose: the best of an utterance's takes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from squtr.records import AudioRef
from squtr.text import ErrorCounts, count_errors

_SECONDS_PER_CHARACTER = {"en": (0.03, 0.20), "zh": (0.08, 0.70)}
_LONGEST_END_SILENCE_SECONDS = 2.0


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
        return float(self.clean.errors if self.clean.rate is None else self.clean.rate)


def read_take(
    number: int, said: dict[str, Any], heard: dict[str, Any], text: str, spoken: str, language: str
) -> Take:
    """Join a take's speech and transcript records and count its errors against the written text."""
    audio = AudioRef(**said["audio"])
    transcript = heard["text"]
    flags = _flags(audio.seconds, said["trimmed_seconds"], spoken, transcript, language)
    raw = count_errors(text, transcript, language, "raw")
    clean = count_errors(text, transcript, language, "clean")
    return Take(number, audio, transcript, raw, clean, flags, said["trimmed_seconds"], said["gain"])


def choose(takes: list[Take]) -> Take:
    """Return the take with the lowest error rate, then the fewest flags, then the lowest number."""
    return min(takes, key=lambda take: (take.error_rate, len(take.flags), take.number))


def _flags(seconds: float, trimmed: float, spoken: str, transcript: str, language: str) -> tuple[str, ...]:
    characters = sum(character.isalnum() for character in spoken)
    shortest, longest = _SECONDS_PER_CHARACTER.get(language, (0.0, float("inf")))
    pace = seconds / max(characters, 1)
    flags = []
    if pace < shortest:
        flags.append("too short for its text")
    if pace > longest and seconds > 1.5:
        flags.append("too long for its text")
    if _repeats(transcript, language) > _repeats(spoken, language):
        flags.append("repeats itself")
    if trimmed > _LONGEST_END_SILENCE_SECONDS:
        flags.append("long silence at the ends")
    return tuple(flags)


def _repeats(text: str, language: str) -> int:
    """Count stretches of three units or more that stand twice in a row."""
    units = list(text.lower()) if language == "zh" else text.lower().split()
    found = 0
    for size in range(3, len(units) // 2 + 1):
        found += sum(
            units[start : start + size] == units[start + size : start + 2 * size]
            for start in range(len(units) - 2 * size + 1)
        )
    return found
