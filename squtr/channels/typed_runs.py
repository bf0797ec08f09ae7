"""The letters that can carry a slip, and the runs of them that slips are counted in."""

from __future__ import annotations

from dataclasses import dataclass, field

from rapidfuzz.distance import DamerauLevenshtein

from squtr.channels.changed import Edit, changed
from squtr.channels.words import words


@dataclass
class Run:
    """A stretch of words without a gap, source[start:], and the slips made in it."""

    start: int
    text: str
    edits: list[Edit] = field(default_factory=list)

    def take(self, edit: Edit) -> bool:
        """Make a slip if it touches no other and moves the run one further away from its source."""
        edits = [*self.edits, edit]
        if any(_overlap(edit, other) for other in self.edits):
            return False
        typed = changed(self.text, [self._inside(one) for one in edits]).text
        if DamerauLevenshtein.distance(self.text, typed) != len(edits):
            return False
        self.edits = edits
        return True

    def _inside(self, edit: Edit) -> Edit:
        return Edit(edit.kind, edit.start - self.start, edit.end - self.start, edit.after)


@dataclass(frozen=True, slots=True)
class Letter:
    """source[at], the letter at `place` of the word that begins at `start`."""

    at: int
    char: str
    word: str
    start: int
    place: int
    run: Run

    @property
    def length(self) -> int:
        """Length of its word."""
        return len(self.word)


def letters_of(text: str, language: str) -> list[Letter]:
    """Return every letter that can carry a slip, in order: those of words that are not protected."""
    found: list[Letter] = []
    run: Run | None = None
    for word in words(text, language):
        if run is None or run.start + len(run.text) != word.start:
            run = Run(word.start, "")
        run.text += word.text
        found += [
            Letter(word.start + place, char, word.text, word.start, place, run)
            for place, char in enumerate(word.text)
            if char.isalpha()
        ]
    return found


def _overlap(one: Edit, other: Edit) -> bool:
    if one.start == one.end and other.start == other.end:
        return one.start == other.start
    if one.start == one.end:
        return other.start < one.start < other.end
    if other.start == other.end:
        return one.start < other.start < one.end
    return one.start < other.end and other.start < one.end
