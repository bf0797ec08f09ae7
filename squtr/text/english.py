"""English text for error rates.

British and American spelling stay apart. A possessive 's loses its apostrophe (medicare's is medicares),
and after a pronoun or question word 's is read as is, 'd as would: she's gone becomes she is gone on both
sides. Accents are folded in `clean` alone. Units part from their number and take one name: 20mm, 20 mm and
20 millimeters are the same. Money is the amount, then the currency: $1,500 is 1500 dollars, £3.50 and
three pounds and fifty pence are 3.50 pounds, €0.99 is 99 cents.
"""

from __future__ import annotations

import re
import unicodedata

from squtr.text.english_numbers import NUMBER_WORDS, digits_for_words
from squtr.text.folding import Kept, Rule, apply, ascending, fold, settle, without_accents
from squtr.text.short_forms import SHORT_FORMS

_RAW = Kept()
_CLEAN = Kept("'.")

_MONTHS = ("january february march april may june july august september october november december").split()
_MONTH = "|".join(_MONTHS)
_DAY = "(?:[12]?[0-9]|3[01])"
_SHORT_SCALES = {"k": "thousand", "m": "million", "b": "billion", "bn": "billion"}
_CURRENCIES = {"$": "dollars", "£": "pounds", "€": "euros", "¥": "yen"}
_HOSTS = "who what where when why how that there here it he she this everything everyone".split()
_UNSPELLED = (
    "whats wheres whos hows thats theres dont doesnt didnt isnt arent wasnt werent hasnt havent hadnt"
    " couldnt shouldnt wouldnt wont cant youre theyre ive youve im"
).split()

_WHOLE = {
    "can't": "can not",
    "cannot": "can not",
    "won't": "will not",
    "shan't": "shall not",
    "let's": "let us",
    "o'clock": "o clock",
    "vs": "versus",
    "dr": "doctor",
    "mr": "mister",
    "mrs": "missus",
    "ok": "okay",
    **{f"{host}'s": f"{host} is" for host in _HOSTS},
}
_ENDINGS = {"n't": " not", "'re": " are", "'ve": " have", "'ll": " will", "'d": " would", "'m": " am"}


def _spelled(word: str) -> str:
    if word in _WHOLE:
        return _WHOLE[word]
    for ending, full in _ENDINGS.items():
        if word.endswith(ending) and len(word) > len(ending):
            return word[: -len(ending)].replace("'", "") + full
    return word.replace("'", "")


def _with_apostrophe(word: str) -> str:
    for ending in ("nt", "re", "ve", "m", "s"):
        if word.endswith(ending):
            cut = len(word) - len(ending) + (ending == "nt")
            return f"{word[:cut]}'{word[cut:]}"
    return word


_REPLACED = {word: full for word, full in _WHOLE.items() if "'" not in word} | {
    word: _spelled(_with_apostrophe(word)) for word in _UNSPELLED
}
_TRIGGERS = NUMBER_WORDS | _REPLACED.keys() | {"negative", "war"}
_NEEDS_RULES = re.compile(r"[0-9'&+@%$£€¥°#=α-ω]|\.(?=\S)")

_ONE_NAME = {
    "km": "kilometers", "cm": "centimeters", "mm": "millimeters", "m": "meters", "kg": "kilograms",
    "mg": "milligrams", "g": "grams", "ml": "milliliters", "lb": "pounds", "lbs": "pounds",
    "oz": "ounces", "ft": "feet", "mi": "miles", "mph": "miles per hour", "kmh": "kilometers per hour",
    "kph": "kilometers per hour", "mps": "meters per second", "hz": "hertz", "khz": "kilohertz",
    "mhz": "megahertz", "ghz": "gigahertz", "kb": "kilobytes", "mb": "megabytes", "gb": "gigabytes",
    "tb": "terabytes", "sec": "seconds", "min": "minutes", "hr": "hour", "hrs": "hours", "yr": "year",
    "yrs": "years", "dollar": "dollars", "euro": "euros", "pound": "pounds", "cent": "cents",
    "penny": "pence",
    "foot": "feet", "ounce": "ounces", "mile": "miles", "degree": "degrees", "metre": "meters",
    "metres": "meters", "kilometre": "kilometers", "kilometres": "kilometers",
    **{
        f"{size}{unit}": f"{size}{unit}s"
        for size in ("", "kilo", "centi", "milli")
        for unit in ("meter", "gram")
    },
}  # fmt: skip


def _day(month: str, day: str, year: str, whole: str) -> str:
    known = 1 <= int(month) <= 12 and 1 <= int(day) <= 31
    return f"{_MONTHS[int(month) - 1]} {int(day)} {year}" if known else whole


def _letter(match: re.Match[str]) -> str:
    name = unicodedata.name(match[0]).split()[-1].lower()
    return "lambda" if name == "lamda" else name


_SYMBOLS: tuple[Rule, ...] = (
    (re.compile(r"(?<![0-9.,])[0-9]{1,3}(?:,[0-9]{3})+(?![0-9])"), lambda m: m[0].replace(",", "")),
    (re.compile(r"\b([0-9]{4})-([0-9]{2})-([0-9]{2})\b"), lambda m: _day(m[2], m[3], m[1], m[0])),
    (re.compile(r"\b([0-9]{1,2})/([0-9]{1,2})/([0-9]{4})\b"), lambda m: _day(m[1], m[2], m[3], m[0])),
    (re.compile(r"(?<![0-9-])([0-9]{3})-([0-9]{4})(?![0-9-])"), r"\1\2"),
    (
        re.compile(r"(?<![\w.-])([0-9]{1,4})\s?[-–—]\s?([0-9]{1,4})(?![\w-])"),
        lambda m: f"{m[1]} to {m[2]}" if ascending(m[1], m[2]) else f"{m[1]} {m[2]}",
    ),
    (
        re.compile(r"£\s?0\.(0[1-9]|[1-9][0-9])(?![0-9])(?!\s?(?:k|m|bn?|hundred|[a-z]+illion|thousand)\b)"),
        lambda m: f"{int(m[1])} pence ",
    ),
    (
        re.compile(
            r"([$£€¥])\s?([0-9]+(?:\.[0-9]+)?)(\s?(?:k|m|b|bn|hundred|thousand|million|billion|trillion)\b)?"
        ),
        lambda m: f"{m[2]} {_SHORT_SCALES.get((m[3] or '').strip(), m[3] or '')} {_CURRENCIES[m[1]]} ",
    ),
    *SHORT_FORMS,
    (re.compile(r"(?<=[0-9])\s?%"), " percent "),
    (re.compile(r"\bper cent\b"), "percent"),
    (re.compile(r"°\s?f\b"), " degrees fahrenheit "),
    (re.compile(r"°\s?c\b"), " degrees celsius "),
    (re.compile(r"°"), " degrees "),
    (re.compile(r"(?<![0-9:])([0-9]{1,2}):00(?![0-9:])(?=\s?[ap]\.?m\b)"), r"\1 "),
    (re.compile(r"(?<![0-9:])([0-9]{1,2}):00(?![0-9:])"), r"\1 o clock "),
    (re.compile(r"(?<![0-9:])([0-9]{1,2}):([0-5][0-9])(?![0-9:])"), lambda m: f"{int(m[1])}{m[2]}"),
    (re.compile(r"(?:\bno\.|#)\s?(?=[0-9])"), " number "),
    (re.compile(r"\b(?:[a-z]\.){2,}(?:[a-z]\b)?"), lambda m: m[0].replace(".", "") + " "),
    (re.compile(r"(?<=[a-z0-9]{2})\.(?=[a-z]{2})"), " dot "),
    (re.compile(r"\b9/11\b"), "911"),
    (re.compile(r"\bph\.?\s?d\b\.?"), "phd"),
    (re.compile(r"(?<!\w)[\u03b1-\u03c9](?!\w)"), _letter),
    (re.compile(r"&"), " and "),
    (re.compile(r"\+"), " plus "),
    (re.compile(r"@"), " at "),
    (re.compile(r"="), " equals "),
    (re.compile(r"(?<![^\s(])[-−](?=\.?[0-9])"), "minus "),
    (re.compile(r"(?<=[0-9]0)'s\b"), "s"),
    (re.compile(r"\bkm/h\b"), "kmh"),
    (re.compile(r"\bm/s\b"), "mps"),
    (re.compile(r"(?<![0-9])\.(?=[0-9])"), " point "),
    (re.compile(r"\.(?![0-9])"), " "),
    (re.compile(r"(?<=[a-z])(?=[0-9])"), " "),
    (re.compile(r"(?<=[0-9])(?!(?:st|nd|rd|th|(?<=0)s)(?![a-z0-9]))(?=[a-z])"), " "),
)

_AFTER_NUMBERS: tuple[Rule, ...] = (
    (
        re.compile(rf"(?<=[0-9] )({'|'.join(sorted(_ONE_NAME, key=len, reverse=True))})(?![^ ])"),
        lambda m: _ONE_NAME[m[1]],
    ),
    (
        re.compile(
            r"(?<![^ ])([0-9]+) (?:(dollars|euros)|(pounds)) (?:and )?([0-9]{1,2}) (?(2)cents|pence)\b"
        ),
        lambda m: f"{m[1]}.{m[4]:0>2} {m[2] or m[3]}",
    ),
    (
        re.compile(r"\b(jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec|sept)(?= [0-9])"),
        lambda m: next(month for month in _MONTHS if month.startswith(m[1][:3])),
    ),
    (re.compile(rf"\b({_MONTH}) (?:the )?({_DAY})(?:st|nd|rd|th)\b"), r"\1 \2"),
    (
        re.compile(rf"(?<!\S)(?:the )?({_DAY})(?:(?:st|nd|rd|th)(?: of)?)? ({_MONTH})\b(?! {_DAY}(?!\S))"),
        r"\2 \1",
    ),
    (re.compile(r"(?<![^ ])([0-9]+)\.00 (dollars|euros|pounds)\b"), r"\1 \2"),
    (re.compile(r"(?<![^ ])0\.([0-9]{2}) (?:dollars|euros)\b"), lambda m: f"{int(m[1])} cents"),
    (re.compile(r"\bwar (i{1,2})\b"), lambda m: f"war {len(m[1])}"),
    (re.compile(r"\bnegative (?=[0-9])"), "minus "),
)

_WORD = r"\w+(?:[^\w\s]{1,3}\w+){0,6}"
_FLUENT: tuple[Rule, ...] = (
    (re.compile(r"(?<![\w-])(?:um+|uhm+|uh+|er|erm)\b(?!-\w)(?:[\s,]|\.(?![0-9])|[–—]+(?=\s))*"), ""),
    (
        re.compile(
            rf"(?<!\w)(?<!\w[^\w\s–—-])(?![0-9])({_WORD} {_WORD}|{_WORD})\s*[-–—]+\s*[\"“”'(\[]*(?=\1\b)"
        ),
        "",
    ),
    (re.compile(r"\b(?![0-9])(\w+)\s*,\s*(?=\1\b)"), ""),
    (re.compile(r"\b(i|a|an|the|to|of|in|and|is|what|how|we|you|it) (?=\1\b)"), ""),
    (re.compile(r"(?<![0-9\s])\s+[–—]+\s+(?![0-9\s])"), " "),
)


def raw(text: str) -> str:
    """Return lower-case words parted by one blank; apostrophes vanish, other punctuation is a blank."""
    return settle(_raw, text)


def clean(text: str) -> str:
    """Return `raw` with numbers in digits and one form of contractions, symbols, units and accents.

    Fillers stay; the letter o is never a zero, and "oh" is one only between two number words.
    """
    folded = without_accents(fold(text))
    if not _NEEDS_RULES.search(folded):
        words = folded.translate(_RAW).split()
        if _TRIGGERS.isdisjoint(words) and text.isascii():
            return " ".join(words)
    return settle(_clean, text)


def fluent(text: str) -> str:
    """Return `clean` of the text without um, uh, er and stuttered words (I- I, the the, are you- are you).

    Content words repeated without a mark between them stay: had had, new york new york.
    """
    return clean(settle(lambda part: apply(_FLUENT, part), fold(text)))


def _raw(text: str) -> str:
    return " ".join(fold(text).replace("'", "").translate(_RAW).split())


def _clean(text: str) -> str:
    folded = without_accents(fold(text))
    plain = apply(_SYMBOLS, folded) if _NEEDS_RULES.search(folded) else folded.replace(".", " ")
    spelled = (_spelled(word) for word in plain.translate(_CLEAN).split())
    words = " ".join(_REPLACED.get(word, word) for word in spelled).split()
    return apply(_AFTER_NUMBERS, " ".join(digits_for_words(words)))
