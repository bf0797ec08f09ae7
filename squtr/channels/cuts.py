"""Words taken out of a text, with the blanks and marks that went with them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from squtr.channels.changed import Changed, Edit, changed
from squtr.channels.words import Word, protected_spans

BLANKS, MARKS = r"\s", r"\s,，、;；…—–-"
_ENDS, _COMMA = ".!?…:。！？", re.compile("[,，]")
_QUOTES = " \t\n\"'“‘«¿¡(["


def cut(text: str, words: Sequence[Word], gone: Mapping[int, str], joints: str = BLANKS) -> Changed:
    """Take words out: `gone` maps positions in `words`, all words of the text in order, to kinds of edit.

    A stretch of them goes with the `joints` (what stands in a class of a regular expression) behind it, or
    with those in front where something else follows, such as the mark that ends a sentence. A capital that
    went is given to the next word. Were all words to go, the text stays as it is.
    """
    if len(gone) == len(words):
        return Changed(text)
    stretches = _stretches(text, words, sorted(gone), joints)
    kept = {start for start, _ in protected_spans(text)}
    return changed(text, [_edit(text, words, stretch, gone, joints, kept) for stretch in stretches])


def _stretches(text: str, words: Sequence[Word], places: Sequence[int], joints: str) -> list[list[int]]:
    found: list[list[int]] = []
    for place in places:
        follows = bool(found) and found[-1][-1] == place - 1
        if follows and re.fullmatch(f"[{joints}]*", text[words[place - 1].end : words[place].start]):
            found[-1].append(place)
        else:
            found.append([place])
    return found


def _edit(
    text: str,
    words: Sequence[Word],
    stretch: Sequence[int],
    gone: Mapping[int, str],
    joints: str,
    kept: set[int],
) -> Edit:
    first, last = stretch[0], stretch[-1]
    kind = " and ".join(sorted({gone[place] for place in stretch}))
    start, end = words[first].start, words[last].end
    following = words[last + 1] if last + 1 < len(words) else None
    before = text[words[first - 1].end if first else 0 : start]
    after = text[end : following.start if following else len(text)]
    behind, in_front = end + _leading(joints, after), start - _leading(joints, before[::-1])
    if following is None or behind != following.start:
        if _begins(text, start) and last + 1 not in gone:
            return Edit(kind, start, end + _leading(_ENDS + joints, after), "")
        return Edit(kind, in_front, end, "")
    if joints == MARKS and _COMMA.search(text, in_front, start) and _COMMA.search(text, start, behind):
        return Edit(kind, in_front, behind, " " if text[behind - 1].isspace() else "")
    may_rise = behind not in kept and last + 1 not in gone and following.text[0].islower()
    if may_rise and text[start].isupper() and _begins(text, start):
        return Edit(kind, start, behind + 1, following.text[0].upper())
    return Edit(kind, start, behind, "")


def _leading(marks: str, text: str) -> int:
    """Return how many characters at the start of a text are of `marks`."""
    return len(text) - len(re.sub(f"\\A[{marks}]+", "", text))


def _begins(text: str, place: int) -> bool:
    """Tell whether a sentence begins at `place`."""
    before = text[:place].rstrip(_QUOTES)
    return not before or before[-1] in _ENDS
