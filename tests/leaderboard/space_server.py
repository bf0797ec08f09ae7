"""A hub on this machine to which Spaces can be uploaded: what the client asks for and no more."""

from __future__ import annotations

import base64
import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Any
from urllib.parse import unquote, urlsplit

from tests.loopback import running_hub

_API = "/api/spaces/"


@dataclass
class Spaces:
    """Files by Space, what was asked for, who asked; `refused` is what a commit is answered with."""

    files: dict[str, dict[str, bytes]] = field(default_factory=dict)
    made: list[dict[str, Any]] = field(default_factory=list)
    asked: list[str] = field(default_factory=list)
    tokens: set[str] = field(default_factory=set)
    refused: tuple[int, str] | None = None
    url: str = ""


@contextmanager
def serving_spaces() -> Iterator[Spaces]:
    """Serve on a free port."""
    spaces = Spaces()
    with running_hub(_handler(spaces)) as spaces.url:
        yield spaces


def _handler(spaces: Spaces) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            path = self._path()
            org, name, what = path.removeprefix(_API).split("/")[:3]
            found = spaces.files.get(f"{org}/{name}", {})
            rows = [
                {"type": "file", "path": one, "size": len(data), "oid": hashlib.sha1(data).hexdigest()}
                for one, data in found.items()
            ]
            self._send(200, rows if what == "tree" else {"id": f"{org}/{name}", "sha": "a" * 40})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
            path = self._path()
            if path == "/api/repos/create":
                self._create(json.loads(body))
            elif path == "/api/validate-yaml":
                self._send(200, {"errors": [], "warnings": []})
            elif "/preupload/" in path:
                names = [one["path"] for one in json.loads(body)["files"]]
                modes = [{"path": one, "uploadMode": "regular", "shouldIgnore": False} for one in names]
                self._send(200, {"files": modes})
            else:
                self._commit("/".join(path.removeprefix(_API).split("/")[:2]), body)

        def _create(self, asked: dict[str, Any]) -> None:
            spaces.made.append(asked)
            name = f"{asked['organization']}/{asked['name']}"
            status = 409 if name in spaces.files else 200
            spaces.files.setdefault(name, {".gitattributes": b"", "README.md": b"new"})
            self._send(status, {"url": f"{spaces.url}/spaces/{name}"})

        def _commit(self, name: str, body: bytes) -> None:
            if spaces.refused:
                status, said = spaces.refused
                self._send(status, {"error": said})
                return
            files = spaces.files[name]
            for row in map(json.loads, body.splitlines()):
                value = row["value"]
                if row["key"] == "deletedFile":
                    del files[value["path"]]
                elif row["key"] == "file":
                    files[value["path"]] = base64.b64decode(value["content"])
            done = {"success": True, "commitOid": "b" * 40, "commitUrl": f"{spaces.url}/{name}/commit/bb"}
            self._send(200, done)

        def _path(self) -> str:
            path = unquote(urlsplit(self.path).path)
            spaces.asked.append(f"{self.command} {path}")
            spaces.tokens.add(self.headers.get("Authorization", ""))
            return path

        def _send(self, status: int, plain: Any) -> None:
            body = json.dumps(plain).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler
