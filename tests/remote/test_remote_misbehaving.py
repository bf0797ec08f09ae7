"""A service that misbehaves: slow, busy, broken, redirecting, endless. Every request ends, and rightly."""

from __future__ import annotations

import email.utils
import time
from pathlib import Path
from typing import Any

import pytest

from squtr.errors import ItemFailure, UserError
from squtr.remote import BrokenAnswer, Reply, Service, ServiceUnavailable
from tests import loopback
from tests.loopback import serving

GOOD = loopback.raw(b"fine", "text/plain")


def read(reply: Reply) -> str:
    if reply.body != b"fine":
        raise BrokenAnswer("an answer that is not fine")
    return reply.text()


def service(server: loopback.Loopback, folder: Path, **options: Any) -> Service:
    options = {"timeout": 5.0, "tries": 3, "backoff": 0.01, "state": str(folder / "state")} | options
    return Service("model", server.base_url, None, **options)


def ask(made: Service, most_bytes: int = 1 << 20) -> str:
    return made.ask("things", {"a": 1}, 0.0, most_bytes, read)


@pytest.mark.parametrize(
    "first",
    [
        loopback.error(500),
        loopback.error(503),
        loopback.error(429),
        loopback.error(408),
        loopback.reset,
        loopback.cut_short,
        loopback.raw(b"bad"),
    ],
)
def test_asked_again_after_passing_trouble(tmp_path, first):
    with serving(first, GOOD) as server:
        assert ask(service(server, tmp_path)) == "fine"
    assert server.paths == ["/v1/things"] * 2
    assert server.requests == [{"a": 1}] * 2


def test_slow_means_timeout_and_another_try(tmp_path):
    with serving(loopback.slow(20), GOOD) as server:
        started = time.monotonic()
        assert ask(service(server, tmp_path, timeout=1.0)) == "fine"
    assert 1 <= time.monotonic() - started < 10


def test_one_deadline_for_the_whole_answer_however_it_drips(tmp_path):
    with serving(loopback.dripping) as server:
        started = time.monotonic()
        with pytest.raises(ServiceUnavailable, match=r"gave no whole answer in 0\.3 s"):
            ask(service(server, tmp_path, timeout=0.3, tries=1))
    assert time.monotonic() - started < 10


def test_an_endless_answer_is_left_at_the_limit(tmp_path):
    with (
        serving(loopback.endless) as server,
        pytest.raises(ServiceUnavailable, match="more than 100,000 bytes, 3 times"),
    ):
        ask(service(server, tmp_path), most_bytes=100_000)
    assert server.count == 3


def test_a_long_stated_answer_is_left_at_the_limit(tmp_path):
    with (
        serving(loopback.raw(b"x" * 1000)) as server,
        pytest.raises(ServiceUnavailable, match="more than 999 bytes"),
    ):
        ask(service(server, tmp_path, tries=1), most_bytes=999)


def test_waits_double(tmp_path):
    with serving(*[loopback.error(500)] * 3, GOOD) as server:
        ask(service(server, tmp_path, tries=4, backoff=0.2))
    waits = [later - earlier for earlier, later in zip(server.times, server.times[1:], strict=False)]
    for place, wait in enumerate(waits):
        assert 0.1 * 2**place <= wait < 0.2 * 2**place + 3


@pytest.mark.parametrize("status", [429, 503])
def test_retry_after_wins_over_the_backoff_for_this_account_alone(tmp_path, status):
    with serving(loopback.error(status, Retry_After="1"), GOOD) as server:
        made = service(server, tmp_path, backoff=0.0)
        started = time.monotonic()
        assert ask(made) == "fine"
        assert 0.9 <= time.monotonic() - started < 20
        made.state.pause("127.0.0.1 other", 5)
        assert service(server, tmp_path).state.paused_seconds(made._account) == 0


def test_a_pause_is_for_all_who_share_the_state(tmp_path):
    with serving(GOOD) as server:
        made = service(server, tmp_path)
        started = time.monotonic()
        made.state.pause(made._account, 0.5)
        ask(service(server, tmp_path))
        assert time.monotonic() - started >= 0.4


def test_retry_after_as_a_date_or_nonsense():
    def wait(value: str) -> float | None:
        return Reply(429, {"retry-after": value}, b"").retry_after()

    assert wait("7") == 7
    assert wait("0.5") == 0.5
    assert wait("-3") == 0
    assert wait(email.utils.formatdate(time.time() + 30, usegmt=True)) == pytest.approx(30, abs=20)
    assert [wait(text) for text in ("", "soon", "nan", "inf", "1e999")] == [None] * 5


def test_a_wait_of_an_hour_stops_the_run(tmp_path):
    with (
        serving(loopback.error(429, Retry_After="3600")) as server,
        pytest.raises(UserError, match=r"asks to wait 3600 s\. What is finished is kept"),
    ):
        ask(service(server, tmp_path))
    assert server.count == 1


def test_no_answer_fails_the_item_for_now_and_then_stops_the_run(tmp_path):
    with serving(loopback.error(500, "melting")) as server:
        made = service(server, tmp_path, tries=2)
        for _ in range(2):
            with pytest.raises(ServiceUnavailable, match="HTTP 500: melting"):
                ask(made)
        with pytest.raises(UserError, match=r"HTTP 500: melting.*What is finished is kept"):
            ask(made)
    assert server.count == 6


def test_trouble_with_single_items_does_not_add_up(tmp_path):
    with serving(*[loopback.error(500), GOOD] * 4) as server:
        made = service(server, tmp_path, tries=1)
        for _ in range(4):
            with pytest.raises(ServiceUnavailable):
                ask(made)
            ask(made)


def test_nobody_there(tmp_path):
    with serving(GOOD) as server:
        pass
    with pytest.raises(ServiceUnavailable, match=r"cannot be reached \(Connection refused\)"):
        ask(service(server, tmp_path, tries=2))


def test_broken_answers_are_the_items_failure(tmp_path):
    with serving(GOOD, loopback.raw(b"bad")) as server:
        made = service(server, tmp_path)
        ask(made)
        for _ in range(4):
            with pytest.raises(ItemFailure, match="an answer that is not fine, 3 times"):
                ask(made)


def test_broken_answers_from_the_first_on_stop_the_run(tmp_path):
    with serving(loopback.raw(b"bad")) as server:
        made = service(server, tmp_path)
        for _ in range(2):
            with pytest.raises(ServiceUnavailable, match="not fine, 3 times, and nothing that can be used"):
                ask(made)
        with pytest.raises(UserError, match="What is finished is kept"):
            ask(made)


@pytest.mark.parametrize(
    ("status", "why"),
    [(401, "the key is not accepted"), (403, "may not"), (404, "no such address or model"), (402, "paid")],
)
def test_a_wrong_set_up_stops_the_run_at_once(tmp_path, status, why):
    with (
        serving(loopback.error(status, "go away")) as server,
        pytest.raises(UserError, match=f"{why}.*go away"),
    ):
        ask(service(server, tmp_path))
    assert server.count == 1


def test_a_used_up_quota_is_not_asked_again(tmp_path):
    with (
        serving(loopback.error(429, "pay", "insufficient_quota")) as server,
        pytest.raises(UserError, match="quota is used up"),
    ):
        ask(service(server, tmp_path))
    assert server.count == 1


def test_a_refusal_is_the_items_own_once_others_were_answered(tmp_path):
    with serving(GOOD, loopback.error(400, "not this one")) as server:
        made = service(server, tmp_path)
        ask(made)
        for _ in range(4):
            with pytest.raises(ItemFailure, match="HTTP 400: not this one"):
                ask(made)
    assert server.count == 5


def test_nothing_but_refusals_stops_the_run(tmp_path):
    with serving(loopback.error(400, "unknown parameter")) as server:
        made = service(server, tmp_path)
        for _ in range(2):
            with pytest.raises(ServiceUnavailable):
                ask(made)
        with pytest.raises(UserError, match="unknown parameter"):
            ask(made)
    assert server.count == 3


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
def test_redirects_are_never_followed(tmp_path, status):
    with (
        serving(GOOD) as other,
        serving(loopback.error(status, Location=f"{other.base_url}/x")) as server,
        pytest.raises(UserError, match="Redirects are not followed"),
    ):
        ask(service(server, tmp_path))
    assert (server.count, other.count) == (1, 0)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        ("timeout", 0),
        ("timeout", "fast"),
        ("tries", 0),
        ("tries", True),
        ("backoff", -1),
        ("requests_per_minute", 0),
        ("max_usd", float("nan")),
        ("state", 7.5),
        ("budget", ""),
        ("colour", "red"),
    ],
)
def test_faulty_options(tmp_path, option, value):
    with serving(GOOD) as server, pytest.raises(UserError, match=option):
        service(server, tmp_path, **{option: value})
