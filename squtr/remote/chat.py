"""Answers of chat completions that must stand in one tagged span, each kept as soon as it comes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

from squtr.digest import digest
from squtr.errors import UserError
from squtr.options import number_option
from squtr.remote.http import Reply
from squtr.remote.service import Service
from squtr.remote.trouble import BrokenAnswer

_CODE_VERSION = 1
_MOST_BYTES = 1 << 20
_THOUGHTS = re.compile(r"\s*<think>.*?</think>", re.DOTALL)
_SHOWN = 80


class TaggedChat:
    """A model that is asked for one text between <tag> and </tag>.

    temperature: None leaves it out. The price is `usd_per_request` and `usd_per_1000_characters` of what is
    sent. `accept` turns the text in the span into what is kept, or raises BrokenAnswer.
    """

    def __init__(
        self,
        service: Service,
        tag: str,
        temperature: float | None,
        usd_per_request: float,
        usd_per_1000_characters: float,
        accept: Callable[[str], str] = str,
    ) -> None:
        self.service, self._tag, self._accept = service, tag, accept
        self._temperature = None if temperature is None else number_option("temperature", temperature, 0, 2)
        self._usd = number_option("usd_per_request", usd_per_request, 0, 1e6)
        self._usd_per_1000 = number_option("usd_per_1000_characters", usd_per_1000_characters, 0, 1e6)

    @property
    def fingerprint(self) -> str:
        endpoint = self.service.endpoint.base_url.rstrip("/")
        return digest("tagged", _CODE_VERSION, endpoint, self.service.model, self._tag, self._temperature)

    def price_usd(self, characters: int) -> float:
        """Return the price of sending so many characters, by the options."""
        return self._usd + self._usd_per_1000 * characters / 1000

    def check(self) -> None:
        """Raise UserError for a missing key, a cap without prices, or a state folder that cannot be used."""
        self.service.check(has_price=self.price_usd(1000) > 0)

    def ask(self, instructions: str, message: str, seed: int | None = None) -> str:
        """Return the answer to `message`, the kept one if there is one; `seed` is sent along.

        Raises what Service.ask raises.
        """
        kept_under = digest("tagged answer", self.fingerprint, instructions, message, seed)
        kept = self.service.state.answer(kept_under)
        if kept is None:
            usd = self.price_usd(len(instructions) + len(message))
            request = self._request(instructions, message, seed)
            kept = self.service.ask("chat/completions", request, usd, _MOST_BYTES, self._read)
            self.service.state.keep(kept_under, kept)
        return kept

    def _request(self, instructions: str, message: str, seed: int | None) -> dict[str, Any]:
        messages = [{"role": "system", "content": instructions}, {"role": "user", "content": message}]
        request: dict[str, Any] = {"model": self.service.model, "messages": messages}
        if self._temperature is not None:
            request["temperature"] = self._temperature
        return request if seed is None else request | {"seed": seed}

    def _read(self, reply: Reply) -> str:
        return self._accept(span(content_of(reply), self._tag))


def content_of(reply: Reply) -> str:
    """Return the message of a chat completion. Raises BrokenAnswer when there is none."""
    try:
        message = json.loads(reply.text())["choices"][0]["message"]
        content, refusal = message.get("content"), message.get("refusal")
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        raise BrokenAnswer("an answer that is no chat completion") from None
    if not isinstance(content, str) or not content.strip():
        raise BrokenAnswer(f"an empty message ({shown(str(refusal))})" if refusal else "an empty message")
    return content


def span(content: str, tag: str) -> str:
    """Return what stands between <tag> and </tag>; text around it is passed over, thoughts before it too.

    The tags must stand there exactly once: a choice between two answers is never made. Raises BrokenAnswer.
    """
    said = _THOUGHTS.sub("", content, count=1) if _THOUGHTS.match(content) else content
    opening, closing = f"<{tag}>", f"</{tag}>"
    if said.count(opening) > 1 or said.count(closing) > 1:
        raise BrokenAnswer(f"an answer with more than one {opening}")
    before, opened, rest = said.partition(opening)
    text, closed, _ = rest.partition(closing)
    if not opened or not closed or closing in before:
        raise BrokenAnswer(f"an answer without {opening}...{closing} ({shown(said)})")
    if not text.strip():
        raise BrokenAnswer(f"an answer with nothing in {opening}")
    if any("\ud800" <= mark <= "\udfff" for mark in text):
        raise BrokenAnswer("an answer with half a character in it")
    return text.strip()


def shown(text: str) -> str:
    """Return the beginning of a text in one line, for a message."""
    line = " ".join(text.split())
    printable = "".join(mark if mark.isprintable() else "?" for mark in line[:_SHOWN])
    return printable + ("..." if len(line) > _SHOWN else "")


def instructions_text(path: Path) -> str:
    """Return what a file tells a model to do. Raises UserError when it cannot be read or holds nothing."""
    try:
        text = path.read_text(encoding="utf-8-sig").strip()
    except (OSError, UnicodeDecodeError) as error:
        raise UserError(f"{path}: instructions cannot be read ({error}).") from None
    if not text:
        raise UserError(f"{path}: the instructions are empty.")
    return text
