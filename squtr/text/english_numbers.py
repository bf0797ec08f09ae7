"""English number words to digits: cardinals, ordinals, decimals, years, decades, fractions."""

from __future__ import annotations

import re
from typing import NamedTuple


class _Word(NamedTuple):
    kind: str
    value: int
    suffix: str = ""


class _Number(NamedTuple):
    """A number read from the words up to `end`; `suffix` is "th" for ordinals and "s" for decades."""

    value: int
    end: int
    suffix: str = ""


_SMALL = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen"
    " sixteen seventeen eighteen nineteen"
).split()
_SMALL_ORDINALS = (
    "zeroth first second third fourth fifth sixth seventh eighth ninth tenth eleventh twelfth thirteenth"
    " fourteenth fifteenth sixteenth seventeenth eighteenth nineteenth"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
_SCALES = {"thousand": 3, "million": 6, "billion": 9, "trillion": 12}
_DENOMINATORS = {"half": 2, "halves": 2, "quarter": 4, "quarters": 4}
_DIGITS = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_LONGEST = 18


def _small_kind(value: int) -> str:
    return "zero" if value == 0 else "unit" if value < 10 else "teen"


def _vocabulary() -> dict[str, _Word]:
    words = {word: _Word(_small_kind(n), n) for n, word in enumerate(_SMALL)}
    words |= {word: _Word(_small_kind(n), n, "th") for n, word in enumerate(_SMALL_ORDINALS) if n}
    words["tens"] = _Word("teen", 10, "s")
    for n, word in enumerate(_TENS, start=2):
        words[word] = _Word("tens", 10 * n)
        words[word[:-1] + "ieth"] = _Word("tens", 10 * n, "th")
        words[word[:-1] + "ies"] = _Word("tens", 10 * n, "s")
    for word, kind, power in [("hundred", "hundred", 2), *((w, "scale", p) for w, p in _SCALES.items())]:
        words[word] = _Word(kind, 10**power)
        words[word + "th"] = _Word(kind, 10**power, "th")
        words[word + "s"] = _Word(kind, 10**power, "s")
    return words


_WORDS = _vocabulary()
_NONE = _Word("", 0)
NUMBER_WORDS = frozenset(_WORDS)


def digits_for_words(words: list[str]) -> list[str]:
    """Return the words with every number in digits; 18 digits at most, longer ones stay words.

    Telephone numbers, room numbers and codes read digit by digit become one string of digits (seven
    one four is 714), because recognisers write them so; two single digits stay two.
    """
    out: list[str] = []
    position = 0
    while position < len(words):
        found = _number_at(words, position)
        out += found[0]
        position = found[1]
    return _join_digit_strings(out)


def ordinal(value: int) -> str:
    """Return 1st, 2nd, 3rd, 11th."""
    suffix = "th" if value % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(value % 10, "th")
    return f"{value}{suffix}"


def _word(words: list[str], position: int) -> _Word:
    return _WORDS.get(words[position], _NONE) if position < len(words) else _NONE


def _is(words: list[str], position: int, text: str) -> bool:
    return position < len(words) and words[position] == text


def _number_at(words: list[str], start: int) -> tuple[list[str], int]:
    if _DIGITS.fullmatch(words[start]):
        return _scaled(words[start], words, start + 1)
    if _word(words, start).kind == "zero":
        number = _Number(0, start + 1)
    else:
        found = _paired(words, start) or _cardinal(words, start)
        if found is None:
            return [words[start]], start + 1
        number = found
    if number.suffix:
        return [ordinal(number.value) if number.suffix == "th" else f"{number.value}s"], number.end
    if decimals := _decimals(words, number.end):
        return _scaled(f"{number.value}.{decimals[0]}", words, decimals[1])
    return _fraction(words, number) or _scaled(str(number.value), words, number.end)


def _below_hundred(words: list[str], start: int) -> _Number | None:
    first = _word(words, start)
    if first.kind not in ("unit", "teen", "tens"):
        return None
    second = _word(words, start + 1)
    if first.kind == "tens" and not first.suffix and second.kind == "unit":
        return _Number(first.value + second.value, start + 2, second.suffix)
    return _Number(first.value, start + 1, first.suffix)


def _below_thousand(words: list[str], start: int) -> _Number | None:
    head = _below_hundred(words, start)
    if head is None and _is(words, start, "a") and _word(words, start + 1).kind in ("hundred", "scale"):
        head = _Number(1, start + 1)
    if head is None or head.suffix:
        return head
    hundred = _word(words, head.end)
    if hundred.kind != "hundred":
        return head
    whole = _Number(head.value * 100, head.end + 1, hundred.suffix)
    if whole.suffix:
        return whole
    tail = _below_hundred(words, whole.end + _is(words, whole.end, "and"))
    if tail is None or not _belongs(words, whole, tail, ("hundred",)):
        return whole
    return _Number(whole.value + tail.value, tail.end, tail.suffix)


def _belongs(words: list[str], whole: _Number, tail: _Number, breaking: tuple[str, ...]) -> bool:
    """A tail is no part of the number when it starts a number, or digits read one by one, of its own."""
    after = _word(words, tail.end)
    digit_by_digit = tail.value < 10 and after.kind in ("unit", "zero") and not tail.suffix
    return after.kind not in breaking and not (digit_by_digit and tail.end == whole.end + 1)


def _cardinal(words: list[str], start: int) -> _Number | None:
    total, limit, position = 0, 10**15, start
    best: _Number | None = None
    while group := _below_thousand(words, position):
        scale = _word(words, group.end)
        if group.suffix or scale.kind != "scale":
            last = _Number(total + group.value, group.end, group.suffix)
            joined = best is None or (group.value < limit and _belongs(words, best, group, ()))
            return last if joined else best
        if scale.value >= limit:
            return best or group
        total += group.value * scale.value
        limit = scale.value
        best = _Number(total, group.end + 1, scale.suffix)
        if scale.suffix:
            return best
        position = best.end + _is(words, best.end, "and")
    return best


def _paired(words: list[str], start: int) -> _Number | None:
    """Read years, times and numbers said in two halves: nineteen ninety nine, three thirty, ten oh five."""
    head = _below_hundred(words, start)
    if head is None or head.suffix:
        return None
    zero = _is(words, head.end, "oh") or (head.value > 9 and _is(words, head.end, "zero"))
    if zero and _word(words, head.end + 1).kind == "unit":
        unit = _word(words, head.end + 1)
        return _Number(head.value * 100 + unit.value, head.end + 2, unit.suffix)
    tail = _below_hundred(words, head.end)
    if head.value > 20 or tail is None or tail.value < 10:
        return None
    if _word(words, tail.end).kind in ("hundred", "scale"):
        return None
    third = _below_hundred(words, tail.end)
    if third is not None and third.value >= 10 and tail.value <= 20 and not tail.suffix:
        return None if head.value < 10 else _Number(head.value, head.end)
    return _Number(head.value * 100 + tail.value, tail.end, tail.suffix)


def _decimals(words: list[str], start: int) -> tuple[str, int] | None:
    if not _is(words, start, "point"):
        return None
    digits, position = "", start + 1
    while position < len(words) and len(digits) < _LONGEST:
        if _is(words, position, "oh") or _word(words, position).kind == "zero":
            found = _Number(0, position + 1)
        else:
            number = _below_hundred(words, position)
            if number is None or number.suffix:
                break
            found = number
        digits += str(found.value)
        position = found.end
    return (digits, position) if digits else None


def _fraction(words: list[str], numerator: _Number) -> tuple[list[str], int] | None:
    """Read one half, two thirds, three and a quarter as the blank-parted 1 2, 2 3, 3 1 4."""
    value, end = str(numerator.value), numerator.end
    if (
        words[end : end + 2] == ["and", "a"]
        and end + 2 < len(words)
        and words[end + 2] in ("half", "quarter")
    ):
        return [value, "1", str(_DENOMINATORS[words[end + 2]])], end + 3
    below = _denominator(words[end]) if end < len(words) else None
    if below is None or (numerator.value != 1 and not words[end].endswith("s")):
        return None
    return [value, str(below)], end + 1


def _denominator(word: str) -> int | None:
    if word in _DENOMINATORS:
        return _DENOMINATORS[word]
    singular = _WORDS.get(word[:-1] if word.endswith("s") else word, _NONE)
    is_one = singular.kind in ("unit", "teen") and singular.suffix == "th" and singular.value > 2
    return singular.value if is_one else None


def _scaled(digits: str, words: list[str], position: int) -> tuple[list[str], int]:
    """Multiply digits by the hundred, thousand ... after them, as long as the result is short."""
    while (scale := _word(words, position)).kind in ("hundred", "scale") and not scale.suffix:
        whole, _, fraction = digits.partition(".")
        power = len(str(scale.value)) - 1
        if len(whole) + power > _LONGEST:
            break
        shifted = (whole + fraction[:power].ljust(power, "0")).lstrip("0") or "0"
        rest = fraction[power:]
        digits = f"{shifted}.{rest}" if rest else shifted
        position += 1
    return [digits], position


def _join_digit_strings(words: list[str]) -> list[str]:
    out: list[str] = []
    run: list[str] = []
    for word in [*words, ""]:
        if word.isascii() and word.isdigit():
            run.append(word)
            continue
        out += _joined(run)
        run = []
        out.append(word)
    return out[:-1]


def _joined(run: list[str]) -> list[str]:
    total = sum(map(len, run))
    spelled = total == len(run)
    return ["".join(run)] if len(run) >= 3 and total <= _LONGEST and (spelled or total >= 7) else run
