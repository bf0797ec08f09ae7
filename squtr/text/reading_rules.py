"""What is rewritten before the reader sees a text: forms it reads wrongly, each by one rule.

Measured with wetext 0.1.8: it reads 1,234 as "thousand two hundred ...", 1990s as seconds, 100 m as minutes,
$5.50 as "five point five dollars", 3:05 as "three o five", F-16 in Chinese as minus sixteen, 7-11 as a
subtraction, 10.10 as the tenth of October, the Sun as a day, a TV as a television, 1.5bn as "one.five bn",
401(k) as "four hundred and one(k)", and fails on #1 and 60+.
"""

from __future__ import annotations

import re
import unicodedata

from squtr.text.folding import Rule, ascending
from squtr.text.short_forms import SHORT_FORMS

_TENS = "tens twenties thirties forties fifties sixties seventies eighties nineties".split()
_UNITS = "zero one two three four five six seven eight nine".split()
_COINS = {"$": ("dollars", "cents"), "£": ("pounds", "pence"), "€": ("euros", "cents")}
_ONE_COIN = {"dollars": "dollar", "euros": "euro", "pounds": "pound", "cents": "cent", "pence": "penny"}
_SHORT_SCALES = {"k": "thousand", "m": "million", "b": "billion", "bn": "billion"}
# of 8 to 15 digits: +44 20 7946 0958, +1-555-010-0199, (020) 7946 0958
_TELEPHONE = re.compile(
    r"(?<![A-Za-z0-9_+.,-])(?=[^0-9]?(?:[ ().-]*[0-9]){8,15}(?![ ().-]*[0-9]))"
    r"(?:\+[1-9][0-9]{0,14}|\(0[0-9]{1,4}\))(?:[ .-]?\(?[0-9]{1,5}\)?)*(?![A-Za-z0-9_-])"
)
_LAKHS = re.compile(r"(?<![0-9.,])[0-9]{1,2}(?:,[0-9]{2})+,[0-9]{3}(?![0-9]|,[0-9])")
_FULL_WIDTH = r"[０-９Ａ-Ｚａ-ｚ％]|(?<=[0-9０-９])[．：／，－～＋](?=[0-9０-９])"
_CHINESE_DIGITS = dict(zip("0123456789", "零一二三四五六七八九", strict=True))


def _digit_by_digit(match: re.Match[str]) -> str:
    return ", ".join(" ".join(group) for group in re.findall("[0-9]+", match[0]))


def _telephone(match: re.Match[str]) -> str:
    groups = [" ".join(_UNITS[int(digit)] for digit in group) for group in re.findall("[0-9]+", match[0])]
    return ("plus " if match[0].startswith("+") else "") + ", ".join(groups)


def _thousand(digits: str) -> str:
    """Write 1000 to 1999 so that the thousand is not lost and no year is read."""
    rest = int(digits.replace(",", "")) - 1000
    return "1 thousand" + (f" and {rest}" if 0 < rest < 100 else f" {rest}" if rest else "")


def _decade(match: re.Match[str]) -> str:
    century, tens = match[1] or "", match[2]
    if tens == "00":
        return f"{century} hundreds" if century != "20" else "2000s"
    return f"{century} {_TENS[int(tens[0]) - 1]}".strip()


def _coins(match: re.Match[str]) -> str:
    whole, part = _COINS[match[1]]
    said = [
        _coin(number, name)
        for number, name in ((match[2], whole), (match[3], part))
        if int(number.replace(",", ""))
    ]
    return " and ".join(said) or f"0 {whole}"


def _plan(match: re.Match[str]) -> str:
    hundreds, ones, letter = (group for group in match.groups() if group)
    return f"{_UNITS[int(hundreds)]} oh {_UNITS[int(ones)]} {letter}"


def _coin(number: str, name: str) -> str:
    digits = number if "," in number else str(int(number))
    return f"{digits} {_ONE_COIN[name] if digits == '1' else name}"


def _range(match: re.Match[str]) -> str:
    return f"{match[1]} to {match[2]}" if ascending(match[1], match[2]) else match[0]


def _wide(match: re.Match[str]) -> str:
    return unicodedata.normalize("NFKC", match[0])


_SCALE = r"(?:thousand|million|billion|trillion)"
ENGLISH: tuple[Rule, ...] = (
    (re.compile(_FULL_WIDTH), _wide),
    (_TELEPHONE, _telephone),
    (_LAKHS, lambda m: m[0].replace(",", "")),
    (re.compile(r"\s*_{2,}"), " "),
    (re.compile(r"\b(?:Sun|Sat|Mon|Wed|Th|Af|TV|Ms)\b"), lambda m: m[0].lower()),
    (re.compile(r"(?<=[A-Za-z0-9]{2})\.(?=(?:com|org|net|gov|edu|info|io)\b)"), " dot "),
    (re.compile(r"(?<![\w)])[−-](?=[0-9])"), "minus "),
    (re.compile(r"(?<=[0-9])½"), " 1/2"),
    (re.compile(r"(?<=[0-9])¼"), " 1/4"),
    (re.compile(r"(?<=[0-9])¾"), " 3/4"),
    (re.compile(r"\b(24)/(7)\b|\b(9)/(11)\b"), lambda m: f"{m[1] or m[3]} {m[2] or m[4]}"),
    (re.compile(rf"([$£€])([0-9,]*[0-9])\.([0-9]{{2}})(?![0-9])(?! ?{_SCALE})"), _coins),
    (
        re.compile(r"([$£€])([0-9.,]*[0-9])\s?(k|m|bn?)\b", re.IGNORECASE),
        lambda m: f"{m[2]} {_SHORT_SCALES[m[3].lower()]} {_COINS[m[1]][0]}",
    ),
    (
        re.compile(rf"([$£€])(1,?[0-9]{{3}})(?![0-9.,]*[0-9])(?! ?{_SCALE})"),
        lambda m: f"{_thousand(m[2])} {_COINS[m[1]][0]}",
    ),
    *SHORT_FORMS,
    (re.compile(r"\b([1-9])0([1-9])\s?\(([A-Za-z])\)"), _plan),
    (re.compile(r"\b(4)0(1)([kK])\b|\b(4)0(3)([bB])\b"), _plan),
    (re.compile(r"(?<![\w.,-])([0-9]+\.[0-9]+)(?=[A-Za-z])(?!(?:st|nd|rd|th)\b)"), r"\1 "),
    (re.compile(r"(?<![0-9.,])1,[0-9]{3}(?![0-9]|,[0-9])"), lambda m: _thousand(m[0])),
    (re.compile(r"(?<![0-9])'?(1[0-9]|20)?([0-9]0)(?<!'00)'?s\b"), _decade),
    (re.compile(r"(?<![0-9+(-])[0-9]{3,4}(?: [0-9]{3,4}){2,}(?![0-9])"), _digit_by_digit),
    (re.compile(r"(?<![0-9-])[0-9]{3}-[0-9]{4}(?![0-9-])(?<!\) [0-9]{3}-[0-9]{4})"), _digit_by_digit),
    (re.compile(r"(?<![\w.,:/-])0[0-9]+(?![\w:/-]|[.,][0-9])"), _digit_by_digit),
    (re.compile(r"(?<![\w.,:/$£€-])10(0[1-9])(?![\w:/-]|[.,][0-9])"), lambda m: _thousand("10" + m[1])),
    (re.compile(r"(?<![\w.,:/$£€-])(1[1-9])0([1-9])(?![\w:/-]|[.,][0-9])"), r"\1 oh \2"),
    (re.compile(r"(?<![\w.,:/$£€-])([0-9]{1,4})\s?[-–]\s?([0-9]{1,4})(?![\w:/-]|[.,][0-9])"), _range),
    (re.compile(r"(?<![0-9:])([0-9]{1,2}):0([1-9])(?![0-9:])"), r"\1 oh \2"),
    (re.compile(r"(?:\b[Nn]o\.\s?|#\s?)(?=[0-9])"), "number "),
    (re.compile(r"(?<=[0-9])\+(?![0-9+])"), " plus"),
    (re.compile(r"(?<=[0-9])\s?m\b(?!')"), " meters"),
    (re.compile(r"\b([2-6])[gG]\b(?! of)"), lambda m: f"{_UNITS[int(m[1])]} G"),
    (re.compile(r"~\s?(?=[0-9])"), "about "),
)

_DIGIT_WORDS = "|".join(["oh", *_UNITS])
ENGLISH_AFTER: tuple[Rule, ...] = (
    (re.compile(rf"\bpoint(?: (?:{_DIGIT_WORDS})\b)+"), lambda m: m[0].replace(" oh", " zero")),
)


def _chinese_digits(match: re.Match[str]) -> str:
    return "".join(_CHINESE_DIGITS.get(char, "") for char in match[0])


def _chinese_range(match: re.Match[str]) -> str:
    return f"{match[1]}到{match[2]}" if ascending(match[1].rstrip("%"), match[2]) else match[0]


def _chinese_decimal(match: re.Match[str]) -> str:
    return f"{match[1]}点{''.join(map(_CHINESE_DIGITS.__getitem__, match[2]))}"


CHINESE: tuple[Rule, ...] = (
    (re.compile(_FULL_WIDTH), _wide),
    (_TELEPHONE, _chinese_digits),
    (_LAKHS, lambda m: m[0].replace(",", "")),
    (re.compile(r"\s*_{2,}"), " "),
    (re.compile(r"(?<![0-9.,])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])"), lambda m: m[0].replace(",", "")),
    (re.compile(r"(?<![0-9+-])[0-9]{3,4}(?:[ -][0-9]{3,4}){2,}(?![0-9-])"), _chinese_digits),
    (re.compile(r"(?<=[A-Za-z\u4e00-\u9fff])-(?=[0-9])(?![0-9.]+\s?[°℃度%])"), ""),
    (
        re.compile(r"(?<![0-9a-zA-Z.-])([0-9]{1,4}%?)\s?[-–~～]\s?([0-9]{1,4})(?![0-9a-zA-Z-])"),
        _chinese_range,
    ),
    (re.compile(r"(?<=[0-9])\s?[kK][gG]\b"), "公斤"),
    (re.compile(r"(?<=[0-9]0)s\b"), "年代"),
    (re.compile(r"(?<![0-9.$¥￥€£])(1[0-2])\.([0-9]{1,2})(?![0-9.%])"), _chinese_decimal),
)
