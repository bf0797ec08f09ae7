"""disfluent: fillers, repeated words and pauses by rule, before a text is spoken."""

from __future__ import annotations

import re
from random import Random

import numpy as np

from squtr.channels.changed import Changed, Edit, changed
from squtr.channels.fillers import Fillers, all_fillers, fillers
from squtr.channels.words import Word, protected_spans, words_version
from squtr.digest import digest
from squtr.options import number_option
from squtr.text.segmenter import chinese_words

MOST_A_WORD, FILLER, REPETITION = 0.2, 0.5, 0.8
_EDGES = re.compile(r"^[\W_]+|[\W_]+$")
_PARTED = re.compile(r"[\s,;:?!.…—，；：。、？！-]")


class Disfluent:
    """Insert hesitations at word boundaries; `rate` is the tendency, 0 to 1, and 1 is one word in five.

    The rule and its constants are those of Wang et al. (arXiv:2610.11015, figure 1), and its chance too:
    Python's own generator, seeded with the text, so that one text hesitates in the same places wherever it
    is spoken. Neither the seed nor the item's id has a part in it. Boundaries beside a word that holds a
    digit or an @ are left alone; in Chinese also those beside page addresses and codes.

    "Are you sure about that?" becomes "Are you sure uh, about that?".
    """

    full_rate = 1 / MOST_A_WORD

    def __init__(self, rate: float = 0.5) -> None:
        self.rate = number_option("disfluent: rate", rate, 0.0, 1.0)

    @property
    def fingerprint(self) -> str:
        """The rule's version, the tendency, the words that are put in and where words are."""
        rows = {code: [*row.inserted, row.before, row.pause] for code, row in all_fillers().items()}
        return digest("disfluent/2", self.rate, rows, words_version())

    @property
    def languages(self) -> tuple[str, ...]:
        """Those that channels/fillers.yaml has a row for."""
        return tuple(sorted(all_fillers()))

    def change(self, text: str, language: str, rng: np.random.Generator) -> Changed:
        """Change a text; `rng` is not used, since the rule draws from the text itself."""
        row, chinese = fillers(language), language == "zh"
        words = _segmented(text) if chinese else _blank_delimited(text)
        kept = [_is_kept(word) for word in words]
        if chinese:
            spans = protected_spans(text)
            kept = [
                held or any(word.start < end and start < word.end for start, end in spans)
                for word, held in zip(words, kept, strict=True)
            ]
        chance, edits = Random(text.encode("utf-8", "surrogatepass")), []  # noqa: S311
        for place, word in enumerate(words):
            hit = chance.random() < self.rate * MOST_A_WORD
            if hit and not kept[place] and not (place and kept[place - 1]):
                edits += _insertion(text, word, row, "" if chinese else " ", chance)
        return changed(text, edits)


def _insertion(text: str, word: Word, row: Fillers, blank: str, chance: Random) -> list[Edit]:
    roll = chance.random()
    if roll < FILLER:
        touching = word.start > 0 and not _PARTED.match(text[word.start - 1])
        filler = (row.before if touching else "") + chance.choice(row.inserted)
        return [Edit("filler", word.start, word.start, filler + blank)]
    if roll >= REPETITION:
        return [Edit("pause", word.start, word.start, row.pause + blank)]
    stem = _EDGES.sub("", word.text)
    return [Edit("repetition", word.start, word.start, f"{stem}-{blank}")] if stem else []


def _is_kept(word: Word) -> bool:
    return any(char.isdigit() or char == "@" for char in word.text)


def _blank_delimited(text: str) -> list[Word]:
    return [Word(*match.span(), match.group()) for match in re.finditer(r"\S+", text)]


def _segmented(text: str) -> list[Word]:
    """Return the segmenter's words; ASCII without a blank in it is one word, marks beside it included."""
    found: list[Word] = []
    at = 0
    for piece in chinese_words(text):
        end = at + len(piece)
        last = found[-1] if found else None
        if last and last.end == at and (text[at - 1] + piece[0]).isascii() and not piece.isspace():
            found[-1] = Word(last.start, end, text[last.start : end])
        elif not piece.isspace():
            found.append(Word(at, end, piece))
        at = end
    return [word for word in found if any(char.isalnum() for char in word.text)]
