"""Japanese numerals to digits, and long digits to groups of 万, 億 and 兆.

Unlike Chinese, Japanese leaves 一 out before 十, 百 and 千 (百二十六 is 126) and never leaves a unit out at
the end (三百六 is 306). 百, 千 and larger alone are numbers before a counter (千円) and no numbers in a
word (千葉, 万一).
"""

from __future__ import annotations

import re

from squtr.text.folding import Rule, apply

_DIGIT_OF = {char: str(n) for n, chars in enumerate(("零〇", *"一二三四五六七八九")) for char in chars}
_POWERS = {"十": 1, "百": 2, "千": 3, "万": 4, "億": 8, "兆": 12}
_LONGEST = 16

_D = "[一二三四五六七八九]"
_RUN = "零〇一二三四五六七八九"
_SECTION = f"(?=[一二三四五六七八九十百千])(?:{_D}?千)?(?:{_D}?百)?(?:{_D}?十)?{_D}?"
_COUNTER = (
    "[円人年個本枚回件台冊匹頭歳度倍名秒分時日月週]|キロ|メートル|グラム|ドル|ユーロ|パーセント|か[月国所]"
)
_UNITS = f"{_RUN}十百千万億兆0-9"
_NUMERAL = re.compile(
    f"(?P<digits>[{_RUN}]{{2,}}(?![十百千万億兆]))"
    f"|(?P<lone>(?<![{_UNITS}])[百千](?![{_UNITS}]|{_COUNTER}))"
    f"|(?<![何数幾0-9])(?:(?P<z>{_SECTION})兆)?(?:(?P<y>{_SECTION})億)?(?:(?P<x>{_SECTION})万)?"
    f"(?P<rest>{_SECTION})?|[零〇]"
)
_POINT = re.compile(f"(?<=[{_RUN}十百千万億0-9])点([{_RUN}]+)(?![{_RUN}十百千])")
_ARABIC = r"[0-9]{1,15}(?:\.[0-9]{1,15})?"
_MULTIPLIED = re.compile(rf"(?<![0-9.])(?:{_ARABIC}(?:千?[万億兆]|千))+(?:[0-9]{{1,4}}(?![0-9.]))?")
_PART = re.compile(rf"({_ARABIC})(千?[万億兆]|千)?")


def digits_for_japanese(text: str) -> str:
    """Return `text` with numerals in digits: 一億二千万 is 120000000, 二〇二四 is 2024, 三点一四 is 3.14."""
    return apply(_RULES, text)


def grouped(digits: str) -> str:
    """Return 120000000 as 1億2000万: the form in which a long number is read right."""
    whole = digits.lstrip("0") or "0"
    groups = [whole[max(end - 4, 0) : end] for end in range(len(whole), 0, -4)]
    named = [
        f"{int(group)}{mark}"
        for group, mark in zip(groups, ("", "万", "億", "兆"), strict=False)
        if int(group)
    ]
    return "".join(reversed(named)) or "0"


def _section_value(section: str | None) -> int:
    total, digit = 0, 0
    for char in section or "":
        if char in _POWERS:
            total += (digit or 1) * 10 ** _POWERS[char]
            digit = 0
        else:
            digit = int(_DIGIT_OF[char])
    return total + digit


def _numeral(match: re.Match[str]) -> str:
    if match["lone"] or not match[0]:
        return match[0]
    if match["digits"] or match[0] in _DIGIT_OF:
        return "".join(_DIGIT_OF[char] for char in match[0])
    parts = {"z": 12, "y": 8, "x": 4, "rest": 0}
    return str(sum(_section_value(match[name]) * 10**power for name, power in parts.items()))


def _point(match: re.Match[str]) -> str:
    return "." + "".join(_DIGIT_OF[char] for char in match[1])


def _multiplied(match: re.Match[str]) -> str:
    """Add up 12万5千 where each part is smaller than the unit before it; leave what is too long."""
    total, limit = 0, 10**_LONGEST
    parts = _PART.findall(match[0])
    for number, unit in parts:
        power = sum(_POWERS[char] for char in unit)
        whole, _, fraction = number.partition(".")
        if len(fraction) > power or (fraction and len(parts) > 1):
            return match[0]
        value = int(whole + fraction.ljust(power, "0"))
        if value >= limit:
            return match[0]
        total, limit = total + value, 10**power or 1
    return str(total)


_RULES: tuple[Rule, ...] = ((_POINT, _point), (_NUMERAL, _numeral), (_MULTIPLIED, _multiplied))
