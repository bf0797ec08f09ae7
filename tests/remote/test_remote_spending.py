"""Turns and spending hold over all processes; the cap stops before it is passed, never after."""

from __future__ import annotations

import multiprocessing
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from squtr.errors import UserError
from squtr.remote import BrokenAnswer, Reply, Service, ServiceUnavailable
from squtr.remote.state import State
from tests import loopback
from tests.loopback import serving

GOOD = loopback.raw(b"fine", "text/plain")


def read(reply: Reply) -> bytes:
    if reply.body != b"fine":
        raise BrokenAnswer("no")
    return reply.body


def service(server: loopback.Loopback, folder: Path, **options: Any) -> Service:
    options = {"timeout": 5.0, "tries": 1, "backoff": 0.0, "state": str(folder)} | options
    return Service("model", server.base_url, None, **options)


def ask(made: Service, usd: float = 0.01) -> bytes:
    return made.ask("things", {}, usd, 1000, read)


def spent(made: Service) -> float:
    return made.state.spent_usd(made._budget)


def test_the_cap_stops_before_it_is_passed_and_lets_go_on_when_raised(tmp_path, monkeypatch):
    with serving(GOOD) as server:
        made = service(server, tmp_path, max_usd=0.03)
        for _ in range(3):
            ask(made)
        with pytest.raises(UserError, match=r"0\.0300 USD of 0\.03 USD are spent.*SQUTR_MAX_USD"):
            ask(made)
        with pytest.raises(UserError, match="spent"):
            ask(service(server, tmp_path, max_usd=0.03))
        assert server.count == 3
        monkeypatch.setenv("SQUTR_MAX_USD", "0.04")
        ask(made)
        assert spent(made) == pytest.approx(0.04)
        assert server.count == 4


def test_a_cap_in_the_environment_that_is_no_number(tmp_path, monkeypatch):
    monkeypatch.setenv("SQUTR_MAX_USD", "lots")
    with serving(GOOD) as server, pytest.raises(UserError, match="SQUTR_MAX_USD is 'lots'"):
        ask(service(server, tmp_path))


def test_budgets_are_apart(tmp_path):
    with serving(GOOD) as server:
        ask(service(server, tmp_path, max_usd=0.01, budget="one"))
        ask(service(server, tmp_path, max_usd=0.01, budget="two"))
        with pytest.raises(UserError, match="budget 'two'"):
            ask(service(server, tmp_path, max_usd=0.01, budget="two"))


@pytest.mark.parametrize(
    ("behaviour", "error", "costs"),
    [
        (GOOD, None, 0.01),
        (loopback.raw(b"bad"), ServiceUnavailable, 0.01),
        (loopback.slow(20), ServiceUnavailable, 0.01),
        (loopback.reset, ServiceUnavailable, 0.01),
        (loopback.error(500), ServiceUnavailable, 0.0),
        (loopback.error(429), ServiceUnavailable, 0.0),
        (loopback.error(400), ServiceUnavailable, 0.0),
        (loopback.error(401), UserError, 0.0),
        (loopback.error(302), UserError, 0.0),
    ],
)
def test_what_may_have_been_worked_on_counts_and_what_was_turned_away_does_not(
    tmp_path, behaviour, error, costs
):
    with serving(behaviour) as server:
        made = service(server, tmp_path, timeout=1.0)
        if error is None:
            ask(made)
        else:
            with pytest.raises(error):
                ask(made)
    assert spent(made) == pytest.approx(costs)


def test_every_broken_try_is_paid_for(tmp_path):
    with serving(loopback.raw(b"bad")) as server:
        made = service(server, tmp_path, tries=4)
        with pytest.raises(ServiceUnavailable):
            ask(made)
    assert spent(made) == pytest.approx(0.04)


def test_a_cap_without_prices_is_refused(tmp_path):
    with serving(GOOD) as server:
        with pytest.raises(UserError, match="needs prices"):
            service(server, tmp_path, max_usd=1).check(has_price=False)
        service(server, tmp_path, max_usd=1).check(has_price=True)
        service(server, tmp_path).check(has_price=False)


@settings(max_examples=20, deadline=None)
@given(st.lists(st.floats(0.0001, 0.5), max_size=12), st.floats(0, 1))
def test_never_above_the_cap(tmp_path_factory, prices, cap):
    state = State(str(tmp_path_factory.mktemp("state")))
    refused = [price for price in prices if state.charge("b", price, cap) is not None]
    assert state.spent_usd("b") <= cap + 1e-9
    assert state.spent_usd("b") == pytest.approx(sum(prices) - sum(refused), abs=1e-7)
    assert all(price > cap - state.spent_usd("b") - 1e-9 for price in refused)


def test_workers_share_one_cap(tmp_path):
    with serving(GOOD) as server, ThreadPoolExecutor(4) as pool:
        made = [service(server, tmp_path, max_usd=0.1) for _ in range(4)]
        done = [pool.submit(ask, made[place % 4]) for place in range(20)]
        failed = sum(isinstance(one.exception(), UserError) for one in done)
    assert (server.count, failed) == (10, 10)
    assert spent(made[0]) == pytest.approx(0.1)


def _take(folder: str, count: int) -> None:
    for _ in range(count):
        State(folder).take_turn("account", 600)
        State(folder).charge("budget", 0.001, None)


def test_processes_share_turns_and_spending(tmp_path):
    """Forty turns of four processes, 0.1 s apart, end four seconds after the first."""
    context = multiprocessing.get_context("spawn")
    started = time.time()
    workers = [context.Process(target=_take, args=(str(tmp_path), 10)) for _ in range(4)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
        assert worker.exitcode == 0
    assert State(str(tmp_path)).spent_usd("budget") == pytest.approx(0.04)
    ahead = State(str(tmp_path)).take_turn("account", 600)
    assert time.time() - started + ahead >= 4.0 - 0.01
    assert ahead <= 4.0


def test_turns_are_spaced_over_threads(tmp_path, monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 1e9)
    with ThreadPoolExecutor(3) as pool:
        waits = list(pool.map(lambda _: State(str(tmp_path)).take_turn("account", 600), range(7)))
    assert sorted(waits) == pytest.approx([place / 10 for place in range(7)], abs=1e-4)


def test_a_request_waits_for_its_turn(tmp_path):
    with serving(GOOD) as server:
        made = service(server, tmp_path, requests_per_minute=120)
        started = time.monotonic()
        for _ in range(3):
            ask(made)
        assert time.monotonic() - started >= 0.99


def test_no_limit_means_no_waiting(tmp_path):
    assert State(str(tmp_path)).take_turn("account", None) <= 0.001
    assert State(str(tmp_path)).take_turn("account", 1) <= 0.001
    assert State(str(tmp_path)).take_turn("account", 1) == pytest.approx(60, abs=20)


def test_a_queue_left_in_the_far_future_is_forgotten(tmp_path, monkeypatch):
    monkeypatch.setattr(time, "time", lambda: 2e9)
    State(str(tmp_path)).take_turn("account", 1)
    monkeypatch.undo()
    assert State(str(tmp_path)).take_turn("account", 1) <= 0.001


def test_a_state_that_cannot_be_kept(tmp_path):
    (tmp_path / "file").write_text("no folder")
    with pytest.raises(UserError, match="state=FOLDER"):
        State(str(tmp_path / "file")).spent_usd("b")
    (tmp_path / "services.sqlite").write_bytes(b"no database, but long enough to be looked at" * 20)
    with pytest.raises(UserError, match="state=FOLDER"):
        State(str(tmp_path)).spent_usd("b")


def test_the_default_folder_is_the_users_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    State().keep("k", "body")
    assert State(str(tmp_path / "squtr")).answer("k") == "body"
    assert State().answer("other") is None
