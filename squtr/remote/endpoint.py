"""The address of a service and the name of the variable that holds its key."""

from __future__ import annotations

import ipaddress
import os
import re
import urllib.parse
from dataclasses import dataclass

from squtr.errors import UserError

_VARIABLE = re.compile(r"[A-Z_][A-Z0-9_]{0,63}")
_PRINTABLE = re.compile(r"[\x21-\x7e]+")


@dataclass(frozen=True)
class Endpoint:
    """Where requests go. The key itself is read from the environment for each request and kept nowhere.

    `base_url` ends before the method's own path: `https://host/v1`. `key_variable` is None for a service
    that wants no key. Raises UserError for an address that would give the key away: user names or a query
    in it, or plain http to another machine.
    """

    base_url: str
    key_variable: str | None

    def __post_init__(self) -> None:
        if self.key_variable is not None and not _is_variable(self.key_variable):
            raise UserError(
                "key is the NAME of the environment variable that holds the key, in capitals, such as"
                " OPENAI_API_KEY; what stands there is no such name. Never write a key into a recipe."
            )
        parts = _split(self.base_url)
        if self.key_variable and parts.scheme == "http" and not is_loopback(parts.hostname or ""):
            raise UserError(
                f"{self.base_url}: a key would go over the network in the clear. Use https, or leave key"
                " empty (key=) if the service wants none."
            )

    @property
    def host(self) -> str:
        return _split(self.base_url).netloc

    def url(self, path: str) -> str:
        """Return the address of a method, such as `chat/completions`."""
        return f"{self.base_url.rstrip('/')}/{path}"

    def key(self) -> str | None:
        """Return the key. Raises UserError, which never shows it, when it is missing or no single line."""
        if self.key_variable is None:
            return None
        value = os.environ.get(self.key_variable, "").strip()
        if not value:
            raise UserError(
                f"{self.key_variable} is not set. Export the key for {self.host} in that environment"
                " variable, or name another one with key=NAME."
            )
        if not _PRINTABLE.fullmatch(value):
            raise UserError(
                f"{self.key_variable} holds blanks or characters that no key has. Export it again."
            )
        return value


def is_loopback(host: str) -> bool:
    """Say whether a host name means this machine."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_variable(name: object) -> bool:
    return isinstance(name, str) and bool(_VARIABLE.fullmatch(name))


def _split(base_url: object) -> urllib.parse.SplitResult:
    example = "Write https://host/v1 (http:// is for this machine)."
    if not isinstance(base_url, str):
        raise UserError(f"base_url is {base_url!r}, not an address. {example}")
    try:
        parts = urllib.parse.urlsplit(base_url)
        usable = parts.scheme in ("http", "https") and bool(parts.hostname) and parts.port != 0
    except ValueError:
        usable = False
    if not usable or not base_url.isascii() or any(mark <= " " for mark in base_url):
        raise UserError(f"base_url is not a web address. {example}")
    if parts.username is not None or parts.query or parts.fragment:
        raise UserError(f"base_url has a user name, a query or a fragment in it. {example}")
    return parts
