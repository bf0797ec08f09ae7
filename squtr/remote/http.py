"""One POST over HTTP/1.1: no redirects, one deadline for the whole of it, a limit on the answer's size."""

from __future__ import annotations

import email.utils
import http.client
import math
import socket
import threading
import time
import urllib.parse
import urllib.request
from collections.abc import Callable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field

from squtr.remote.endpoint import is_loopback
from squtr.remote.trouble import BrokenAnswer, NoAnswer

_SHORTEST_SECRET = 8


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer: status, headers in lower case, body. `secret` is blotted out of what `text` gives."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    secret: str = field(default="", repr=False)

    @property
    def content_type(self) -> str:
        """The media type alone, in lower case."""
        return self.headers.get("content-type", "").partition(";")[0].strip().lower()

    def text(self) -> str:
        """Return the body as text, with the key blotted out should the service repeat it."""
        text = self.body.decode("utf-8", "replace")
        return text.replace(self.secret, "[key]") if len(self.secret) >= _SHORTEST_SECRET else text

    def retry_after(self) -> float | None:
        """Return the seconds that Retry-After asks for, given in seconds or as a date."""
        value = self.headers.get("retry-after", "").strip()
        try:
            seconds = float(value)
        except ValueError:
            try:
                seconds = email.utils.parsedate_to_datetime(value).timestamp() - time.time()
            except (ValueError, OverflowError):
                return None
        return max(seconds, 0.0) if math.isfinite(seconds) else None


def post(url: str, body: bytes, headers: Mapping[str, str], seconds: float, most_bytes: int) -> Reply:
    """Send `body` and return what came back, whatever its status; redirects are not followed.

    Raises NoAnswer when no whole answer came within `seconds`, BrokenAnswer when it is longer than
    `most_bytes`. Proxies are taken from the environment, as usual, but not for this machine.
    """
    connection, target = _connection(url, seconds)
    with closing(connection):
        try:
            connection.connect()
        except (OSError, http.client.HTTPException) as error:
            raise NoAnswer(f"cannot be reached ({_said(error)})") from None
        with _deadline(connection.sock, seconds) as is_late:
            try:
                connection.request("POST", target, body, {**headers, "Connection": "close"})
                response = connection.getresponse()
                data = response.read(most_bytes + 1)
            except (OSError, http.client.HTTPException) as error:
                late = is_late() or isinstance(error, TimeoutError)
                reason = f"gave no whole answer in {seconds:g} s" if late else f"broke off ({_said(error)})"
                raise NoAnswer(reason, billed=True) from None
            if is_late():
                raise NoAnswer(f"gave no whole answer in {seconds:g} s", billed=True)
    if len(data) > most_bytes:
        raise BrokenAnswer(f"an answer of more than {most_bytes:,} bytes")
    if response.length:
        raise NoAnswer(f"broke off ({response.length} bytes are missing)", billed=True)
    return Reply(response.status, {name.lower(): value for name, value in response.getheaders()}, data)


def _connection(url: str, seconds: float) -> tuple[http.client.HTTPConnection, str]:
    """Return a connection that is not open yet, and what to ask it for."""
    parts = urllib.parse.urlsplit(url)
    host = parts.hostname or ""
    kind = http.client.HTTPSConnection if parts.scheme == "https" else http.client.HTTPConnection
    proxy = _proxy(parts.scheme, host)
    if proxy is None:
        return kind(host, parts.port, timeout=seconds), parts.path
    connection = kind(proxy.hostname or "", proxy.port, timeout=seconds)
    if parts.scheme == "http":
        return connection, url
    connection.set_tunnel(host, parts.port)
    return connection, parts.path


def _proxy(scheme: str, host: str) -> urllib.parse.SplitResult | None:
    found = urllib.request.getproxies().get(scheme)
    if not found or is_loopback(host) or urllib.request.proxy_bypass(host):
        return None
    return urllib.parse.urlsplit(found if "//" in found else f"//{found}")


@contextmanager
def _deadline(sock: socket.socket, seconds: float) -> Iterator[Callable[[], bool]]:
    """Cut the connection after `seconds`, however slowly bytes still drip in; yield whether that was done."""
    late = threading.Event()

    def cut() -> None:
        late.set()
        try:
            sock.shutdown(socket.SHUT_RDWR)
        except OSError:
            return

    timer = threading.Timer(seconds, cut)
    timer.daemon = True
    timer.start()
    try:
        yield late.is_set
    finally:
        timer.cancel()


def _said(error: Exception) -> str:
    return str(getattr(error, "strerror", None) or error or type(error).__name__)
