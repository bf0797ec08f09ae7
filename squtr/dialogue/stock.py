"""What a simulated user says, and what counts as a question: the rows of channels/backchannels.yaml."""

from __future__ import annotations

import functools
import re
from dataclasses import dataclass

import yaml

from squtr.content import content
from squtr.dialogue.rules import BACKCHANNEL, INTERRUPT
from squtr.draw import draw
from squtr.errors import UserError

_SENTENCE_END = re.compile(r"(?<=[.!?])[\"'”’)]*\s+|(?<=[。！？])")


@dataclass(frozen=True, slots=True)
class Stock:
    """One language's row; `said` holds the texts of each kind of decision."""

    language: str
    said: dict[str, tuple[str, ...]]
    asks: re.Pattern[str]

    def drawn(self, kind: str, seed: int, item: str) -> str:
        """Draw a text for a decision, each as likely as the others."""
        texts = self.said[kind]
        return texts[int(draw(seed, f"dialogue-{kind}", item).integers(len(texts)))]

    def is_asking(self, text: str) -> bool:
        """Say whether the latest sentence of what was said so far is a question or a request."""
        sentences = [sentence for sentence in _SENTENCE_END.split(text.strip()) if sentence]
        return bool(sentences) and self.asks.search(sentences[-1].strip()) is not None


@functools.cache
def stocks() -> dict[str, Stock]:
    """Return the rows by language code."""
    rows = yaml.safe_load(content("channels", "backchannels.yaml").read_text(encoding="utf-8"))
    return {
        code: Stock(
            code,
            {BACKCHANNEL: tuple(row["backchannels"]), INTERRUPT: tuple(row["interruptions"])},
            re.compile("|".join(f"(?:{one})" for one in row["asks"]), re.IGNORECASE),
        )
        for code, row in rows.items()
    }


def stock(language: str) -> Stock:
    """Return a language's row. Raises UserError for a language without one."""
    rows = stocks()
    if language not in rows:
        raise UserError(f"No backchannels are known for {language!r}. Known: {', '.join(sorted(rows))}.")
    return rows[language]
