"""Every rule operator: edits that rebuild, what is never touched, chance, rates, languages, the documents."""

from __future__ import annotations

import hashlib
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from squtr import plugins
from squtr.channels import Passed, read_channel
from squtr.channels.words import protected_spans

ROOT = Path(__file__).resolve().parents[2]
TYPED = ("random-replace", "keyboard-neighbor", "key-swap", "repeated-key", "connected-key", "missed-space")
RATED = (*TYPED, "typos", "clean+fillers", "clean+homophone", "clean-func-words")
UNRATED = ("clean+numwords", "clean-case/punct", "spoken-filler-stripped")
EVERY = (*RATED, *UNRATED)
NOT_CHINESE = ("connected-key", "missed-space")
RATES = (0.0, 0.02, 0.05, 0.1, 0.2, 0.4, 0.7, 1.0)

words_and_marks = st.lists(
    st.sampled_from(
        "the The a I Um, um uh, like, you know which witch Sea sea, sea in. (of) don't U.S. well-known"
        " “Hello” 5 2.5% bob@a.org https://a.b/C?d=1 `x + y` B2B snake_case run() -5 1999, — - ... !"
        " über the the- I- 北京 的，那个， 三十 嗯， é \n".split(" ")
    ),
    max_size=14,
).map(" ".join)
texts = st.one_of(
    words_and_marks, words_and_marks.map(lambda text: text.replace(" ", "")), st.text(max_size=40)
)


def languages_of(operator: str) -> list[str]:
    return [code for code in ("en", "zh", "de") if code != "zh" or operator not in NOT_CHINESE]


def send(operator: str, text: str, language: str = "en", rate: float | None = None, seed: int = 1) -> Passed:
    spec = operator if rate is None or operator in UNRATED else f"{operator}@{rate}"
    return read_channel(spec).apply(text, language, seed, "q1")


@pytest.mark.parametrize("operator", EVERY)
@given(text=texts, rate=st.sampled_from(RATES))
@settings(max_examples=60, deadline=None)
def test_edits_rebuild_the_text_and_leave_alone_what_is_protected(
    operator: str, text: str, rate: float
) -> None:
    for language in languages_of(operator):
        passed = send(operator, text, language, rate)
        parts, at = [], 0
        for edit in passed.edits:
            assert text[edit["start"] : edit["end"]] == edit["before"] != edit["after"]
            parts += [text[at : edit["start"]], edit["after"]]
            at = edit["end"]
        assert "".join([*parts, text[at:]]) == passed.text
        if operator != "clean+numwords":
            for start, end in protected_spans(text):
                assert not any(edit["start"] < end and start < edit["end"] for edit in passed.edits)


@pytest.mark.parametrize("operator", RATED)
@given(text=texts)
@settings(max_examples=40, deadline=None)
def test_a_higher_rate_keeps_the_earlier_edits_and_a_rate_of_nothing_changes_nothing(
    operator: str, text: str
) -> None:
    for language in languages_of(operator):
        kept: set[tuple[int, int, str]] = set()
        for rate in RATES:
            passed = send(operator, text, language, rate)
            now = {(edit["start"], edit["end"], edit["after"]) for edit in passed.edits}
            if rate == 0:
                assert passed.text == text and not now
            if operator != "clean-func-words":
                assert kept <= now
            kept = now


def test_dropped_words_stay_dropped_at_a_higher_rate() -> None:
    text, gone = "in the sea of the islands at the edge of the world", 0
    for rate in RATES:
        left = send("clean-func-words", text, rate=rate).text.lower().split()
        assert len(text.split()) - len(left) >= gone
        gone = len(text.split()) - len(left)
    assert left == ["sea", "islands", "edge", "world"]


@pytest.mark.parametrize("operator", EVERY)
@pytest.mark.parametrize("text", ["", " ", "?!", "... — ()", "😀", "\n\t"])
def test_a_text_without_letters_passes_unchanged(operator: str, text: str) -> None:
    for language in languages_of(operator):
        assert send(operator, text, language, 1.0).text == text


@pytest.mark.parametrize("operator", [name for name in EVERY if name != "clean+numwords"])
def test_numbers_alone_pass_unchanged(operator: str) -> None:
    assert send(operator, "12, 3.5% 1999", rate=1.0).text == "12, 3.5% 1999"


@pytest.mark.parametrize("operator", EVERY)
def test_a_language_without_the_operator_is_named_and_a_fingerprint_follows_the_rate(operator: str) -> None:
    if operator in NOT_CHINESE:
        assert "zh" not in plugins.load("channel", operator).languages
    prints = {
        plugins.load("channel", operator, **options).fingerprint
        for options in ([{}] if operator in UNRATED else [{"rate": 0.1}, {"rate": 0.2}, {"rate": 0.2}])
    }
    assert len(prints) == (1 if operator in UNRATED else 2) and all(prints)


_DIGEST = """
import hashlib, json, sys
from tests.channels.test_rule_operators import EVERY, languages_of, send
from tests.channels.test_rule_operators import SAMPLE
pairs = [(one, code) for one in EVERY for code in SAMPLE if code in languages_of(one)]
said = [send(one, SAMPLE[code], code, 0.3).text for one, code in pairs]
print(hashlib.sha256(json.dumps(said).encode()).hexdigest())
"""
SAMPLE = {
    "en": "Which sea near the islands of Greece is deeper than 2.5 km, and who measured its depth there?",
    "zh": "北京的人口是多少，那个，医生在1999年在哪里？",
}


def test_another_process_with_another_hash_seed_makes_the_same_texts() -> None:
    said = [
        send(one, text, code, 0.3).text
        for one in EVERY
        for code, text in SAMPLE.items()
        if code in languages_of(one)
    ]
    run = subprocess.run(
        [sys.executable, "-c", _DIGEST],
        env={**os.environ, "PYTHONHASHSEED": "7", "PYTHONPATH": str(ROOT)},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    assert run.stdout.strip() == hashlib.sha256(json.dumps(said).encode()).hexdigest()


def documented() -> list[tuple[str, ...]]:
    text = (ROOT / "docs" / "channels.md").read_text(encoding="utf-8")
    return re.findall(r"^\| `(.+?)` \| (\w\w) \| (.+?) \| (.+) \|$", text, flags=re.MULTILINE)


def test_the_documents_show_every_operator_as_it_is() -> None:
    rows = [row for row in documented() if any(name in row[0] for name in EVERY)]
    for spec, language, before, after in rows:
        assert read_channel(spec).apply(before, language, 1, "example").text == after, spec
    assert all(any(name in spec for spec, *_ in rows) for name in EVERY)


@pytest.mark.parametrize("operator", EVERY)
def test_the_example_in_the_code_is_true(operator: str) -> None:
    told = " ".join((plugins.resolve("channel", operator).__doc__ or "").split())
    examples = re.findall(
        r'(?:at(?: a rate of)? ([\d.]+) )?"([^"]+)" becomes "([^"]+)"', told, flags=re.IGNORECASE
    )
    assert examples
    for rate, before, after in examples:
        spec = f"{operator}@{rate}" if rate else operator
        assert read_channel(spec).apply(before, "en", 1, "example").text == after
