"""The processes of a render: in order, and gone after whatever ends the run."""

from __future__ import annotations

import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from squtr.errors import UserError
from squtr.leaderboard.workers import sharing
from tests.leaderboard.boards import drawn, rendered, write_data, write_submission
from tests.leaderboard.sites import bytes_of

ROOT = Path(__file__).resolve().parents[2]
SLEEPS = (
    "import sys, time; from pathlib import Path; from squtr.stopping import stoppable;"
    "from squtr.leaderboard.workers import sharing; from tests.leaderboard.test_workers import note\n"
    "with stoppable():\n"
    "    with sharing(2, note, Path(sys.argv[1])) as each:\n"
    "        list(each(time.sleep, [60] * 8))\n"
)
QUERIES = {"en/nq": ["a", "b", "c"]}
_HELD: list[str] = []


def note(place: Path) -> None:
    """Say that this process is there, and keep where it said so."""
    (place / str(os.getpid())).write_text("")
    _HELD[:] = [place.name]


def named(number: int) -> tuple[int, str, int]:
    return number, _HELD[0], os.getpid()


def die(number: int) -> int:
    if number == 3:
        os.kill(os.getpid(), signal.SIGKILL)
    return number


def is_alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def waited_for(what: Callable[[], bool], seconds: float = 30) -> bool:
    end = time.monotonic() + seconds
    while not what() and time.monotonic() < end:
        time.sleep(0.05)
    return what()


@pytest.fixture
def sleeping(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """A run whose two workers sleep, in a process group of its own; `tmp_path` names them."""
    run = subprocess.Popen(
        [sys.executable, "-c", SLEEPS, str(tmp_path)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert waited_for(lambda: len(list(tmp_path.iterdir())) == 2), run.communicate(timeout=5)
    yield run
    if run.poll() is None:
        os.killpg(run.pid, signal.SIGKILL)
    run.communicate(timeout=20)


def test_results_come_in_order_from_processes_that_began(tmp_path: Path) -> None:
    with sharing(2, note, tmp_path) as each:
        found = list(each(named, range(40)))
    assert [number for number, _, _ in found] == list(range(40))
    assert {place for _, place, _ in found} == {tmp_path.name}
    pids = {pid for _, _, pid in found}
    assert os.getpid() not in pids and pids <= {int(path.name) for path in tmp_path.iterdir()}
    assert multiprocessing.active_children() == []


def test_one_worker_is_this_process(tmp_path: Path) -> None:
    with sharing(1, note, tmp_path) as each:
        assert list(each(named, [7])) == [(7, tmp_path.name, os.getpid())]


def test_a_killed_worker_is_one_clear_error(tmp_path: Path) -> None:
    with (
        pytest.raises(UserError, match=r"A worker process died .* with fewer --workers"),
        sharing(2, note, tmp_path) as each,
    ):
        list(each(die, range(40)))
    assert multiprocessing.active_children() == []


def test_an_error_ends_the_workers(tmp_path: Path) -> None:
    began = time.monotonic()
    with pytest.raises(ZeroDivisionError), sharing(2, note, tmp_path) as each:
        each(time.sleep, [60] * 8)
        _ = 1 / 0
    assert multiprocessing.active_children() == [] and time.monotonic() - began < 30


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("whom", ["group", "process"])
def test_a_stop_ends_all(
    sleeping: subprocess.Popen[str], tmp_path: Path, number: signal.Signals, code: int, whom: str
) -> None:
    (os.killpg if whom == "group" else os.kill)(sleeping.pid, number)
    _, said = sleeping.communicate(timeout=30)
    assert sleeping.returncode == code
    assert said == "Stopped. What is finished is kept: run the same command again.\n"
    assert waited_for(lambda: not any(is_alive(int(path.name)) for path in tmp_path.iterdir()))


def test_workers_end_with_a_killed_run(sleeping: subprocess.Popen[str], tmp_path: Path) -> None:
    sleeping.kill()
    assert waited_for(lambda: not any(is_alive(int(path.name)) for path in tmp_path.iterdir()))


def test_a_render_in_processes_has_the_same_bytes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_data(tmp_path, QUERIES)
    for seed in range(9):
        write_submission(tmp_path, f"System {seed}", QUERIES, drawn(seed, QUERIES, 0.9))
    rendered(tmp_path, tmp_path / "one")
    monkeypatch.setattr("squtr.leaderboard.render._MANY", 2)
    rendered(tmp_path, tmp_path / "two", workers=2, cache=tmp_path / "cache")
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "two")
    rendered(tmp_path, tmp_path / "again", workers=2, cache=tmp_path / "cache")
    assert bytes_of(tmp_path / "one") == bytes_of(tmp_path / "again")
