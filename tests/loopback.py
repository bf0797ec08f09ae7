"""A real HTTP server on this machine that does what a test tells it, one behaviour a request.

A behaviour is a function of the handler and the request's JSON, or the parts of its form by name (the file as
name, type and bytes); the last one stays for all later requests.
"""

from __future__ import annotations

import email
import email.policy
import importlib
import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Behaviour = Callable[[BaseHTTPRequestHandler, Any], None]


@dataclass
class Loopback:
    """A running server: its address, and the requests it got as (path, headers, JSON, time)."""

    base_url: str = ""
    behaviours: list[Behaviour] = field(default_factory=list)
    paths: list[str] = field(default_factory=list)
    headers: list[dict[str, str]] = field(default_factory=list)
    requests: list[Any] = field(default_factory=list)
    times: list[float] = field(default_factory=list)
    lock: threading.Lock = field(default_factory=threading.Lock)

    def does(self, *behaviours: Behaviour) -> None:
        """Set what is done from the next request on."""
        self.behaviours = list(behaviours)

    @property
    def count(self) -> int:
        return len(self.requests)


@contextmanager
def running(server: ThreadingHTTPServer) -> Iterator[str]:
    """Run a server in a thread of its own; yield its address."""
    threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()


@contextmanager
def running_hub(handler: type[BaseHTTPRequestHandler]) -> Iterator[str]:
    """Run a server for the hub's client, which reads once whether it is offline; yield its address."""
    constants = importlib.import_module("huggingface_hub.constants")
    offline, constants.HF_HUB_OFFLINE = constants.HF_HUB_OFFLINE, False
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    server.daemon_threads = True
    try:
        with running(server) as url:
            yield url
    finally:
        constants.HF_HUB_OFFLINE = offline


@contextmanager
def serving(*behaviours: Behaviour) -> Iterator[Loopback]:
    """Serve on a free port of this machine."""
    loopback = Loopback(behaviours=list(behaviours))
    with running(_Server(("127.0.0.1", 0), _handler(loopback))) as url:
        loopback.base_url = f"{url}/v1"
        yield loopback


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 64

    def handle_error(self, request: Any, client_address: Any) -> None:
        """A client that hangs up is what some tests want."""


def _handler(loopback: Loopback) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            request = _request(self.headers["Content-Type"], body)
            with loopback.lock:
                loopback.paths.append(self.path)
                loopback.headers.append(dict(self.headers))
                loopback.requests.append(request)
                loopback.times.append(time.monotonic())
                several = len(loopback.behaviours) > 1
                behaviour = loopback.behaviours.pop(0) if several else loopback.behaviours[0]
            behaviour(self, request)
            self.close_connection = True

        def log_message(self, format: str, *args: Any) -> None:
            """Nothing on the terminal."""

    return Handler


def _request(content_type: str, body: bytes) -> Any:
    if not content_type.startswith("multipart/form-data"):
        return json.loads(body)
    head = f"Content-Type: {content_type}\r\nMIME-Version: 1.0\r\n\r\n"
    parts: dict[str, Any] = {}
    for part in email.message_from_bytes(head.encode() + body, policy=email.policy.HTTP).iter_parts():
        name = part.get_param("name", header="content-disposition")
        content = part.get_payload(decode=True)
        file = part.get_filename()
        parts[name] = content.decode() if file is None else (file, part.get_content_type(), content)
    return parts


def send(handler: BaseHTTPRequestHandler, body: bytes, kind: str, status: int = 200, **headers: str) -> None:
    handler.send_response(status)
    handler.send_header("Content-Type", kind)
    handler.send_header("Content-Length", str(len(body)))
    for name, value in headers.items():
        handler.send_header(name.replace("_", "-"), value)
    handler.end_headers()
    handler.wfile.write(body)


def raw(body: bytes, kind: str = "application/json", status: int = 200, **headers: str) -> Behaviour:
    """Answer with these bytes."""
    return lambda handler, request: send(handler, body, kind, status, **headers)


def error(status: int, message: str = "no", code: str | None = None, **headers: str) -> Behaviour:
    """Answer with an error as OpenAI words it."""
    plain = {"error": {"message": message, "code": code}}
    return raw(json.dumps(plain).encode(), "application/json", status, **headers)


def completion(content: object, **message: object) -> bytes:
    choice = {"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": content}}
    choice["message"] |= message  # type: ignore[operator]
    return json.dumps({"id": "1", "object": "chat.completion", "choices": [choice]}).encode()


def says(content: object, **message: object) -> Behaviour:
    """Answer with a chat completion of that content."""
    return raw(completion(content, **message))


def verdict(score: object = 4.5, **changes: object) -> str:
    """Return a good answer, with changes."""
    plain = {"heard": "so it is", "comparison": "the same", "faults": [], "signal": "clean", "score": score}
    return json.dumps(plain | changes)


def slow(seconds: float) -> Behaviour:
    """Say nothing for so long, then a good answer."""

    def wait(handler: BaseHTTPRequestHandler, request: Any) -> None:
        time.sleep(seconds)
        says(verdict())(handler, request)

    return wait


def dripping(handler: BaseHTTPRequestHandler, request: Any) -> None:
    """Send the header byte by byte, for ever."""
    for _ in range(1000):
        handler.wfile.write(b"H")
        handler.wfile.flush()
        time.sleep(0.02)


def reset(handler: BaseHTTPRequestHandler, request: Any) -> None:
    """Drop the connection in the middle."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def cut_short(handler: BaseHTTPRequestHandler, request: Any) -> None:
    """Promise more bytes than are sent."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "100000")
    handler.end_headers()
    handler.wfile.write(completion(verdict()))


def endless(handler: BaseHTTPRequestHandler, request: Any) -> None:
    """Send blanks without end, and say no length."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.end_headers()
    for _ in range(10_000):
        handler.wfile.write(b" " * 65536)
