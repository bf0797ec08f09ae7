"""The judge of drift: a chat model that says whether a rewriting still asks for the same."""

from __future__ import annotations

import re

from squtr.channels.instructions import Instructions
from squtr.digest import digest
from squtr.errors import ItemFailure
from squtr.remote import BrokenAnswer
from squtr.remote.chat import TaggedChat

TAG = "meaning"
DRIFTED = "the meaning drifted"
_ANSWER = re.compile(r"(kept|drifted)\s*(?:[:：]\s*(.*))?", re.DOTALL | re.IGNORECASE)
_LONGEST = 200


class DriftJudge:
    """Asks `chat`, whose tag is TAG, about pairs of texts."""

    def __init__(self, chat: TaggedChat) -> None:
        self.chat = chat
        self._instructions = Instructions("meaning-drift")

    @property
    def fingerprint(self) -> str:
        return digest("meaning-drift/1", self.chat.fingerprint, self._instructions.by_language)

    def check_meaning(self, written: str, spoken: str, language: str) -> None:
        """Raise ItemFailure, with the judge's reason, when `spoken` asks for something else."""
        known = language if language in self._instructions.languages else "en"
        message = f"<written>{written}</written>\n<spoken>{spoken}</spoken>"
        verdict = self.chat.ask(self._instructions.told(known), message)
        word, _, reason = verdict.partition(": ")
        if word == "drifted":
            raise ItemFailure(f"{DRIFTED}: {reason}" if reason else DRIFTED)


def accept(said: str) -> str:
    """Return `kept`, `drifted` or `drifted: reason`. Raises BrokenAnswer for anything else."""
    match = _ANSWER.fullmatch(said)
    if not match:
        raise BrokenAnswer(f"a verdict that is neither kept nor drifted ({' '.join(said.split())[:80]})")
    word, reason = match[1].lower(), " ".join((match[2] or "").split())[:_LONGEST]
    return f"{word}: {reason}" if reason else word
