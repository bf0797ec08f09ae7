"""A key goes to its service and nowhere else: no message, no repr, no other host, nothing in the clear."""

from __future__ import annotations

from typing import Any

import pytest

from squtr import plugins
from squtr.errors import ItemFailure, UserError
from squtr.remote import BrokenAnswer, Endpoint, Reply, Service, ServiceUnavailable
from squtr.remote.service import error_message
from tests import loopback
from tests.loopback import serving

KEY = "sk-very-secret-0123456789"


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("SQUTR_TEST_KEY", f"{KEY}\n")


def service(server: loopback.Loopback, folder: Any, **options: Any) -> Service:
    limits = {"tries": 1, "backoff": 0.0, "state": str(folder)} | options
    return Service("model", server.base_url, "SQUTR_TEST_KEY", **limits)


def read(reply: Reply) -> str:
    if "fine" not in reply.text():
        raise BrokenAnswer(f"said {reply.text()}")
    return reply.text()


def test_the_key_is_sent_as_a_bearer_token(tmp_path):
    with serving(loopback.raw(b"fine")) as server:
        service(server, tmp_path).ask("x", {}, 0, 100, read)
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"
    assert KEY not in str(server.requests)


def test_without_a_key_none_is_sent(tmp_path):
    with serving(loopback.raw(b"fine")) as server:
        Service("model", server.base_url, None, state=str(tmp_path)).ask("x", {}, 0, 100, read)
    assert "Authorization" not in server.headers[0]


@pytest.mark.parametrize("status", [200, 302, 400, 401, 429, 500])
def test_a_service_that_repeats_the_key_is_not_quoted(tmp_path, status):
    behaviour = loopback.error(status, f"bad key {KEY} in 'Bearer {KEY}'", Location=f"http://x/?k={KEY}")
    with (
        serving(behaviour) as server,
        pytest.raises((UserError, ServiceUnavailable, ItemFailure)) as caught,
    ):
        service(server, tmp_path).ask("x", {}, 0, 1000, read)
    assert KEY not in str(caught.value)
    assert KEY not in repr(caught.value)
    assert caught.value.__cause__ is None


def test_the_key_is_in_no_repr_and_no_attribute(tmp_path):
    with serving(loopback.raw(b"fine")) as server:
        made = service(server, tmp_path)
        made.ask("x", {}, 0.1, 100, read)
    assert KEY not in repr(vars(made)) + repr(made.endpoint) + repr(Reply(200, {}, b"", KEY))
    for file in tmp_path.rglob("*"):
        assert KEY.encode() not in file.read_bytes()


@pytest.mark.parametrize(
    "value",
    ["", "  ", f"{KEY} x", f"{KEY}\r\nX-Evil: 1", f"{KEY}\u00e9"],
    ids=["none", "blank", "two", "lines", "é"],
)
def test_a_missing_or_torn_key_is_named_by_its_variable_only(tmp_path, monkeypatch, value):
    monkeypatch.setenv("SQUTR_TEST_KEY", value)
    with serving(loopback.raw(b"fine")) as server:
        with pytest.raises(UserError, match="SQUTR_TEST_KEY") as caught:
            service(server, tmp_path).check(has_price=False)
        with pytest.raises(UserError, match="SQUTR_TEST_KEY"):
            service(server, tmp_path).ask("x", {}, 0, 100, read)
    assert KEY not in str(caught.value)
    assert server.count == 0


@pytest.mark.parametrize("kind", ["judge", "voice"])
@pytest.mark.parametrize("option", ["key", "api_key", "base_url"])
def test_a_key_written_into_a_recipe_is_refused_without_showing_it(kind, option):
    path = {"judge": "squtr.judges.audio_llm:AudioLlm", "voice": "squtr.voices.openai_speech:OpenAISpeech"}[
        kind
    ]
    value = f"https://me:{KEY}@api.example/v1" if option == "base_url" else KEY
    with pytest.raises(UserError) as caught:
        plugins.load(kind, f"{path},model=m,{option}={value}")
    assert KEY not in str(caught.value)


@pytest.mark.parametrize(
    "address",
    [
        "ftp://host/v1",
        "host/v1",
        "https://",
        "https://host/v1?key=abc",
        "https://host/v1#a",
        "https://host:port/v1",
        "https://ho st/v1",
        "https://höst/v1",
        "https://host/v1\r\nX: 1",
        "https://[::1/v1",
        "",
        7,
    ],
)
def test_addresses_that_are_none(address):
    with pytest.raises(UserError, match="base_url"):
        Endpoint(address, None)


def test_a_key_goes_in_the_clear_to_this_machine_only():
    for host in ("127.0.0.1:8000", "localhost", "[::1]:80", "127.8.8.8"):
        assert Endpoint(f"http://{host}/v1", "A_KEY").host == host
    for host in ("10.0.0.7", "example.org", "127.0.0.1.example.org"):
        with pytest.raises(UserError, match="in the clear"):
            Endpoint(f"http://{host}/v1", "A_KEY")
        Endpoint(f"http://{host}/v1", None)
        Endpoint(f"https://{host}/v1", "A_KEY")


def test_this_machine_is_never_asked_through_a_proxy(tmp_path, monkeypatch):
    with serving(loopback.raw(b"proxy")) as proxy, serving(loopback.raw(b"fine")) as server:
        monkeypatch.setenv("http_proxy", proxy.base_url)
        monkeypatch.delenv("no_proxy", raising=False)
        service(server, tmp_path).ask("x", {}, 0, 100, read)
    assert (server.count, proxy.count) == (1, 0)


def test_other_machines_are_asked_through_the_proxy(tmp_path, monkeypatch):
    with serving(loopback.raw(b"fine")) as proxy:
        monkeypatch.setenv("http_proxy", proxy.base_url)
        monkeypatch.delenv("no_proxy", raising=False)
        made = Service("model", "http://judge.invalid/v1", None, state=str(tmp_path))
        assert made.ask("x", {}, 0, 100, read) == "fine"
    assert proxy.paths == ["http://judge.invalid/v1/x"]


def test_error_messages_are_one_short_printable_line():
    assert (
        error_message(Reply(500, {}, b'{"error": {"message": "a\\nb\\u001b[31m", "code": "c"}}'))
        == "c a b [31m"
    )
    assert error_message(Reply(500, {}, b'[{"error": {"status": "S", "message": "m"}}]')) == "S m"
    assert error_message(Reply(500, {}, b'{"error": "plain"}')) == '{"error": "plain"}'
    assert error_message(Reply(500, {}, b"")) == "(no reason given)"
    assert len(error_message(Reply(500, {}, b"<html>" + b"x" * 9999))) == 300
    assert error_message(Reply(500, {}, b"[" * 100_000))
