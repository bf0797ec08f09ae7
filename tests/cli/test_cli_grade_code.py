"""`squtr grade-code`: answers in, a table or one JSON object out; nothing is run unasked."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.building import write_lines

Run = Callable[..., tuple[int, str, str]]

RIGHT, USE = "```python\ndef double(x):\n    return 2 * x\n```\n", "```python\nprint(double(4))\n```\n"
TESTS = "assert double(3) == 6"


@pytest.fixture
def answers(tmp_path: Path) -> Path:
    rows = [
        {"answer": RIGHT + USE, "tests": TESTS, "typo_rate": 0},
        {"answer": RIGHT, "tests": TESTS, "typo_rate": 0},
        {"answer": RIGHT, "tests": TESTS, "typo_rate": 0.16},
        {"answer": "No idea.", "tests": TESTS, "typo_rate": 0.16},
    ]
    return write_lines(tmp_path / "answers.jsonl", rows)


def test_shares_by_policy_and_setting(run: Run, answers: Path) -> None:
    code, out, _ = run("grade-code", answers, "--setting", "typo_rate", "--run", "--seconds", 30, "--json")
    found = json.loads(out)
    assert code == 0 and found["timeouts"] == 0
    clean, typos = found["settings"]
    assert (clean["setting"], clean["answers"], clean["several_blocks"]) == ("0", 2, 1)
    assert {name: share["value"] for name, share in clean["right"].items()} == {
        "first": 1,
        "last": 0.5,
        "longest valid": 1,
        "any": 1,
    }
    assert typos["setting"] == "0.16" and {share["value"] for share in typos["right"].values()} == {0.5}


def test_the_table_says_how_far_the_policies_lie_apart(
    run: Run, answers: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    code, out, _ = run("grade-code", answers, "--setting", "typo_rate", "--run", "--seconds", 30)
    assert code == 0 and "100.0% [34, 100]" in out and "sandbox" not in out
    assert "0: 2 answers, 0 without code, 1 with several blocks; last to first, 50.0 points apart." in out
    assert "0 with several blocks; the same by every policy." in out


def test_nothing_is_run_unasked(run: Run, tmp_path: Path) -> None:
    trace = tmp_path / "trace"
    answer = f"```\nopen({str(trace)!r}, 'w')\n```\n"
    path = write_lines(tmp_path / "a.jsonl", [{"answer": answer}, {"answer": "```\ndef f(:\n```\n"}])
    code, out, _ = run("grade-code", path, "--json")
    (found,) = json.loads(out)["settings"]
    assert code == 0 and not trace.exists() and json.loads(out)["timeouts"] is None
    assert found["valid"]["any"]["value"] == 0.5 and found["right"] == {}
    assert "Nothing was run." in run("grade-code", path)[1]


@pytest.mark.parametrize(
    ("row", "options", "message"),
    [
        ({"answer": RIGHT}, ["--run"], "a.jsonl:1: neither tests nor expected_output"),
        ({"answer": RIGHT, "tests": 1}, [], "a.jsonl:1: tests is 1, not a text"),
        ({"said": RIGHT}, [], "a.jsonl:1: no column 'answer'"),
        ({"answer": RIGHT}, ["--setting", "rate"], "a.jsonl:1: no column 'rate'"),
    ],
)
def test_faults_are_one_message(
    run: Run, tmp_path: Path, row: dict[str, object], options: list[str], message: str
) -> None:
    code, _, err = run("grade-code", write_lines(tmp_path / "a.jsonl", [row]), *options)
    assert code == 2 and message in err


def test_a_run_at_its_limit_is_told(run: Run, tmp_path: Path) -> None:
    row = {"answer": "```python\nwhile True:\n    pass\n```", "tests": "assert True"}
    code, out, _ = run("grade-code", write_lines(tmp_path / "a.jsonl", [row]), "--run", "--seconds", 1)
    assert code == 0 and "Stopped at the time limit, and wrong by that: 1 run." in out
