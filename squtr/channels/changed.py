"""What an operator did to a text: the text that came out, and its edits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rapidfuzz.distance import Indel


@dataclass(frozen=True, slots=True)
class Edit:
    """One change: source[start:end], counted in code points, became `after`.

    `kind` says what it was in the operator's words, such as `neighbour`, `transposition`, `filler`.
    """

    kind: str
    start: int
    end: int
    after: str


@dataclass(frozen=True, slots=True)
class Changed:
    """The text that came out of an operator, and its edits in order, of the text that came in."""

    text: str
    edits: tuple[Edit, ...] = ()


def changed(source: str, edits: Iterable[Edit]) -> Changed:
    """Carry out `edits`, in any order. Raises ValueError when two of them overlap.

    Insertions at one place keep the order they are given in, and stand before a change that begins there.
    """
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    parts, at = [], 0
    for edit in ordered:
        if not at <= edit.start <= edit.end <= len(source):
            raise ValueError(f"An edit of {edit.start}:{edit.end} overlaps another or leaves the text.")
        parts += [source[at : edit.start], edit.after]
        at = edit.end
    return Changed("".join([*parts, source[at:]]), tuple(ordered))


def rewritten(source: str, text: str, kind: str = "rewritten") -> Changed:
    """Return the edits that turn `source` into what somebody else wrote: all between equal words."""
    before, after = _spans(source), _spans(text)
    said = [[one[start:end] for start, end in spans] for one, spans in ((source, before), (text, after))]
    kept = [
        (before[step.src_start + place], after[step.dest_start + place])
        for step in Indel.opcodes(*said)
        if step.tag == "equal"
        for place in range(step.src_end - step.src_start)
    ]
    ends = ((len(source), len(source)), (len(text), len(text)))
    edits, at, reached = [], 0, 0
    for (start, end), (first, last) in [*kept, ends]:
        if source[at:start] != text[reached:first]:
            edits.append(_between(source[at:start], text[reached:first], at, kind))
        at, reached = end, last
    return Changed(text, tuple(edits))


def _between(before: str, after: str, at: int, kind: str) -> Edit:
    """Return the edit of a stretch at `at`, without the blanks that both begin or end with."""
    head = tail = 0
    shorter = min(len(before), len(after))
    while head < shorter and before[head] == after[head] and after[head].isspace():
        head += 1
    while tail < shorter - head and before[-1 - tail] == after[-1 - tail] and after[-1 - tail].isspace():
        tail += 1
    return Edit(kind, at + head, at + len(before) - tail, after[head : len(after) - tail])


def _spans(text: str) -> list[tuple[int, int]]:
    spans: list[tuple[int, int]] = []
    for place, char in enumerate(text):
        if char.isspace():
            continue
        if spans and spans[-1][1] == place and char.isascii() and text[place - 1].isascii():
            spans[-1] = spans[-1][0], place + 1
        else:
            spans.append((place, place + 1))
    return spans
