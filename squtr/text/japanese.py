"""Japanese text for error rates.

The unit is the character. Kana and kanji stay as they are written, so 子ども for 子供 counts as an error.
Numbers are written in digits, units and most symbols in words: 五十パーセント and 50% are the same, and so
are 3776m and 3776メートル, 12:30 and 12時30分. Words that hold a numeral change alike on both sides (一番
is 1番, 十分 is 10分), so a right transcript stays right.
"""

from __future__ import annotations

import re

from squtr.text.chinese import closed
from squtr.text.folding import Kept, Rule, apply, ascending, fold, settle
from squtr.text.japanese_numbers import digits_for_japanese

_RAW = Kept()
_CLEAN = Kept(".")
_CURRENCIES = {"$": "ドル", "¥": "円", "€": "ユーロ", "£": "ポンド"}
_UNITS = {
    "km/h": "キロメートル毎時", "km2": "平方キロメートル", "m2": "平方メートル", "km": "キロメートル",
    "cm": "センチメートル", "mm": "ミリメートル", "m": "メートル", "kg": "キログラム", "mg": "ミリグラム",
    "g": "グラム", "ml": "ミリリットル", "l": "リットル", "%": "パーセント",
}  # fmt: skip
_UNIT = "|".join(
    re.escape(unit) + ("" if unit == "%" else "(?![a-z0-9])")
    for unit in sorted(_UNITS, key=len, reverse=True)
)


def _range(match: re.Match[str]) -> str:
    low, high = match[1], match[2]
    return f"{low}から{high}" if ascending(low, high) else f"{low} {high}"


def _clock(match: re.Match[str]) -> str:
    return f"{int(match[1])}時" + (f"{int(match[2])}分" if match[2] != "00" else "")


_SYMBOLS: tuple[Rule, ...] = (
    (re.compile(r"(?<![0-9.,])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])"), lambda m: m[0].replace(",", "")),
    (
        re.compile(r"(?<![0-9])([0-9]{4})([-/.])([0-9]{1,2})\2([0-9]{1,2})(?![0-9])"),
        lambda m: f"{m[1]}年{int(m[3])}月{int(m[4])}日",
    ),
    (re.compile(r"(?<![0-9a-z.-])([0-9]{1,4})\s?[-–—~〜]\s?([0-9]{1,4})(?![0-9a-z-])"), _range),
    (re.compile(r"(?<![0-9:])([01]?[0-9]|2[0-4]):([0-5][0-9])(?![0-9:])"), _clock),
    (re.compile(r"(?<![0-9/])([0-9]{1,3})[/⁄]([0-9]{1,3})(?![0-9/])"), r"\2分の\1"),
    (
        re.compile(r"([$¥€£])\s?([0-9]+(?:\.[0-9]+)?[万億兆]*)"),
        lambda m: m[2] + _CURRENCIES[m[1]],
    ),
    (re.compile(r"(?<![^\s(])[-−](?=[0-9])|[-−](?=[0-9.]+\s?[°度])"), "マイナス"),
    (re.compile(r"([0-9]+(?:\.[0-9]+)?)\s?°c(?![a-z])"), r"摂氏\1度"),
    (re.compile(r"(?<=[0-9])\s?°"), "度"),
    (re.compile(rf"(?<=[0-9])\s?(?:{_UNIT})"), lambda m: _UNITS[m[0].strip()]),
    (re.compile(r"(?<![0-9])\.|\.(?![0-9])"), " "),
)
_AFTER_NUMBERS: tuple[Rule, ...] = (
    (re.compile(r"(?<=[0-9])[ヶケカヵ箇](?=[月国所条年])"), "か"),
    (re.compile(r"(?<=[0-9])センチ(?!メートル)"), "センチメートル"),
    (re.compile(r"(?<=[0-9])ミリ(?!メートル|グラム|リットル)"), "ミリメートル"),
)
_FLUENT: tuple[Rule, ...] = (
    (re.compile(r"(?<![^\s,、。?!…])(?:え[えー]*っ?と|えー+|あのー+|うー+ん|んー+)[\s,、。…]*"), ""),
    (re.compile(r"(?<![^\s,、。?!…])あの[,、…]+\s*"), ""),
    (re.compile(r"([\u3040-\u30ff\u3400-\u9fff]{1,4})[,、…—-]+\s*(?=\1)"), ""),
)


def raw(text: str) -> str:
    """Return lower-case text without punctuation and without blanks beside kana, kanji or digits."""
    return settle(lambda part: closed(fold(part).replace("'", "").translate(_RAW)), text)


def clean(text: str) -> str:
    """Return `raw` with numbers in digits and symbols and units in one form."""
    return settle(_clean, text)


def fluent(text: str) -> str:
    """Return `clean` of the text without えーと, あのー and the like, and without stutters (わ、わたし)."""
    return clean(settle(lambda part: apply(_FLUENT, part), fold(text)))


def _clean(text: str) -> str:
    folded = " ".join(fold(text).replace("'", "").split())
    parted = closed(" ".join(apply(_SYMBOLS, folded).translate(_CLEAN).split()))
    return apply(_AFTER_NUMBERS, digits_for_japanese(parted))
