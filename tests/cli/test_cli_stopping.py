"""Ctrl-C and SIGTERM: one line, the exit code shells expect, no temporary files, no workers left."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest

from squtr.stopping import Terminated, held, stoppable
from tests.building import build, files, start, wait_for, write_trial

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sends signals")

STOPPING = "Stopping after the items that 2 workers are at. Ctrl-C or SIGTERM once more ends them at once."
STOPPED = "Stopped. What is finished is kept: run the same command again."
LOCKED = """
import multiprocessing
from tests.doubles import ToneVoice
class Voice(ToneVoice):
    def speak(self, text, speaker, seed):
        self.lock = multiprocessing.RLock()
        return super().speak(text, speaker, seed)
"""
SLEEPY = """
import os, pathlib, time
from squtr.records import Transcription
class Sleepy:
    fingerprint = "sleepy"
    def transcribe(self, audio, language):
        pathlib.Path(os.environ["HEARD"]).touch()
        time.sleep(0.5)
        return Transcription("nothing")
"""
PROGRESS = re.compile(r"[\w ]+: \d+/\d+ \(.*\)")
SLOW = {"TONE_SLEEP": 0.3, "HUM_SLEEP": 0.3}


def members(group: int) -> list[str]:
    """Return the command lines of a process group's members that still run."""
    found = subprocess.run(["ps", "-eo", "pgid=,stat=,args="], capture_output=True, text=True, check=True)
    rows = (line.split(None, 2) for line in found.stdout.splitlines())
    return [row[2] for row in rows if row[0] == str(group) and not row[1].startswith("Z")]


def leftovers(folder: Path) -> list[Path]:
    return [path for path in folder.rglob(".*") if path.name.endswith(".tmp")]


def ended(process: subprocess.Popen[str]) -> str:
    _, said = process.communicate(timeout=30)
    wait_for(lambda: not members(process.pid), 10)
    return said


@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize(
    ("number", "whole_group"),
    [(signal.SIGINT, True), (signal.SIGTERM, False)],
    ids=["ctrl-c", "sigterm"],
)
def test_a_stopped_build(tmp_path, workers, number, whole_group):
    log, out = tmp_path / "calls", tmp_path / "out"
    recipe = write_trial(tmp_path)
    process = start(recipe, out, workers, TONE_LOG=log, **SLOW)
    wait_for(lambda: log.exists() and len(log.read_text().split()) > 3)
    assert leftovers(out)
    (os.killpg if whole_group else os.kill)(process.pid, number)
    said = ended(process)
    assert (process.returncode, said.splitlines()) == (128 + number, [STOPPING, STOPPED][2 - workers :])
    assert leftovers(out) == []
    assert not (out / "build.json").exists()
    build(recipe, out)
    build(recipe, tmp_path / "whole")
    assert files(out) == files(tmp_path / "whole")


def test_ctrl_c_while_the_workers_start_is_one_line_too(tmp_path):
    out = tmp_path / "out"
    process = start(write_trial(tmp_path), out, 2, **SLOW)
    wait_for(lambda: len(members(process.pid)) > 2)
    os.killpg(process.pid, signal.SIGINT)
    *before, last = ended(process).splitlines()
    assert (last, process.returncode) == (STOPPED, 130)
    assert [line for line in before if not PROGRESS.fullmatch(line)] in ([], [STOPPING])


def start_with_locks(tmp_path: Path, seconds: float) -> subprocess.Popen[str]:
    """Start a build whose workers sleep `seconds` at each take and hold a semaphore, as tqdm does."""
    (tmp_path / "locked.py").write_text(LOCKED)
    log = tmp_path / "calls"
    recipe = write_trial(tmp_path)
    for path in (recipe, tmp_path / "speakers.jsonl"):
        path.write_text(path.read_text().replace("tests.doubles:ToneVoice", "locked:Voice"))
    place = os.pathsep.join([str(tmp_path), *sys.path])
    process = start(recipe, tmp_path / "out", 2, TONE_LOG=log, TONE_SLEEP=seconds, PYTHONPATH=place)
    wait_for(lambda: log.exists() and len(log.read_text().split()) > 1)
    return process


def test_the_signal_once_more_ends_what_takes_too_long(tmp_path):
    process = start_with_locks(tmp_path, 60)
    started = time.monotonic()
    os.killpg(process.pid, signal.SIGINT)
    time.sleep(1.5)
    os.killpg(process.pid, signal.SIGINT)
    assert ended(process).splitlines() == [STOPPING, STOPPED]
    assert process.returncode == 130
    assert time.monotonic() - started < 30
    assert leftovers(tmp_path / "out") == []


def test_sigterm_to_process_and_group_at_once_is_one(tmp_path):
    process = start_with_locks(tmp_path, 1)
    os.kill(process.pid, signal.SIGTERM)
    os.killpg(process.pid, signal.SIGTERM)  # as `timeout` does
    said = ended(process).splitlines()  # the workers may be gone before there is anything to wait for
    assert (said[-1], said[:-1] in ([], [STOPPING]), process.returncode) == (STOPPED, True, 143)
    assert leftovers(tmp_path / "out") == []


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_stopped_evaluation(tmp_path, number):
    heard, out = tmp_path / "heard", tmp_path / "out"
    (tmp_path / "sleepy.py").write_text(SLEEPY)
    build(write_trial(tmp_path), tmp_path / "data")
    asked = ["eval", tmp_path / "data", "--asr", "sleepy:Sleepy", "--retriever", "bm25", "--workers", "2"]
    process = subprocess.Popen(
        [sys.executable, "-m", "squtr.cli", *asked, "--out", out],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        env={**os.environ, "HEARD": str(heard), "PYTHONPATH": os.pathsep.join([str(tmp_path), *sys.path])},
    )
    wait_for(heard.exists)
    os.kill(process.pid, number)
    assert (ended(process).splitlines(), process.returncode) == ([STOPPING, STOPPED], 128 + number)
    assert leftovers(out) == []
    assert not (out / "results.json").exists()


def test_signals_are_as_before_afterwards(capsys):
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)]
    for error, code in ((KeyboardInterrupt, 130), (Terminated, 143)):
        with pytest.raises(SystemExit) as left, stoppable():
            raise error
        assert left.value.code == code
        assert capsys.readouterr().err == f"{STOPPED}\n"
    with stoppable():
        assert signal.getsignal(signal.SIGTERM) is not before[1]
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM)] == before


def test_an_ignored_ctrl_c_stays_ignored():
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with stoppable():
            assert signal.getsignal(signal.SIGINT) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_to_another_thread_waits_for_the_end_of_a_start(number, code, capsys):
    steps = []
    with pytest.raises(SystemExit) as left, stoppable():
        with held():
            sender = threading.Thread(target=os.kill, args=(os.getpid(), number))
            sender.start()
            sender.join()
            time.sleep(0.05)
            steps.append("started")
        steps.append("never")
    assert (steps, left.value.code) == (["started"], code)
    assert capsys.readouterr().err == f"{STOPPED}\n"
