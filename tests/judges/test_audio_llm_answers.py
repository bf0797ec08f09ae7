"""The answer of an audio LLM: exactly one strict JSON object counts, everything else is asked for again."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr.content import content
from squtr.errors import UserError
from squtr.judges.verdict import Verdict, read_answer, read_verdict, response_format
from squtr.remote import BrokenAnswer, Reply
from tests.loopback import completion, verdict


def test_a_plain_answer():
    faults = [{"kind": "cut off", "detail": "of peru"}, {"kind": "left out", "detail": "is"}]
    said, has_text_around = read_verdict(verdict(2, faults=faults))
    assert (said.score, has_text_around) == (2.0, False)
    assert said.reasons() == ("cut off: of peru", "left out: is", "signal: clean", "heard: so it is")


@pytest.mark.parametrize("around", ["```json\n{}\n```", "Here it is:\n{}", "{}\nI hope so.", "\n\n {} \n"])
def test_text_around_one_object_is_passed_over_and_said(around):
    said, has_text_around = read_verdict(around.replace("{}", verdict(4.5)))
    assert said.score == 4.5
    assert has_text_around == bool(around.replace("{}", "").strip())


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I would give it 4.5.",
        "[4.5]",
        verdict()[:-1],
        verdict()[1:],
        verdict() + verdict(1),
        verdict() + "\nor, on reflection,\n" + verdict(1),
        "I use {braces}. " + verdict(),
        '{"score": 5}',
        '{"outer": ' + verdict() + "}",
        verdict().replace('"score": 4.5', '"score": NaN'),
        verdict().replace('"score": 4.5', '"score": Infinity'),
        verdict().replace('"score": 4.5', '"score": 4.5, "score": 1'),
        verdict().replace("so it is", "\\ud800"),
        "{" * 5000,
        '{"a":' * 3000,
        verdict(heard="x" * 5000),
        verdict() + " " * 30_000,
    ],
)
def test_everything_else_is_broken(text):
    with pytest.raises(BrokenAnswer):
        read_verdict(text)


@pytest.mark.parametrize("score", [0.99, 5.01, -1, 0, 6, 100, "4.5", None, True, [4], {"value": 4}])
def test_scores_out_of_range_or_of_another_type(score):
    with pytest.raises(BrokenAnswer, match="score"):
        read_verdict(verdict(score))


@given(st.floats(1, 5) | st.integers(1, 5))
def test_scores_within_range(score):
    assert read_verdict(verdict(score))[0].score == score


@given(st.floats(allow_nan=False).filter(lambda score: not 1 <= score <= 5))
def test_no_score_outside_gets_through(score):
    with pytest.raises(BrokenAnswer):
        read_verdict(verdict(score))


@pytest.mark.parametrize(
    "changes",
    [
        {"faults": None},
        {"faults": "none"},
        {"faults": [{"kind": "too fast", "detail": "x"}]},
        {"faults": [{"kind": "invented"}]},
        {"faults": [{"kind": "invented", "detail": "x", "at": 3}]},
        {"faults": [{"kind": "invented", "detail": "x"}] * 21},
        {"heard": None},
        {"heard": 7},
        {"signal": ["clean"]},
        {"extra": "thoughts"},
    ],
)
def test_the_schema_is_strict(changes):
    with pytest.raises(BrokenAnswer, match="does not fit"):
        read_verdict(verdict(**changes))


@pytest.mark.parametrize("name", ["heard", "comparison", "faults", "signal", "score"])
def test_every_field_is_needed(name):
    plain = json.loads(verdict())
    del plain[name]
    with pytest.raises(BrokenAnswer, match=f"{name}: Field required"):
        read_verdict(json.dumps(plain))


def answer(body: bytes) -> tuple[Verdict, bool]:
    return read_answer(Reply(200, {"content-type": "application/json"}, body))


def test_a_chat_completion():
    assert answer(completion(verdict(3)))[0].score == 3


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"{",
        b"<html>busy</html>",
        b"null",
        b"[]",
        b'{"choices": []}',
        b'{"choices": [{}]}',
        b'{"choices": [{"message": null}]}',
        b'{"choices": [{"message": "4.5"}]}',
        b'{"choices": {"0": 1}}',
        b"[" * 100_000,
        completion(None),
        completion(""),
        completion([{"type": "text", "text": verdict()}]),
    ],
)
def test_what_is_no_chat_completion(body):
    with pytest.raises(BrokenAnswer):
        answer(body)


def test_a_refusal_is_quoted():
    with pytest.raises(BrokenAnswer, match="I cannot listen"):
        answer(completion(None, refusal="I cannot listen to this"))


def test_the_instructions_ask_for_what_the_schema_takes():
    """The example at the end of the built-in instructions is a valid answer, its keys in order."""
    text = content("data_build", "judges", "forensic.md").read_text(encoding="utf-8")
    example = next(line for line in text.splitlines() if line.startswith("{"))
    said, has_text_around = read_verdict(example)
    assert not has_text_around
    assert list(json.loads(example)) == list(Verdict.model_fields)
    assert said.faults[0].kind == "cut off"
    steps = [text.find(step) for step in ("Listen first", "Compare", "fatal faults", "the signal", "Score")]
    assert -1 not in steps
    assert steps == sorted(steps)


def test_response_formats():
    assert response_format("text") is None
    assert response_format("json_object") == {"type": "json_object"}
    wanted = response_format("json_schema")
    assert wanted is not None
    assert set(wanted["json_schema"]["schema"]["required"]) == set(Verdict.model_fields)
    with pytest.raises(UserError, match="format is 'xml'"):
        response_format("xml")
