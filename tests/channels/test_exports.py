"""Perturbed records for Inspect and the lm-evaluation-harness: what is in the files, what is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jinja2
import pytest
import yaml

from squtr.channels import read_channel
from squtr.channels.exports import write_inspect, write_lm_eval
from squtr.channels.records import through
from squtr.errors import UserError

CONTEXT, QUESTION = "Ann has 3 pears and eats one.", "How many pears are left?"
ITEM = {
    "id": "a",
    "context": CONTEXT,
    "question": QUESTION,
    "choices": ["one", "two"],
    "answer": 1,
    "topic": "x",
}
FREE = {"_id": "q1", "text": "how deeep?", "source_text": "how deep?", "answer": "11 km"}


def perturbed(spec: str, column: str = "question") -> dict[str, Any]:
    return through(read_channel(spec), ITEM, column, "en", 1, "a")


def lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_an_item_for_inspect(tmp_path: Path) -> None:
    assert write_inspect([perturbed("missed-space@1|option-permutation"), FREE], tmp_path / "d.jsonl") == 2
    item, free = lines(tmp_path / "d.jsonl")
    assert list(item) == ["id", "input", "choices", "target", "metadata"]
    assert item["input"] == f"{CONTEXT}\n\nHowmanypearsareleft?"
    assert (item["choices"], item["target"]) == (["two", "one"], "A")
    assert set(item["metadata"]) == {"context", "question", "topic", "source_text", "edits"}
    assert free == {
        "id": "q1",
        "input": "how deeep?",
        "target": "11 km",
        "metadata": {"source_text": "how deep?"},
    }


def test_a_context_that_the_text_holds_already_is_not_given_twice(tmp_path: Path) -> None:
    write_inspect([perturbed("context-swap|missed-space@1")], tmp_path / "d.jsonl")
    (item,) = lines(tmp_path / "d.jsonl")
    assert item["input"].startswith("Howmanypearsareleft?") and item["input"].count("pears") == 2


def test_a_query_without_id_and_answer(tmp_path: Path) -> None:
    write_inspect([{"text": "one"}, {"text": "two"}], tmp_path / "d.jsonl")
    assert [(row["id"], row["target"]) for row in lines(tmp_path / "d.jsonl")] == [("1", ""), ("2", "")]


def test_a_task_of_options_lists_them_by_letter(tmp_path: Path) -> None:
    assert write_lm_eval([perturbed("option-permutation")], tmp_path / "new" / "tasks", "pears") == 1
    (row,) = lines(tmp_path / "new" / "tasks" / "pears.jsonl")
    task = yaml.safe_load((tmp_path / "new" / "tasks" / "pears.yaml").read_text(encoding="utf-8"))
    assert (task["task"], task["dataset_path"], task["output_type"]) == ("pears", "json", "multiple_choice")
    assert task["dataset_kwargs"] == {"data_files": {"test": "pears.jsonl"}} and task["test_split"] == "test"
    asked = jinja2.Environment(autoescape=False).from_string(task["doc_to_text"]).render(row)
    assert asked == f"{CONTEXT}\n\n{QUESTION}\nA. two\nB. one\nAnswer:"
    assert row[task["doc_to_choice"]] == ["A", "B"] and row[task["doc_to_target"]] == 0


def test_a_task_of_free_answers(tmp_path: Path) -> None:
    write_lm_eval([FREE], tmp_path, "depth")
    task = yaml.safe_load((tmp_path / "depth.yaml").read_text(encoding="utf-8"))
    assert task["output_type"] == "generate_until" and task["doc_to_target"] == "target"
    assert lines(tmp_path / "depth.jsonl") == [{"id": "q1", "input": "how deeep?", "target": "11 km"}]


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ([], "no record to write"),
        ([FREE, FREE], "Record 2: the id 'q1' stands twice"),
        ([FREE, {"_id": "b"}], "Record 2: no text in the field 'text'"),
        ([{**FREE, "choices": ["a", "b"]}], "Record 1: answer is '11 km': no place"),
        ([{**FREE, "answer": None}], "1 of 1 records have no answer, the first 'q1'"),
        ([FREE, {**FREE, "_id": "b", "answer": "A", "choices": ["a", "b"]}], "1 of 2 records have options"),
    ],
)
def test_faults_leave_no_file(tmp_path: Path, rows: list[dict[str, Any]], message: str) -> None:
    with pytest.raises(UserError, match=message):
        write_lm_eval(rows, tmp_path / "tasks", "t")
    assert list(tmp_path.iterdir()) == []
