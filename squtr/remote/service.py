"""Ask a service until it answers: turns, retries with backoff, Retry-After, a spending cap."""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable
from typing import Any, TypeVar

from squtr.digest import canonical_json
from squtr.draw import draw
from squtr.errors import ItemFailure, UserError
from squtr.options import number_option, text_option
from squtr.remote.endpoint import Endpoint
from squtr.remote.form import Form
from squtr.remote.http import Reply, post
from squtr.remote.state import State
from squtr.remote.trouble import BrokenAnswer, NoAnswer, Refused, ServiceUnavailable, Trouble

Answer = TypeVar("Answer")

CAP_VARIABLE = "SQUTR_MAX_USD"
LONGEST_WAIT_SECONDS = 300.0
_ENOUGH_IN_A_ROW = 3
_BUSY = (408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529)
_SET_UP = {
    401: "the key is not accepted",
    402: "it wants to be paid",
    403: "the key may not do this",
    404: "no such address or model",
    405: "no such method at this address",
    407: "the proxy wants a password",
    410: "this model or address is gone",
}


class Service:
    """One model at one address, shared politely by all processes of a machine.

    timeout: seconds for one request as a whole. requests_per_minute: over all processes. tries: requests
    for one item at most. backoff: seconds before the second try, doubled each time; Retry-After wins.
    state: folder for turns, spending and kept answers. max_usd: stop before more than this is spent;
    the environment variable SQUTR_MAX_USD wins over it. budget: what spending is summed under.
    """

    def __init__(
        self,
        model: str,
        base_url: str,
        key: str | None,
        *,
        timeout: float = 120.0,
        requests_per_minute: float | None = None,
        tries: int = 5,
        backoff: float = 1.0,
        state: str | None = None,
        max_usd: float | None = None,
        budget: str | None = None,
        **unknown: object,
    ) -> None:
        if unknown:
            raise UserError(
                f"there is no option {', '.join(map(repr, unknown))}. A key is never written out: key=NAME"
                " names the environment variable that holds it."
            )
        self.endpoint = Endpoint(base_url, key)
        self.model = text_option("model", model)
        self.state = State(None if state is None else text_option("state", state))
        self._timeout = number_option("timeout", timeout, 0.05, 3600)
        self._per_minute = (
            None
            if requests_per_minute is None
            else number_option("requests_per_minute", requests_per_minute, 0.01, 1e6)
        )
        self._tries = int(number_option("tries", tries, 1, 20))
        self._backoff = number_option("backoff", backoff, 0, 60)
        self._max_usd = None if max_usd is None else number_option("max_usd", max_usd, 0, 1e9)
        self._account = f"{self.endpoint.host} {self.model}"
        self._budget = self._account if budget is None else text_option("budget", budget)
        self._unanswered = self._refused = self._broken = 0
        self._has_answered = False

    def check(self, has_price: bool) -> None:
        """Raise UserError for a missing key, a state folder that cannot be written, a cap without prices."""
        self.endpoint.key()
        self.state.spent_usd(self._budget)
        if self._cap() is not None and not has_price:
            raise UserError(
                f"{self._account}: max_usd needs prices to count with. Give the usd_per_... options of the"
                " judge, voice or recogniser, from the provider's price list."
            )

    def ask(
        self,
        path: str,
        request: dict[str, Any] | Form,
        usd: float,
        most_bytes: int,
        read: Callable[[Reply], Answer],
    ) -> Answer:
        """POST `request`, as JSON or a form; return what `read` makes of a 2xx answer; `usd` is its price.

        `read` raises BrokenAnswer for an answer to be asked for again. Raises ItemFailure when answers stay
        broken or the service refuses the item, ServiceUnavailable when there is no answer for now, and
        UserError when set-up, cap or service stop the run.
        """
        body, content_type = _encoded(request)
        trouble: Trouble = NoAnswer("was not asked")
        for attempt in range(1, self._tries + 1):
            self._wait_for_turn()
            self._charge(usd)
            try:
                answer = read(self._once(path, body, content_type, most_bytes))
            except Trouble as met:
                trouble = met
                if not met.billed:
                    self._charge(-usd)
            except UserError:
                self._charge(-usd)
                raise
            else:
                self._unanswered = self._refused = 0
                self._has_answered = True
                return answer
            if isinstance(trouble, Refused):
                break
            if attempt < self._tries:
                self._wait_after(trouble, attempt)
        raise self._failure(trouble)

    def _once(self, path: str, body: bytes, content_type: str, most_bytes: int) -> Reply:
        key = self.endpoint.key()
        headers = {"Content-Type": content_type, "Accept": "*/*", "User-Agent": "squtr"}
        if key:
            headers["Authorization"] = f"Bearer {key}"
        bare = post(self.endpoint.url(path), body, headers, self._timeout, most_bytes)
        reply = Reply(bare.status, bare.headers, bare.body, key or "")
        if 200 <= reply.status < 300:
            return reply
        raise self._rejection(reply)

    def _rejection(self, reply: Reply) -> Exception:
        status, said = reply.status, error_message(reply)
        if 300 <= status < 400:
            return UserError(
                f"{self._account}: redirects elsewhere (HTTP {status}). Redirects are not followed, for they"
                " would take the key along: put the final address into base_url."
            )
        if status == 429 and "insufficient_quota" in said:
            return UserError(f"{self._account}: the account's quota is used up. {self._kept(said)}")
        if status in _SET_UP:
            return UserError(f"{self._account}: {_SET_UP[status]} (HTTP {status}). {self._kept(said)}")
        if status in _BUSY or status >= 500:
            return NoAnswer(f"HTTP {status}: {said}", wait_seconds=reply.retry_after())
        return Refused(f"HTTP {status}: {said}")

    def _failure(self, trouble: Trouble) -> Exception:
        """Return what an item's last trouble means for the item, or for the run."""
        reason = f"{self._account}: {trouble}"
        if isinstance(trouble, BrokenAnswer) and self._has_answered:
            return ItemFailure(f"{reason}, {self._tries} times")
        if isinstance(trouble, BrokenAnswer):
            self._broken += 1
            said = f"{reason}, {self._tries} times, and nothing that can be used before"
            return (
                UserError(self._kept(said)) if self._broken >= _ENOUGH_IN_A_ROW else ServiceUnavailable(said)
            )
        if isinstance(trouble, Refused):
            self._refused += 1
            if self._has_answered:
                return ItemFailure(reason)
            enough = self._refused >= _ENOUGH_IN_A_ROW
            return UserError(self._kept(reason)) if enough else ServiceUnavailable(reason)
        self._unanswered += 1
        enough = self._unanswered >= _ENOUGH_IN_A_ROW
        return UserError(self._kept(reason)) if enough else ServiceUnavailable(reason)

    def _wait_for_turn(self) -> None:
        time.sleep(self.state.take_turn(self._account, self._per_minute))
        while (left := self.state.paused_seconds(self._account)) > 0:
            time.sleep(left)

    def _wait_after(self, trouble: Trouble, attempt: int) -> None:
        if trouble.wait_seconds is None:
            share = float(draw(os.getpid(), "backoff", f"{self._account}/{attempt}").uniform(0.5, 1.0))
            time.sleep(min(self._backoff * 2 ** (attempt - 1), LONGEST_WAIT_SECONDS) * share)
            return
        if trouble.wait_seconds > LONGEST_WAIT_SECONDS:
            raise UserError(self._kept(f"{self._account}: asks to wait {trouble.wait_seconds:.0f} s"))
        self.state.pause(self._account, trouble.wait_seconds)

    def _charge(self, usd: float) -> None:
        cap = self._cap()
        spent = self.state.charge(self._budget, usd, cap) if usd else None
        if spent is not None:
            raise UserError(
                f"{self._account}: {spent:.4f} USD of {cap:g} USD are spent (budget {self._budget!r}), and"
                f" the next request costs {usd:.4f} USD. What is finished is kept: raise the cap with"
                f" {CAP_VARIABLE}=... and run the same command again."
            )

    def _cap(self) -> float | None:
        value = os.environ.get(CAP_VARIABLE, "").strip()
        if not value:
            return self._max_usd
        try:
            return number_option(CAP_VARIABLE, float(value), 0, 1e9)
        except ValueError:
            raise UserError(f"{CAP_VARIABLE} is {value!r}, not a sum in US dollars.") from None

    @staticmethod
    def _kept(said: str) -> str:
        return f"{said.rstrip('.')}. What is finished is kept: mend it and run the same command again."


def _encoded(request: dict[str, Any] | Form) -> tuple[bytes, str]:
    if isinstance(request, Form):
        return request.body(), request.content_type
    return canonical_json(request).encode("utf-8", "backslashreplace"), "application/json"


def error_message(reply: Reply, longest: int = 300) -> str:
    """Return what a service says went wrong: its JSON error's code and message, or the start of its text."""
    text = reply.text()
    try:
        error = json.loads(text)
        error = error[0] if isinstance(error, list) else error
        error = error.get("error", error)
        if isinstance(error, dict):
            text = " ".join(str(error[name]) for name in ("code", "status", "message") if error.get(name))
    except (ValueError, AttributeError, IndexError, RecursionError):
        pass
    printable = " ".join("".join(mark if mark.isprintable() else " " for mark in text).split())
    return printable[:longest] or "(no reason given)"
