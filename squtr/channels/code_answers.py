"""Code answers, scored under four policies of taking code out of an answer: what the choice is worth.

A model that writes fewer blocks as its prompt gets noisier seems to gain under a grader that takes the last
one alone. So a share of right answers is given with its policy, beside what the others make of the same.
"""

from __future__ import annotations

import ast
import re
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from squtr.channels.estimate import Estimate, wilson

_PYTHON = ("", "py", "py3", "python", "python3")
_MARKDOWN = ("md", "markdown")
_TAG = re.compile(r"[{.\s]*([\w+#-]*)")


@dataclass(frozen=True, slots=True)
class Block:
    """A piece of code in an answer; `valid`: Python can parse it."""

    code: str
    valid: bool


@dataclass(frozen=True, slots=True)
class Case:
    """What code is held against: `tests` run after it, or what it prints when given `stdin`."""

    tests: str = ""
    expected_output: str | None = None
    stdin: str = ""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a model said, in Markdown, to be held against `case`; `setting` is what answers are grouped by."""

    text: str
    case: Case
    setting: str = ""


@dataclass(frozen=True, slots=True)
class Graded:
    """Answers of one setting: with how many blocks, and the shares whose code is valid and right, by policy.

    `right` is empty where nothing was run.
    """

    setting: str
    answers: int
    without_block: int
    one_block: int
    several_blocks: int
    valid: Mapping[str, Estimate]
    right: Mapping[str, Estimate]


def _longest_valid(found: Sequence[Block]) -> Sequence[Block]:
    valid = [block for block in found if block.valid]
    return [max(valid, key=lambda block: len(block.code))] if valid else []


POLICIES: dict[str, Callable[[Sequence[Block]], Sequence[Block]]] = {
    "first": lambda found: found[:1],
    "last": lambda found: found[-1:],
    "longest valid": _longest_valid,
    "any": lambda found: found,
}


def blocks(answer: str) -> list[Block]:
    """Return an answer's blocks of Python in order: fenced by backticks or tildes, untagged or tagged so.

    Fences are CommonMark's: one that is never closed ends with the answer, one in a list is moved out, and a
    longer one holds shorter ones; a block tagged as Markdown is looked into. An answer without any fence is
    one block. Blank blocks are none.
    """
    fences = _fences(answer)
    codes = [code for tag, code in fences if tag in _PYTHON] if fences else [answer]
    return [Block(code, is_valid(code)) for code in codes if code.strip()]


def is_valid(code: str) -> bool:
    """Say whether Python can parse the code; nothing is run."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def grade(answers: Sequence[Answer], is_right: Callable[[str, Case], bool] | None = None) -> list[Graded]:
    """Grade answers by setting, in the order of appearance; under `any`, one right block is enough.

    `is_right` is given a valid block's code and the answer's case; without it nothing is called right.
    """
    found = [(answer, blocks(answer.text)) for answer in answers]
    return [
        _graded(name, [(answer, held) for answer, held in found if answer.setting == name], is_right)
        for name in dict.fromkeys(answer.setting for answer in answers)
    ]


def _graded(
    setting: str,
    part: Sequence[tuple[Answer, Sequence[Block]]],
    is_right: Callable[[str, Case], bool] | None,
) -> Graded:
    counts = [len(held) for _, held in part]

    def share(test: Callable[[Answer, Block], bool]) -> dict[str, Estimate]:
        return {
            policy: wilson(sum(any(test(answer, b) for b in take(held)) for answer, held in part), len(part))
            for policy, take in POLICIES.items()
        }

    return Graded(
        setting,
        len(part),
        counts.count(0),
        counts.count(1),
        sum(count > 1 for count in counts),
        share(lambda answer, block: block.valid),
        share(lambda answer, block: block.valid and is_right(block.code, answer.case)) if is_right else {},
    )


def _fences(text: str) -> list[tuple[str, str]]:
    """Return (tag, code) of each fence."""
    from markdown_it import MarkdownIt

    found: list[tuple[str, str]] = []
    for token in MarkdownIt("commonmark").parse(text):
        if token.type == "fence":
            tag = _tag(token.info)
            found += _fences(token.content) if tag in _MARKDOWN else [(tag, token.content)]
    return found


def _tag(info: str) -> str:
    match = _TAG.match(info)
    return match[1].lower() if match else ""
