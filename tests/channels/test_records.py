"""Operators on records: the question before its context, options in another order; whole channels."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr.channels import read_channel
from squtr.channels.records import answers_of, through
from squtr.errors import UserError

CONTEXT, QUESTION = "Ann has 3 pears and eats one.", "How many pears are left?"
ITEM = {"id": "a", "context": CONTEXT, "question": QUESTION, "choices": ["1", "2", "3", "4"], "answer": 1}


def passed(spec: str, record: dict[str, Any], column: str = "question", seed: int = 1) -> dict[str, Any]:
    return through(read_channel(spec), record, column, "en", seed, str(record.get("id", "a")))


def rebuilt(value: Any, edits: list[dict[str, Any]]) -> Any:
    for edit in reversed(edits):
        assert value[edit["start"] : edit["end"]] in (edit["before"], [edit["before"]])
        after = edit["after"] if isinstance(value, str) else [edit["after"]]
        value = value[: edit["start"]] + after + value[edit["end"] :]
    return value


def test_context_and_question_change_places_where_they_stand_in_the_text() -> None:
    text = f"Read this. {CONTEXT} Now: {QUESTION} Answer briefly."
    found = passed("control:context-swap", {**ITEM, "text": text}, "text")
    assert found["text"] == f"Read this. {QUESTION} Now: {CONTEXT} Answer briefly."
    assert found["source_text"] == text and rebuilt(text, found["edits"]) == found["text"]
    assert (found["context"], found["question"]) == (CONTEXT, QUESTION)


def test_a_question_alone_is_taken_with_its_context_before_it() -> None:
    found = passed("context-swap", ITEM)
    assert found["source_text"] == f"{CONTEXT}\n\n{QUESTION}"
    assert found["text"] == f"{QUESTION}\n\n{CONTEXT}"
    assert rebuilt(found["source_text"], found["edits"]) == found["text"]


def test_a_question_that_stood_first_goes_last_and_a_repeated_one_moves_once() -> None:
    record = {"context": "It is 5.", "question": "Is it?", "text": "Is it? It is 5."}
    assert passed("context-swap", record, "text")["text"] == "It is 5. Is it?"
    record["text"] = "It is 5. Is it? Is it?"
    assert passed("context-swap", record, "text")["text"] == "Is it? It is 5. Is it?"


def test_records_and_texts_in_one_channel_in_order() -> None:
    first = passed("missed-space@1|context-swap", ITEM)
    assert first["text"] == f"Howmanypearsareleft?\n\n{CONTEXT}"
    assert first["source_text"] == f"{CONTEXT}\n\n{QUESTION}"
    last = passed("context-swap|missed-space@1|option-permutation", ITEM)
    assert last["text"].startswith("Howmany") and last["text"] != first["text"]
    assert [edit["operator"] for edit in last["edits"]][:2] == ["context-swap"] * 2
    assert last["choices"] != ITEM["choices"] == ["1", "2", "3", "4"]


def test_a_channel_on_records_makes_the_same_texts_as_on_texts() -> None:
    spec = "keyboard-neighbor@0.4|key-swap@0.4"
    alone = read_channel(spec).apply(QUESTION, "en", 3, "a")
    found = passed(spec, ITEM, seed=3)
    assert (found["text"], found["source_text"]) == (alone.text, QUESTION) and found["edits"] == alone.edits
    assert {**found, **ITEM} == found


def test_a_context_that_was_changed_before_is_told() -> None:
    record = {**ITEM, "text": f"{CONTEXT} {QUESTION}"}
    with pytest.raises(UserError, match="no longer finds the context and the question: put it first"):
        passed("missed-space@1|context-swap", record, "text")


@given(st.lists(st.text(max_size=3), min_size=2, max_size=6), st.integers(0, 50), st.data())
def test_options_move_and_the_answer_along(options: list[str], seed: int, data: st.DataObject) -> None:
    place = data.draw(st.integers(0, len(options) - 1))
    record = {"id": "a", "question": "?", "options": options, "answer_index": place}
    found = passed("option-permutation", record, seed=seed)
    assert Counter(found["options"]) == Counter(options)
    assert found["options"][found["answer_index"]] == options[place]
    assert (found["options"] != options) == (len(set(options)) > 1)
    moved = [edit for edit in found["edits"] if edit["field"] == "options"]
    assert rebuilt(options, moved) == found["options"]


def test_place_letter_and_text_of_the_answer_move_together() -> None:
    record = {"question": "?", "choices": ["Rome", "Oslo", "Bern"], "answer": "B", "answer_index": 1}
    found = passed("option-permutation", {**record, "target": "Oslo"})
    place = found["choices"].index("Oslo")
    assert (found["answer"], found["answer_index"], found["target"]) == ("ABC"[place], place, "Oslo")


def test_all_other_orders_come_equally_often() -> None:
    operator = read_channel("option-permutation").operators[0][1]
    counts = Counter(
        "".join(operator.change_record({"choices": list("xyz"), "answer": 0}, "en", rng)[0]["choices"])
        for rng in [np.random.default_rng(1)]
        for _ in range(2000)
    )
    assert set(counts) == {"xzy", "yxz", "yzx", "zxy", "zyx"} and min(counts.values()) > 340


def test_one_option_stays() -> None:
    found = passed("option-permutation", {"question": "?", "choices": ["yes"], "answer": "A"})
    assert found["choices"] == ["yes"] and found["answer"] == "A" and found["edits"] == []


@pytest.mark.parametrize(
    ("spec", "change", "message"),
    [
        ("context-swap", {"context": None}, "no text in the field 'context'; context-swap needs the fields"),
        ("context-swap", {"question": " "}, "no text in the field 'question'"),
        ("option-permutation", {"choices": None}, "choices is no list of texts"),
        ("option-permutation", {"choices": "1234"}, "choices is no list of texts"),
        ("option-permutation", {"choices": [1, 2]}, "choices is no list of texts"),
        ("option-permutation", {"choices": []}, "choices has 0 options"),
        (
            "option-permutation",
            {"answer": None},
            "no field answer or answer_index or .* with the right option",
        ),
        ("option-permutation", {"answer": 4}, "answer is 4: no place from 0 to 3, no letter and no option"),
        ("option-permutation", {"answer": True}, "answer is True: no place"),
        ("option-permutation", {"answer": "E"}, "answer is 'E'"),
        ("option-permutation", {"target": "A"}, "answer and target name different options"),
        (
            "option-permutation",
            {"choices": ["B", "A"], "answer": "B"},
            "a letter and an option too. Give the option's place",
        ),
    ],
)
def test_a_record_that_lacks_a_field(spec: str, change: dict[str, Any], message: str) -> None:
    with pytest.raises(UserError, match=message):
        passed(spec, {**ITEM, "text": "what is it?", **change}, "text")


def test_a_record_without_the_fields_at_all() -> None:
    with pytest.raises(UserError, match="no field choices or options"):
        passed("option-permutation", {"text": "?"}, "text")
    with pytest.raises(UserError, match="no text in the field 'question'"):
        passed("keyboard-neighbor", {"text": "?"})


@pytest.mark.parametrize("spec", ["context-swap", "option-permutation"])
def test_a_text_alone_is_refused(spec: str) -> None:
    with pytest.raises(UserError, match=f"{spec} changes records with .*; a text alone has none"):
        read_channel(spec).apply("a text", "en", 1, "q1")


def test_an_option_that_is_its_own_letter() -> None:
    assert answers_of({"answer": "B"}, ["A", "B", "C"]) == {"answer": 1}
