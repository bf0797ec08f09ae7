"""A server on this machine that speaks as much of the hub's API as its client asks for a snapshot."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

from tests.loopback import running_hub

Repositories = dict[str, dict[str, bytes]]


@dataclass
class Hub:
    """A running hub: repositories as `datasets/org/name@revision`, and the paths that were asked for."""

    repositories: Repositories
    url: str = ""
    asked: list[str] = field(default_factory=list)
    broken: set[str] = field(default_factory=set)

    @property
    def fetched(self) -> list[str]:
        """The files that were sent, in the order they were asked for."""
        return [
            path.split("/resolve/")[1].partition("/")[2]
            for path in self.asked
            if path.startswith("GET /") and "/resolve/" in path
        ]


@contextmanager
def serving_hub(repositories: Repositories) -> Iterator[Hub]:
    """Serve on a free port of this machine."""
    hub = Hub(repositories)
    with running_hub(_handler(hub)) as hub.url:
        yield hub


def _handler(hub: Hub) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            self._answer(with_body=True)

        def do_HEAD(self) -> None:
            self._answer(with_body=False)

        def _answer(self, with_body: bool) -> None:
            path = unquote(urlsplit(self.path).path)
            hub.asked.append(f"{self.command} {path}")
            if path in hub.broken:
                self._send(500, b"{}", {}, with_body)
            elif path.startswith("/api/"):
                self._api(path.removeprefix("/api/"), with_body)
            else:
                self._file(path.lstrip("/"), with_body)

        def _api(self, path: str, with_body: bool) -> None:
            part = "/tree/" if "/tree/" in path else "/revision/"
            repository, _, revision = path.partition(part)
            revision = revision.split("/")[0]
            files = self._files(repository, revision, with_body)
            if files is None:
                return
            if part == "/tree/":
                body = [
                    {"type": "file", "path": name, "size": len(data), "oid": _oid(data)}
                    for name, data in files.items()
                ]
            else:
                siblings = [{"rfilename": name} for name in files]
                body = {"id": repository.partition("/")[2], "sha": revision, "siblings": siblings}
            self._send(200, json.dumps(body).encode(), {"Content-Type": "application/json"}, with_body)

        def _file(self, path: str, with_body: bool) -> None:
            repository, _, rest = path.partition("/resolve/")
            revision, _, name = rest.partition("/")
            key = repository if repository.startswith("datasets/") else f"models/{repository}"
            files = self._files(key, revision, with_body)
            if files is None:
                return
            if name not in files:
                self._send(404, b"", {"X-Error-Code": "EntryNotFound"}, with_body)
                return
            headers = {"ETag": f'"{_oid(files[name])}"', "X-Repo-Commit": revision}
            self._send(200, files[name], headers, with_body)

        def _files(self, repository: str, revision: str, with_body: bool) -> dict[str, bytes] | None:
            known = {name.partition("@")[0] for name in hub.repositories}
            found = hub.repositories.get(f"{repository}@{revision}")
            if found is None:
                code = "RevisionNotFound" if repository in known else "RepoNotFound"
                self._send(404, b"{}", {"X-Error-Code": code, "X-Error-Message": code}, with_body)
            return found

        def _send(self, status: int, body: bytes, headers: dict[str, str], with_body: bool) -> None:
            self.send_response(status)
            for name, value in {"Content-Length": str(len(body)), **headers}.items():
                self.send_header(name, value)
            self.end_headers()
            if with_body:
                self.wfile.write(body)

        def log_message(self, format: str, *args: object) -> None:
            pass

    return Handler


def _oid(data: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(data) + data).hexdigest()


def clear_client(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the hub's client empty caches below `tmp_path` and no token."""
    for variable in ("HF_HUB_CACHE", "HUGGINGFACE_HUB_CACHE", "HF_HUB_OFFLINE", "HF_TOKEN"):
        monkeypatch.delenv(variable, raising=False)
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hf"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
