"""spoken-filler-stripped: fillers and repetitions taken out of a spoken text."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from squtr.channels.changed import Changed
from squtr.channels.cuts import MARKS, cut
from squtr.channels.fillers import all_fillers
from squtr.channels.spoken_words import languages_with, spoken_words
from squtr.channels.words import Word, marked_words, words_version
from squtr.digest import digest

_MARKED, _ENDS = re.compile(r"[,，、;；…—–-]"), re.compile(r"[.!?。！？…:：]")
_DASH, _JOINED = re.compile(r"[—–-]"), re.compile(f"[{MARKS}]*")
_LONGEST = 4


class SpokenFillerStripped:
    """Take out every filler and every repetition; the rule that follows `spoken-casual`.

    Fillers that are words too (like, well, 那个) go only where marks set them off. Of a repetition of one or
    two words the first goes: "I- I", "the the", "are you- are you". Words that may stand twice (that, very)
    lose it only before a dash, and Chinese words only where a mark stands between. A word broken off before a
    dash goes with them ("wh- what"). Their lists: channels/fillers.yaml and channels/spoken_words.yaml.

    "Um, so, what is the- the, you know, capital of uh Greece?" becomes "What is the capital of Greece?".
    """

    @property
    def fingerprint(self) -> str:
        """Version, the lists and what decides the words."""
        lists = {
            code: [sorted(_always(code)), sorted(_set_off(code)), spoken_words()[code].may_repeat]
            for code in self.languages
        }
        return digest("spoken-filler-stripped/1", lists, words_version())

    @property
    def languages(self) -> tuple[str, ...]:
        """Those with a list."""
        return languages_with("always")

    def change(self, text: str, language: str, rng: np.random.Generator) -> Changed:
        """Change a text; there is no chance in it."""
        found = marked_words(text, language)
        words, free = [word for word, _ in found], {place for place, (_, able) in enumerate(found) if able}
        gone = dict.fromkeys(_fillers(text, words, free, language), "filler")
        while more := _repeated(text, words, free, language, gone):
            gone.update(dict.fromkeys(more, "repetition"))
        return cut(text, words, gone, MARKS)


def _always(language: str) -> set[str]:
    known = all_fillers()[language].counted if language in all_fillers() else ()
    return {*known, *spoken_words()[language].always}


def _set_off(language: str) -> set[str]:
    known = all_fillers()[language].alone if language in all_fillers() else ()
    return {*known, *spoken_words()[language].set_off}


def _fillers(text: str, words: Sequence[Word], free: set[int], language: str) -> list[int]:
    always, set_off = _always(language), _set_off(language)
    found: list[int] = []
    place = 0
    while place < len(words):
        for length in range(_LONGEST, 0, -1):
            span = range(place, place + length)
            if place + length > len(words) or not free.issuperset(span):
                continue
            said = " ".join(text[words[place].start : words[span[-1]].end].lower().split())
            if said in always or (said in set_off and _is_set_off(text, words, span)):
                found += span
                place = span[-1]
                break
        place += 1
    return found


def _is_set_off(text: str, words: Sequence[Word], span: range) -> bool:
    before = text[words[span[0] - 1].end if span[0] else 0 : words[span[0]].start]
    after = text[words[span[-1]].end : words[span[-1] + 1].start if span[-1] + 1 < len(words) else len(text)]
    begins = not span[0] or bool(_ENDS.search(before))
    ends = span[-1] + 1 == len(words) or bool(_ENDS.search(after))
    if _MARKED.search(after):
        return begins or bool(_MARKED.search(before))
    return ends and bool(_MARKED.search(before))


def _repeated(
    text: str, words: Sequence[Word], free: set[int], language: str, gone: dict[int, str]
) -> list[int]:
    left = [place for place in range(len(words)) if place not in gone]
    for length in (2, 1):
        for at in range(len(left) - length):
            first, second = left[at : at + length], left[at + length : at + 2 * length]
            if free.issuperset([*first, *second]) and _repeats(text, words, first, second, language):
                return first
    return []


def _repeats(
    text: str, words: Sequence[Word], first: Sequence[int], second: Sequence[int], language: str
) -> bool:
    said, again = ([words[place].text.lower() for place in part] for part in (first, second))
    gap = "".join(text[words[place].end : words[place + 1].start] for place in range(first[-1], second[0]))
    if not _JOINED.fullmatch(gap):
        return False
    dash = bool(_DASH.search(gap))
    if said != again:
        broken = dash and len(said) == 1 and gap[0] == "-" and language != "zh"
        return broken and again[0].startswith(said[0])
    if language == "zh":
        return bool(_MARKED.search(gap))
    return dash or not set(said) <= set(spoken_words()[language].may_repeat)
