"""Operators whose work a chat model does, by few-shot instructions: what the four of them share."""

from __future__ import annotations

from typing import Any

import numpy as np

from squtr.channels import drift
from squtr.channels.changed import Changed, rewritten
from squtr.channels.instructions import Instructions
from squtr.digest import digest
from squtr.errors import ItemFailure
from squtr.needs import Need
from squtr.needs import key as key_need
from squtr.options import switch_option, text_option
from squtr.remote import Service
from squtr.remote.chat import TaggedChat

TAG = "spoken"
_TAGS = tuple(f"<{slash}{tag}>" for tag in ("written", TAG) for slash in ("", "/"))
_LARGEST_SEED = 2**31


class Rewriter:
    """The Operator protocol on any service with OpenAI's chat completions.

    model, base_url: as the service names them. key: the NAME of the environment variable with the key;
    empty for none. instructions: a file of one's own, for all languages. temperature: empty leaves it out.
    drift_judge: true, or the name of a second model at the same address, has each rewriting judged.
    per_seed: true sends a seed drawn from the item's chance, so that each seed has an answer of its own.
    usd_per_request, usd_per_1000_characters: the price of a request and of what is sent with it.
    Further options: squtr.remote.Service; a cap holds for rewritings and judgements together.

    Answers are kept under the digest of text, instructions, model, address and settings. Raises UserError
    for a faulty option.
    """

    style = ""
    paths = ("state", "instructions")

    def __init__(
        self,
        model: str,
        base_url: str = "https://api.openai.com/v1",
        key: str | None = "OPENAI_API_KEY",
        instructions: str | None = None,
        temperature: float | None = 0.1,
        drift_judge: bool | str | None = False,
        per_seed: bool = False,
        usd_per_request: float = 0.0,
        usd_per_1000_characters: float = 0.0,
        **limits: Any,
    ) -> None:
        prices = usd_per_request, usd_per_1000_characters
        service = Service(model, base_url, key, **limits)
        self._chat = TaggedChat(service, TAG, temperature, *prices)
        own = None if instructions is None else text_option("instructions", instructions)
        self._instructions = Instructions(self.style, own)
        self._per_seed = switch_option("per_seed", per_seed)
        self._judge = None
        if drift_judge not in (False, None):
            second = service.model if drift_judge is True else text_option("drift_judge", drift_judge)
            budget = {"budget": f"{service.endpoint.host} {service.model}"}
            asked = Service(second, base_url, key, **budget | limits)
            self._judge = drift.DriftJudge(TaggedChat(asked, drift.TAG, 0.0, *prices, drift.accept))

    @property
    def fingerprint(self) -> str:
        """Instructions, model, address, temperature, and the judge's."""
        return digest(
            f"{self.style}/1",
            self._chat.fingerprint,
            self._instructions.own or self._instructions.by_language,
            self._judge and self._judge.fingerprint,
            self._per_seed,
        )

    @property
    def languages(self) -> tuple[str, ...]:
        """Those with instructions; any, with instructions of one's own."""
        return self._instructions.languages

    def needs(self) -> list[Need]:
        """Return the key."""
        endpoint = self._chat.service.endpoint
        return key_need(endpoint.key_variable, endpoint.host)

    def check(self) -> None:
        """Raise UserError for a missing key, a cap without prices, or a state folder that cannot be used."""
        self._chat.check()

    def change(self, text: str, language: str, rng: np.random.Generator) -> Changed:
        """Have a text rewritten; one without letters stays as it is, and nobody is asked.

        Raises ItemFailure when the answers stay broken, the text is refused, or its meaning drifted;
        ServiceUnavailable when there is no answer for now; UserError when the service stops the run.
        """
        seed = int(rng.integers(_LARGEST_SEED)) if self._per_seed else None
        if not any(mark.isalpha() for mark in text):
            return Changed(text)
        if held := [tag for tag in _TAGS if tag in text]:
            raise ItemFailure(f"the text holds {held[0]}, which marks what a model is sent")
        said = self._chat.ask(self._instructions.told(language), f"<written>{text}</written>", seed)
        spoken = said if "\n" in text else " ".join(said.split())
        if self._judge:
            self._judge.check_meaning(text, spoken, language)
        return rewritten(text, spoken)
