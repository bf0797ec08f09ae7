"""Code in answers: where blocks begin and end, what the four policies take, and what running them gives."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from squtr.channels.code_answers import POLICIES, Answer, Case, blocks, grade
from squtr.channels.run_code import Runs, outcome

RIGHT = "def double(x):\n    return 2 * x\n"
WRONG = "def double(x):\n    return x + 2\n"
USE = "print(double(4))\n"
CASE = Case(tests="assert double(3) == 6\nassert double(-1) == -2\n")


def fenced(*codes: str, tag: str = "python", mark: str = "```") -> str:
    return "Here you are:\n\n" + "\n".join(f"{mark}{tag}\n{code}{mark}\n\nThat was it.\n" for code in codes)


def codes(answer: str) -> list[str]:
    return [block.code for block in blocks(answer)]


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (fenced(RIGHT), [RIGHT]),
        (fenced(RIGHT, USE, tag=""), [RIGHT, USE]),
        (fenced(RIGHT, tag="Python title='a.py'"), [RIGHT]),
        (fenced(RIGHT, tag="{.python}"), [RIGHT]),
        (fenced(RIGHT, mark="~~~"), [RIGHT]),
        (fenced(RIGHT, mark="`````"), [RIGHT]),
        (fenced("pip install x\n", tag="bash") + fenced(RIGHT), [RIGHT]),
        (fenced("pip install x\n", tag="bash"), []),
        (fenced(RIGHT).replace("\n", "\r\n"), [RIGHT]),
        (f"Sure!\n```python\n{RIGHT}", [RIGHT]),
        (f"~~~py\n{RIGHT}```\nx\n~~~\n", [f"{RIGHT}```\nx\n"]),
        (f"````markdown\n# Title\n```python\n{RIGHT}```\n````\n", [RIGHT]),
        (
            "1. First:\n\n    ```python\n    a = 1\n    if a:\n        b = 2\n    ```\n",
            ["a = 1\nif a:\n    b = 2\n"],
        ),
        ("> ```\n> a = 1\n> ```\n", ["a = 1\n"]),
        ('```python\ndoc = """\n    ```\n"""\n```\n', ['doc = """\n    ```\n"""\n']),
        (fenced("\n", RIGHT), [RIGHT]),
        (RIGHT, [RIGHT]),
        ("I cannot do that.", ["I cannot do that."]),
        ("Use `double(3)` here.", ["Use `double(3)` here."]),
        ("", []),
        (" \n", []),
    ],
)
def test_blocks(answer: str, found: list[str]) -> None:
    assert codes(answer) == found


@pytest.mark.parametrize(
    ("code", "valid"),
    [
        ("a = 1", True),
        ("def f(:\n", False),
        ("\x00", False),
        ("(" * 5000 + ")" * 5000, False),
        ("x = '\\d'", True),
        ("It is five.", False),
    ],
)
def test_what_python_can_parse(code: str, valid: bool, recwarn: pytest.WarningsRecorder) -> None:
    (block,) = blocks(f"```\n{code}\n```")
    assert block.valid is valid and not len(recwarn)


def test_what_each_policy_takes() -> None:
    found = blocks(
        fenced("short = 1\n", RIGHT, RIGHT.replace("double", "triple"), "def broken(" + "x" * 90 + "\n", USE)
    )
    taken = {name: [found.index(block) for block in take(found)] for name, take in POLICIES.items()}
    assert taken == {"first": [0], "last": [4], "longest valid": [1], "any": [0, 1, 2, 3, 4]}
    assert all(not take([]) for take in POLICIES.values())
    assert POLICIES["longest valid"](blocks(fenced("def f(:\n"))) == []


def shares(answers: list[Answer]) -> dict[str, dict[str, float | None]]:
    runs = Runs(answers, seconds=20, workers=2)
    return {
        one.setting: {name: share.value for name, share in one.right.items()}
        for one in grade(answers, runs.is_right)
    }


def test_a_gain_with_typos_that_the_policy_makes() -> None:
    """At the higher rate the model solves less, and shows how to call what it wrote less often."""
    clean = [fenced(RIGHT, USE)] * 5 + [fenced(RIGHT)] * 3 + [fenced(WRONG, USE), fenced(WRONG)]
    typos = [fenced(RIGHT, USE)] + [fenced(RIGHT)] * 6 + [fenced(WRONG)] * 3
    found = shares(
        [Answer(text, CASE, "0") for text in clean] + [Answer(text, CASE, "0.16") for text in typos]
    )
    assert found["0"] == {"first": 0.8, "last": 0.3, "longest valid": 0.8, "any": 0.8}
    assert found["0.16"] == {"first": 0.7, "last": 0.6, "longest valid": 0.7, "any": 0.7}


def test_counts_and_validity_without_running_anything() -> None:
    answers = [Answer(fenced(RIGHT, "def f(:\n"), CASE), Answer(fenced(RIGHT), CASE), Answer("", CASE)]
    (found,) = grade(answers)
    assert (found.answers, found.without_block, found.one_block, found.several_blocks) == (3, 1, 1, 1)
    assert {name: share.value for name, share in found.valid.items()} == pytest.approx(
        {"first": 2 / 3, "last": 1 / 3, "longest valid": 2 / 3, "any": 2 / 3}
    )
    assert found.right == {} and grade([]) == []


def test_a_function_may_say_what_is_right() -> None:
    (found,) = grade([Answer(fenced(RIGHT, USE), CASE)], lambda code, case: "print" in code)
    assert {name: share.value for name, share in found.right.items()} == {
        "first": 0,
        "last": 1,
        "longest valid": 0,
        "any": 1,
    }


@pytest.mark.parametrize(
    ("code", "case", "said"),
    [
        (RIGHT, CASE, "right"),
        (WRONG, CASE, "wrong"),
        ("import sys\nsys.exit(0)\n", CASE, "wrong"),
        ("import os\nos._exit(0)\n", CASE, "wrong"),
        (RIGHT + "if __name__ == '__main__':\n    input()\n", CASE, "right"),
        ("print(sum(map(int, input().split())))", Case(stdin="1 2\n", expected_output="3"), "right"),
        ("print('a  ')\nprint()", Case(expected_output="a\n"), "right"),
        ("print('a')\nprint('b')", Case(expected_output="a b"), "wrong"),
        ("print('é嗯')", Case(expected_output="é嗯"), "right"),
        ("import sys\nprint(1, flush=True)\nsys.exit(1)", Case(expected_output="1"), "wrong"),
        ("while True:\n    pass\n", CASE, "timeout"),
        ("import time\ntime.sleep(60)\n", CASE, "timeout"),
        ("x = ' ' * (8 << 30)\n" + RIGHT, CASE, "wrong"),
        ("open('big', 'wb').write(bytes(32 << 20))\n" + RIGHT, CASE, "wrong"),
        (
            "from __future__ import annotations\nimport dataclasses\n"
            "@dataclasses.dataclass\nclass A:\n    x: int\n",
            Case(tests="assert A(1).x == 1"),
            "right",
        ),
        (
            RIGHT,
            Case(
                tests="import unittest\nclass T(unittest.TestCase):\n"
                "    def test_it(self): self.assertEqual(double(1), 2)\n"
            ),
            "right",
        ),
        (
            WRONG,
            Case(
                tests="import unittest\nclass T(unittest.TestCase):\n"
                "    def test_it(self): self.assertEqual(double(1), 2)\n"
            ),
            "wrong",
        ),
    ],
)
def test_outcomes(code: str, case: Case, said: str) -> None:
    assert outcome(code, case, 1.5 if said == "timeout" else 30) == said


def test_nothing_of_this_process_is_there_and_nothing_is_left(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "secret")
    monkeypatch.chdir(tmp_path)
    code = (
        "import os, subprocess, sys\n"
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(60)'])\n"
        "assert 'OPENAI_API_KEY' not in os.environ and sys.flags.isolated\n"
        f"assert os.getcwd() != {str(tmp_path)!r} and set(os.listdir('.')) == {{'in', 'out'}}\n"
        "print(child.pid)\n"
        "open('here.txt', 'w').write('x')\n"
    )
    pid = tmp_path / "pid"
    assert outcome(code, Case(tests=f"open({str(pid)!r}, 'w').write(str(child.pid))"), 30) == "right"
    assert [path.name for path in tmp_path.iterdir()] == ["pid"]
    for _ in range(100):
        if not Path("/proc").is_dir() or _is_gone(int(pid.read_text())):
            break
        time.sleep(0.05)
    else:
        pytest.fail("a process that the answer started is still there")


def _is_gone(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "Z"
    except FileNotFoundError:
        return True


def test_the_same_code_and_case_are_run_once() -> None:
    answers = [Answer(fenced(RIGHT, RIGHT), CASE)] * 3
    assert len(Runs(answers, 30).outcomes) == 1
