"""Chinese numerals to digits: only runs that form a valid number change."""

from __future__ import annotations

import re

from squtr.text.folding import Rule, apply

_POWERS = {"十": 1, "百": 2, "千": 3, "万": 4, "亿": 8}
_DIGIT_OF = {
    char: str(n) for n, chars in enumerate(("零〇", "一幺", "二两", *"三四五六七八九")) for char in chars
}
_LONGEST = 16

_D = "[一二三四五六七八九两]"
_RUN = "零〇一二三四五六七八九"
_KILO = "千(?![克米瓦卡赫焦帕伏])"
_TEN = f"{_D}?十{_D}?"
_HUNDRED = f"{_D}百(?:零{_D}|{_TEN}|{_D})?"
_THOUSAND = f"{_D}千(?:零?{_HUNDRED}|零?{_TEN}|零{_D}|{_D})?"
_SECTION = f"(?:{_THOUSAND}|{_HUNDRED}|{_TEN}|{_D})"
_STRAY = f"几[十百千万亿]+|[百千万亿]+[{_RUN}两幺]*"
_NUMERAL = re.compile(
    f"(?P<stray>{_STRAY})|(?P<digits>[{_RUN}两幺]{{3,}}(?![十百千万亿])|[{_RUN}两]+(?![十百千万亿]))"
    f"|(?={_D}[十百千万亿]|十)"
    f"(?:(?P<trillions>{_SECTION})万亿零?|(?P<hundred_millions>{_SECTION})亿零?)?"
    f"(?:(?P<ten_thousands>{_SECTION})万零?)?(?P<rest>{_SECTION})?"
    f"(?![百万亿]|{_KILO})"
)
_POINT = re.compile(f"(?<=[{_RUN}两十百千万亿0-9])点([{_RUN}]+)(?![{_RUN}十百千])")
_MINUTES = re.compile(f"(?<=点)零({_D})(?=分(?!之))")

_ARABIC = r"[0-9]{1,15}(?:\.[0-9]{1,15})?"
_MULTIPLIED = re.compile(
    rf"(?<![0-9.])(?:{_ARABIC}(?:[十万亿]|(?!千分之){_KILO}|百(?!分之))+)+(?:[0-9]{{1,15}}(?![0-9.]))?"
)
_PART = re.compile(rf"({_ARABIC})([十百千万亿]*)")


def digits_for_numerals(text: str) -> str:
    """Return `text` with numerals in digits: 一万二千 is 12000, 二零二四 is 2024, 三点一四 is 3.14.

    幺 counts in runs of three digits and more. A multiplier without a number before it stays (万一, 千万).
    三千米 is 3000 metres; 三十千米 can only be 30 kilometres.
    """
    return apply(_RULES, text)


def _section_value(section: str | None) -> int:
    """Return the value below 10,000; a last digit right after 百 or 千 counts tens or hundreds (三百六)."""
    total, digit, unit = 0, 0, 1
    for char in section or "":
        if char in _POWERS:
            unit = 10 ** _POWERS[char]
            total += (digit or 1) * unit
            digit = 0
        elif char == "零":
            unit = 1
        else:
            digit = int(_DIGIT_OF[char])
    return total + digit * max(unit // 10, 1)


def _numeral(match: re.Match[str]) -> str:
    if match["digits"]:
        return "".join(_DIGIT_OF[char] for char in match[0])
    if match["stray"] or not match[0]:
        return match[0]
    rest, before = match["rest"], match[0][-2:-1]
    value = (
        _section_value(match["trillions"]) * 10**12
        + _section_value(match["hundred_millions"]) * 10**8
        + _section_value(match["ten_thousands"]) * 10**4
    )
    shorthand = len(rest or "") == 1 and before in ("万", "亿")
    return str(value + _section_value(rest) * (10 ** (_POWERS[before] - 1) if shorthand else 1))


def _point(match: re.Match[str]) -> str:
    return "." + "".join(_DIGIT_OF[char] for char in match[1])


def _multiplied(match: re.Match[str]) -> str:
    """Add up 12万5千 where each part is smaller than the multiplier before it; leave what is too long."""
    parts = [(number, sum(_POWERS[char] for char in powers)) for number, powers in _PART.findall(match[0])]
    if any(len(number) + power > _LONGEST for number, power in parts):
        return match[0]
    if len(parts) == 1:
        return _shifted(*parts[0])
    total, limit = 0, 10**_LONGEST
    for number, power in parts:
        if "." in number or int(number) * 10**power >= limit:
            return match[0]
        total += int(number) * 10**power
        limit = 10**power
    return str(total)


def _shifted(number: str, power: int) -> str:
    whole, _, fraction = number.partition(".")
    moved = (whole + fraction[:power].ljust(power, "0")).lstrip("0") or "0"
    return f"{moved}.{fraction[power:]}" if fraction[power:] else moved


_RULES: tuple[Rule, ...] = (
    (re.compile("百分之百"), "百分之100"),
    (_MINUTES, lambda match: "0" + _DIGIT_OF[match[1]]),
    (_POINT, _point),
    (_NUMERAL, _numeral),
    (_MULTIPLIED, _multiplied),
)
