"""What is wrong with a take, by rules that need no ear: figures, the text, the transcript, the prompt.

Each rule is a pure function of `TakeFacts`. Text-to-speech fails by breaking off, repeating, falling
silent, speaking its prompt, skipping the first word, adding speech; a recogniser can err too, so a flag is
a suspicion: it breaks ties between takes and stands in the manifest.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from squtr.languages import language_row
from squtr.text import Edit, align, normaliser, units

_LONG_SECONDS = 1.5
_LONGEST_END_SILENCE_SECONDS = 2.0
_QUIETEST_DBFS = -45.0
_SHORTEST_REPEAT = 3
_SHORT_BESIDE_PROMPT = 0.5


@dataclass(frozen=True, slots=True)
class TakeFacts:
    """A take's figures and texts; `prompt` is the transcript of the voice's prompt recording, if any."""

    seconds: float
    trimmed_seconds: float
    level_dbfs: float
    spoken: str
    transcript: str
    language: str
    prompt: str = ""


def take_flags(facts: TakeFacts) -> tuple[str, ...]:
    """Return the name of every rule that the take breaks, in the rules' order."""
    return tuple(name for name, is_broken in RULES if is_broken(facts))


def too_short(facts: TakeFacts) -> bool:
    """Less time per letter, digit or character than anyone speaks in: broken off."""
    shortest, _ = language_row(facts.language).seconds_per_character
    return facts.seconds / max(_characters(facts.spoken), 1) < shortest


def too_long(facts: TakeFacts) -> bool:
    """More time per character than the slowest reader takes: babble, loops or silence within."""
    _, longest = language_row(facts.language).seconds_per_character
    return facts.seconds > _LONG_SECONDS and facts.seconds / max(_characters(facts.spoken), 1) > longest


def repeats_itself(facts: TakeFacts) -> bool:
    """More stretches of three units or more that stand twice in a row than the text has."""
    return _repeats(_units(facts.transcript, facts.language)) > _repeats(_units(facts.spoken, facts.language))


def silent_at_the_ends(facts: TakeFacts) -> bool:
    """More than two seconds of silence were cut off the ends."""
    return facts.trimmed_seconds > _LONGEST_END_SILENCE_SECONDS


def nearly_silent(facts: TakeFacts) -> bool:
    """Far below any speech level. (Below -60 dBFS a take fails outright.)"""
    return facts.level_dbfs < _QUIETEST_DBFS


def says_nothing(facts: TakeFacts) -> bool:
    """The text has units and not one was heard."""
    heard = _units(facts.transcript, facts.language)
    return not heard and bool(_units(facts.spoken, facts.language))


def leaks_its_prompt(facts: TakeFacts) -> bool:
    """Words of the prompt, but not of the text, are heard.

    Either three words (four characters in Chinese) in a row from anywhere in the prompt, or the prompt's
    last words, even one, right before the beginning of the text.
    """
    prompt, heard = _units(facts.prompt, facts.language), _units(facts.transcript, facts.language)
    spoken = _units(facts.spoken, facts.language)
    size = language_row(facts.language).fault_run + 1
    if _runs(prompt, size) & _runs(heard, size) - _runs(spoken, size):
        return True
    return any(
        heard[:count] == prompt[-count:]
        and spoken[:2] == heard[count : count + 2]
        and heard[: count + 2] != spoken[: count + 2]
        for count in range(1, min(len(prompt), len(heard) - 1) + 1)
        if spoken
    )


def skips_its_beginning(facts: TakeFacts) -> bool:
    """The first unit of the text is missing."""
    edits = _edits(facts)
    return len(edits) > 1 and edits[0].kind == "deletion"


def breaks_off(facts: TakeFacts) -> bool:
    """The last unit of the text is missing."""
    edits = _edits(facts)
    return len(edits) > 1 and edits[-1].kind == "deletion"


def leaves_words_out(facts: TakeFacts) -> bool:
    """Two words (three characters in Chinese; `fault_run`) in a row are missing within the text."""
    return any(edit.kind == "deletion" and _is_run(edit.reference, facts) for edit in _edits(facts)[1:-1])


def says_more(facts: TakeFacts) -> bool:
    """Two words (three characters in Chinese) in a row are heard that the text does not have."""
    return any(edit.kind == "insertion" and _is_run(edit.hypothesis, facts) for edit in _edits(facts))


def short_beside_its_prompt(facts: TakeFacts) -> bool:
    """The text has less than half the prompt's length: where zero-shot voices misbehave most."""
    return _characters(facts.spoken) < _SHORT_BESIDE_PROMPT * _characters(facts.prompt)


RULES: tuple[tuple[str, Callable[[TakeFacts], bool]], ...] = (
    ("too short for its text", too_short),
    ("too long for its text", too_long),
    ("repeats itself", repeats_itself),
    ("long silence at the ends", silent_at_the_ends),
    ("nearly silent", nearly_silent),
    ("says nothing", says_nothing),
    ("speaks its prompt", leaks_its_prompt),
    ("skips its beginning", skips_its_beginning),
    ("breaks off", breaks_off),
    ("leaves words out", leaves_words_out),
    ("says more than its text", says_more),
    ("short beside its prompt", short_beside_its_prompt),
)


def _characters(text: str) -> int:
    return sum(character.isalnum() for character in text)


@functools.lru_cache(maxsize=64)
def _units(text: str, code: str) -> list[str]:
    return units(normaliser(code).clean(text), code)


@functools.lru_cache(maxsize=16)
def _aligned(spoken: str, transcript: str, code: str) -> list[Edit]:
    return align(spoken, transcript, code)


def _edits(facts: TakeFacts) -> list[Edit]:
    return _aligned(facts.spoken, facts.transcript, facts.language)


def _is_run(run: Sequence[str], facts: TakeFacts) -> bool:
    return len(run) >= language_row(facts.language).fault_run


def _runs(found: Sequence[str], size: int) -> set[tuple[str, ...]]:
    return {tuple(found[start : start + size]) for start in range(len(found) - size + 1)}


def _repeats(found: Sequence[str]) -> int:
    """Count the places where a stretch of three units or more stands twice in a row."""
    count = 0
    for size in range(_SHORTEST_REPEAT, len(found) // 2 + 1):
        run = 0
        for place in range(len(found) - size):
            run = run + 1 if found[place] == found[place + size] else 0
            count += run >= size
    return count
