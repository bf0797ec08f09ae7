"""A file server on loopback that knows Range, and misbehaves when it is told to."""

from __future__ import annotations

import hashlib
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any


class Server:
    """Serves `files` by path. Each entry of `troubles` spoils one request, in their order:

    ("drop", n): the connection ends after n bytes; ("status", code, headers): that answer;
    ("no range",): the whole file whatever was asked for; ("shifted",): a piece that begins elsewhere.
    """

    def __init__(self) -> None:
        self.files: dict[str, bytes] = {}
        self.redirects: dict[str, str] = {}
        self.troubles: list[tuple[Any, ...]] = []
        self.requests: list[tuple[str, str | None]] = []
        self.etags = True
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                owner.answer(self)

            def log_message(self, format: str, *args: Any) -> None:
                pass

        self._http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._http.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._http.server_address[1]}"

    def __enter__(self) -> Server:
        threading.Thread(target=self._http.serve_forever, args=(0.01,), daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._http.shutdown()
        self._http.server_close()

    def answer(self, request: BaseHTTPRequestHandler) -> None:
        asked = request.headers.get("Range")
        self.requests.append((request.path, asked))
        trouble = self.troubles.pop(0) if self.troubles else ("none",)
        request.close_connection = True
        if trouble[0] == "status":
            return self._send(request, trouble[1], b"", trouble[2])
        if request.path in self.redirects:
            return self._send(request, 302, b"", {"Location": self.redirects[request.path]})
        if request.path not in self.files:
            return self._send(request, 404, b"", {})
        data = self.files[request.path]
        tag = f'"{hashlib.sha256(data).hexdigest()[:16]}"'
        headers = {"ETag": tag} if self.etags else {}
        start = int(re.match(r"bytes=(\d+)-", asked)[1]) if asked else 0  # type: ignore[index]
        if trouble[0] == "no range" or request.headers.get("If-Range") not in (None, tag):
            start = 0
        if asked and start >= len(data):
            return self._send(request, 416, b"", {"Content-Range": f"bytes */{len(data)}"})
        if start:
            start += trouble[0] == "shifted"
            headers["Content-Range"] = f"bytes {start}-{len(data) - 1}/{len(data)}"
        body = data[start:]
        cut = trouble[1] if trouble[0] == "drop" else len(body)
        return self._send(request, 206 if start else 200, body, headers, cut)

    def _send(
        self,
        request: BaseHTTPRequestHandler,
        status: int,
        body: bytes,
        headers: dict[str, str],
        cut: int | None = None,
    ) -> None:
        request.send_response(status)
        for name, value in headers.items():
            request.send_header(name, value)
        request.send_header("Content-Length", str(len(body)))
        request.end_headers()
        request.wfile.write(body[:cut])
