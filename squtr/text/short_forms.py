"""English forms that the reader and the normaliser must take alike: bn, m for million, 12.30 pm.

After a number bn is always billion. There m is million before a word for money or people or a plural in -s
(1.5m people, 2m users) and metres everywhere else: at the end, before tall, wide, long or from (5m, 1.5m
tall), before a singular (50m pool) or an adjective (2m new homes stays metres). A time with a point needs am
or pm beside it: 12.30 pm is 12:30 pm, 12.30 alone is a decimal.
"""

from __future__ import annotations

import re

from squtr.text.folding import Rule

_COUNTED = r"(?:people|children|men|women|yen|yuan|usd|eur|gbp)"
_VERBS = "does|equals|makes|means|measures|takes"
_NO_PLURAL = rf"(?:{_VERBS}|always|\w+wards|met(?:er|re)s|hurdles|relays|times [0-9])"
_PLURAL = rf"(?!{_NO_PLURAL}(?![a-z]))[a-z]{{3,}}(?<![siu])s"

SHORT_FORMS: tuple[Rule, ...] = (
    (re.compile(r"(?<=[0-9])\s?bn\b", re.IGNORECASE), " billion"),
    (re.compile(rf"(?<=[0-9])\s?m(?= (?:{_COUNTED}|{_PLURAL})(?![\w'’-]))", re.IGNORECASE), " million"),
    (
        re.compile(r"(?<![\w.:,$£€])([01]?[0-9]|2[0-4])\.([0-5][0-9])(?=\s?[ap]\.?m\b)", re.IGNORECASE),
        r"\1:\2",
    ),
)
