"""What is rewritten before the Japanese reader sees a text.

Measured with wetext 0.1.8: it loses digits of numbers above 99,999, reads the hyphens of a telephone number
as minus, 5℃ as 五摂氏, leaves 〜 between numbers unsaid, and says F-16 as F minus sixteen.
"""

from __future__ import annotations

import re

from squtr.text.folding import Rule, ascending
from squtr.text.japanese_numbers import grouped

_DIGITS = dict(zip("0123456789", "零一二三四五六七八九", strict=True))
_WIDE = r"[０-９Ａ-Ｚａ-ｚ％]|(?<=[0-9０-９])[．：／，－＋](?=[0-9０-９])"


def _narrow(match: re.Match[str]) -> str:
    return chr(ord(match[0]) - 0xFEE0)


def _telephone(match: re.Match[str]) -> str:
    return "の".join("".join(map(_DIGITS.__getitem__, group)) for group in match[0].split("-"))


def _range(match: re.Match[str]) -> str:
    return f"{match[1]}から{match[2]}" if ascending(match[1], match[2]) else match[0]


JAPANESE: tuple[Rule, ...] = (
    (re.compile(_WIDE), _narrow),
    (re.compile(r"\s*_{2,}"), " "),
    (re.compile(r"(?<![0-9.,])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])"), lambda m: m[0].replace(",", "")),
    (re.compile(r"(?<![0-9-])0[0-9]{1,4}-[0-9]{1,4}-[0-9]{3,4}(?![0-9-])"), _telephone),
    (re.compile(r"(?<![0-9.])[1-9][0-9]{4,15}(?![0-9.万億兆])"), lambda m: grouped(m[0])),
    (re.compile(r"(?<=[A-Za-z\u3040-\u30ff\u3400-\u9fff])-(?=[0-9])(?![0-9.]+\s?[°℃度%])"), ""),
    (re.compile(r"(?<![0-9a-zA-Z.-])([0-9]{1,4})\s?[-–~～〜]\s?([0-9]{1,4})(?![0-9a-zA-Z-])"), _range),
    (re.compile(r"(-?[0-9]+(?:\.[0-9]+)?)\s?(?:℃|°C)"), r"摂氏\1度"),
)
