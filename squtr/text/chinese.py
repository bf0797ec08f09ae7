"""Chinese text for error rates.

The unit is the character. Traditional characters become simplified ones, one by one, on both sides.
Numbers are written in digits, most symbols in words: 百分之五十 is 50%, -5 is 负5, 2:1 is 2比1, 3:30 is
3点30分. Idioms change alike on both sides (一下 is 1下, 十分 is 10分), so a right transcript stays right;
二 and 两 fall together. Round numbers get longer (一万 has five characters as 10000), which the rate
with form "raw" does not have. Blanks stay between two Latin words alone.
"""

from __future__ import annotations

import functools
import re

from opencc import OpenCC

from squtr.text.chinese_numbers import digits_for_numerals
from squtr.text.folding import Kept, Rule, apply, ascending, fold, settle

CONVERTER = "opencc-python-reimplemented"

_RAW = Kept()
_CLEAN = Kept(".%‰")
_BLANK = re.compile(
    r"(?<![^\W\d_])\s+|\s+(?![^\W\d_])|(?<=[\u2e80-\u9fff\U00020000-\U000323af])\s+|\s+(?=[\u2e80-\u9fff\U00020000-\U000323af])"
)


@functools.cache
def _converter() -> OpenCC:
    return OpenCC("t2s")


class _Simplified(dict[int, str]):
    """A `str.translate` table, filled on demand with one simplified character for each."""

    def __missing__(self, code: int) -> str:
        char = chr(code)
        self[code] = settle(_converter().convert, char) if code >= 0x3400 else char
        return self[code]


_SIMPLIFIED = _Simplified()


def simplified(text: str) -> str:
    """Return `text` with each traditional character made simplified; the length stays the same."""
    return text.translate(_SIMPLIFIED)


def _range(match: re.Match[str]) -> str:
    low, mark, high = match[1], match[2], match[3]
    return f"{low}到{high}" if mark == "~" or ascending(low.rstrip("%"), high) else f"{low} {high}"


def _clock(match: re.Match[str]) -> str:
    return f"{int(match[1])}点" + (f"{match[2]}分" if match[2] != "00" else "")


_SYMBOLS: tuple[Rule, ...] = (
    (re.compile(r"(?<![0-9.,])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])"), lambda m: m[0].replace(",", "")),
    (
        re.compile(r"(?<![0-9])([0-9]{4})([-/.])([0-9]{1,2})\2([0-9]{1,2})(?![0-9])"),
        lambda m: f"{m[1]}年{int(m[3])}月{int(m[4])}日",
    ),
    (re.compile(r"(?<![0-9a-z.-])([0-9]{1,4}%?)\s?([-–—~])\s?([0-9]{1,4})(?![0-9a-z-])"), _range),
    (re.compile(r"(?<![0-9:])([01]?[0-9]|2[0-4]):([0-5][0-9])(?![0-9:])"), _clock),
    (re.compile(r"(?<=[0-9]):(?=[0-9])"), "比"),
    (re.compile(r"(?<![0-9/])([0-9]{1,3})[/⁄]([0-9]{1,3})(?![0-9/])"), r"\2分之\1"),
    (re.compile(r"\$\s?([0-9]+(?:\.[0-9]+)?[万亿]*)"), r"\1美元"),
    (re.compile(r"¥\s?([0-9]+(?:\.[0-9]+)?[万亿]*)"), r"\1元"),
    (re.compile(r"€\s?([0-9]+(?:\.[0-9]+)?[万亿]*)"), r"\1欧元"),
    (re.compile(r"£\s?([0-9]+(?:\.[0-9]+)?[万亿]*)"), r"\1英镑"),
    (re.compile(r"(?<![^\s(（])[-−](?=[0-9])|[-−](?=[0-9.]+\s?[°度])"), "负"),
    (re.compile(r"(?<=[0-9]0)s(?![a-z])"), "年代"),
    (re.compile(r"°\s?c(?![a-z])|℃"), "摄氏度"),
    (re.compile(r"°\s?f(?![a-z])|℉"), "华氏度"),
    (re.compile(r"°"), "度"),
    (re.compile(r"(?<=[0-9])\+(?=[0-9])"), "加"),
    (re.compile(r"(?<=[0-9])×(?=[0-9])"), "乘"),
    (re.compile(r"="), "等于"),
    (
        re.compile(r"(?<![0-9.])([0-9]{1,15}(?:\.[0-9]{1,15})?) ?(?:km/h|(?:公里|千米)/小?时)"),
        r"每小时\1公里",
    ),
    (re.compile(r"(?<![0-9])\.|\.(?![0-9])"), " "),
    (re.compile(r"(?<![0-9]) ?[%‰]"), " "),
)

_UNITS = {
    "km2": "平方公里", "m2": "平方米", "km": "公里", "kg": "公斤", "cm": "厘米", "mm": "毫米", "m": "米",
    "mg": "毫克", "ml": "毫升", "千米": "公里", "千克": "公斤", "平方千米": "平方公里",
}  # fmt: skip
_UNIT = "|".join(
    unit + ("(?![a-z0-9])" if unit.endswith("2") else "(?![a-z])")
    for unit in sorted(_UNITS, key=len, reverse=True)
)

_AFTER_NUMBERS: tuple[Rule, ...] = (
    (re.compile(r"百分之(负?[0-9]+(?:\.[0-9]+)?)"), r"\1%"),
    (re.compile(r"[零0]下(?=[0-9])"), "负"),
    (re.compile(r"千分之(负?[0-9]+(?:\.[0-9]+)?)"), r"\1‰"),
    (re.compile(rf"(?<=[0-9])(?:{_UNIT})"), lambda m: _UNITS[m[0]]),
)

_LATIN = r"[a-z\u00df-\u024f]"
_STARTS = r"(?<![^\s,;:。、?!….—-])"
_FLUENT: tuple[Rule, ...] = (
    (re.compile(r"(?:嗯+(?!哼)|(?<!打)呃+(?!逆))[\s,。、….]*"), ""),
    (re.compile(_STARTS + r"[额額]+(?=[\s,。、?!….]|$)[\s,。、….]*"), ""),
    (re.compile(_STARTS + r"那[个個][,、….]+\s*"), ""),
    (re.compile(r"([\u3040-\u30ff\u3400-\u9fff]{1,12})[,、….—-]+\s*(?=\1)"), ""),
    (re.compile(rf"(?<!{_LATIN})({_LATIN}+(?:[^\w\s]{_LATIN}+){{0,6}})[,、….—-]+\s*(?=\1(?!{_LATIN}))"), ""),
    (re.compile(r"(?<=[^\W\d_a-z])—+(?=[^\W\d_a-z])"), ""),
)


def raw(text: str) -> str:
    """Return lower-case text without punctuation and without blanks beside characters or digits."""
    return settle(lambda part: closed(fold(part).replace("'", "").translate(_RAW)), text)


def clean(text: str) -> str:
    """Return `raw` in simplified characters with numbers in digits and symbols in one form."""
    return settle(_clean, text)


def fluent(text: str) -> str:
    """Return `clean` of the text without 嗯, 呃 and 那个 that stand alone and without stutters (我，我想)."""
    return clean(settle(lambda part: apply(_FLUENT, part), fold(text)))


def _clean(text: str) -> str:
    folded = " ".join(simplified(fold(text)).replace("'", "").split())
    symbols = apply(_SYMBOLS, folded)
    parted = " ".join(symbols.translate(_CLEAN).split())
    return apply(_AFTER_NUMBERS, closed(digits_for_numerals(parted)))


def closed(text: str) -> str:
    """Return `text` with blanks between two Latin words or numbers alone."""
    return _BLANK.sub("", " ".join(text.split()))
