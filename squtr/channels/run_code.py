"""Run code answers, each in a process of its own with limits. No sandbox: it stops accidents, not malice."""

from __future__ import annotations

import contextlib
import importlib.util
import json
import math
import os
import secrets
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from squtr.channels.code_answers import Answer, Case, blocks
from squtr.errors import UserError

_CHILD = Path(__file__).with_name("code_child.py")


class Runs:
    """Outcomes of code against cases; each distinct pair is run once.

    The process starts in an empty folder of its own, with nothing of this one's environment, isolated (-I);
    time, memory and the size of files are limited. The network and the disk are not closed to it.
    """

    def __init__(self, answers: Sequence[Answer], seconds: float = 10.0, workers: int = 1) -> None:
        """Run every valid block of `answers`. Raises UserError where processes cannot be limited."""
        if importlib.util.find_spec("resource") is None:
            raise UserError("Code is run with limits that this system does not have. Use Linux or macOS.")
        pairs = [
            (block.code, answer.case) for answer in answers for block in blocks(answer.text) if block.valid
        ]
        jobs = list(dict.fromkeys(pairs))
        with ThreadPoolExecutor(max(workers, 1)) as pool:
            outcomes = pool.map(lambda job: outcome(job[0], job[1], seconds), jobs)
            self.outcomes = dict(zip(jobs, outcomes, strict=True))

    @property
    def timeouts(self) -> int:
        """How many runs were stopped at the limit."""
        return list(self.outcomes.values()).count("timeout")

    def is_right(self, code: str, case: Case) -> bool:
        return self.outcomes[code, case] == "right"


def outcome(code: str, case: Case, seconds: float) -> str:
    """Run code against a case for so long at most; return right, wrong or timeout.

    Right: code and tests came to their end, the tests' unittest cases passed, and the output is as expected
    (blanks at the ends of lines and at the end aside). Leaving early, as by sys.exit(0), is wrong.
    """
    with tempfile.TemporaryDirectory(prefix="squtr-code-", ignore_cleanup_errors=True) as name:
        folder, token = Path(name), secrets.token_hex(16)
        job = {
            "name": "answer" if case.tests else "__main__",
            "code": code,
            "tests": case.tests,
            "seconds": math.ceil(seconds) + 1,
            "token": token,
        }
        (folder / "job.json").write_text(json.dumps(job), encoding="utf-8")
        (folder / "in").write_text(case.stdin, encoding="utf-8", errors="replace")
        if not _run(folder, seconds):
            return "timeout"
        done = folder / "done"
        ended = done.is_file() and done.read_text(encoding="utf-8", errors="replace") == token
        return "right" if ended and _as_expected(folder / "out", case) else "wrong"


def _run(folder: Path, seconds: float) -> bool:
    """Run the child in a folder; return whether it ended in time. Nothing that it started is left."""
    command = [sys.executable, "-I", "-X", "utf8", str(_CHILD)]
    bare = {"PATH": os.defpath, "HOME": str(folder), "TMPDIR": str(folder)}
    with (folder / "in").open("rb") as given, (folder / "out").open("wb") as out:
        process = subprocess.Popen(  # noqa: S603
            command,
            cwd=folder,
            env=bare,
            stdin=given,
            stdout=out,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        try:
            process.wait(seconds)
        except subprocess.TimeoutExpired:
            return False
        finally:
            _end(process)
    return True


def _end(process: subprocess.Popen[bytes]) -> None:
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _as_expected(path: Path, case: Case) -> bool:
    if case.expected_output is None:
        return True
    return _lines(path.read_text(encoding="utf-8", errors="replace")) == _lines(case.expected_output)


def _lines(text: str) -> list[str]:
    return [line.rstrip() for line in text.rstrip().splitlines()]
