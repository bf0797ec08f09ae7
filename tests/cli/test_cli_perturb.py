"""squtr perturb: every record comes out, changed or not, with what was done."""

from __future__ import annotations

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from squtr.channels import Changed
from squtr.commands.perturb import run_perturb, show_perturb
from squtr.errors import ItemFailure, UserError
from tests.building import write_lines

QUERIES = [
    {"_id": "q1", "text": "how deep is the sea", "year": 1999},
    {"_id": "q2", "text": "12 345", "status": "failed", "reason": "an old one"},
    {"_id": "q3", "text": "who wrote hamlet"},
]


class Refuses:
    """Fails for texts about hamlet."""

    fingerprint = "refuses-1"
    languages = ()

    def change(self, text: str, language: str, rng: np.random.Generator) -> Changed:
        if "hamlet" in text:
            raise ItemFailure("no usable answer")
        return Changed(text)


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_records_keep_their_fields_and_tell_their_edits(tmp_path: Path, capsys) -> None:
    source, out = write_lines(tmp_path / "queries.jsonl", QUERIES), tmp_path / "out.jsonl"
    found = run_perturb(source, ["missed-space@1.0"], out)
    first, second, third = read(out)
    assert first["text"] == "howdeepisthesea" and first["source_text"] == "how deep is the sea"
    assert first["year"] == 1999 and [edit["start"] for edit in first["edits"]] == [3, 8, 11, 15]
    assert second == {**QUERIES[1], "source_text": "12 345", "edits": []}
    assert third["text"] == "whowrotehamlet"
    assert (found.records, found.changed, found.without_letters, found.failed) == (3, 2, 1, 0)
    assert found.edits == 6 and found.words == 8
    show_perturb(found, out, False)
    shown = capsys.readouterr().out
    assert "3 records through missed-space@1.0: 2 changed, 1 without a letter, passed through." in shown


def test_the_same_bytes_each_time_and_by_id_not_by_place(tmp_path: Path) -> None:
    rows = [{"_id": f"q{number}", "text": "how deep is the wide blue sea"} for number in range(20)]
    one, two = (
        write_lines(tmp_path / name, listed) for name, listed in (("a.jsonl", rows), ("b.jsonl", rows[::-1]))
    )
    for source in (one, two):
        run_perturb(source, ["missed-space@0.3"], source.with_suffix(".out.jsonl"))
    first, second = (read(source.with_suffix(".out.jsonl")) for source in (one, two))
    assert first == second[::-1] and len({row["text"] for row in first}) > 5
    again = tmp_path / "again.jsonl"
    run_perturb(one, ["missed-space@0.3"], again)
    assert again.read_bytes() == one.with_suffix(".out.jsonl").read_bytes()


def test_a_failed_record_is_kept_and_counted(tmp_path: Path, capsys) -> None:
    source, out = write_lines(tmp_path / "queries.jsonl", QUERIES), tmp_path / "out.jsonl"
    found = run_perturb(source, ["tests.cli.test_cli_perturb:Refuses"], out)
    assert read(out)[2] == {
        **QUERIES[2],
        "source_text": "who wrote hamlet",
        "edits": [],
        "status": "failed",
        "reason": "no usable answer",
    }
    assert (found.failed, found.reasons) == (1, {"no usable answer": 1})
    show_perturb(found, out, False)
    assert "1 failed, kept as they were" in capsys.readouterr().out


def test_a_csv_column_and_plain_lines(tmp_path: Path) -> None:
    (tmp_path / "in.csv").write_text("id,question\n1,how deep is the sea\n", encoding="utf-8")
    run_perturb(tmp_path / "in.csv", ["missed-space@1"], tmp_path / "out.csv", text_column="question")
    (row,) = csv.DictReader((tmp_path / "out.csv").open(encoding="utf-8", newline=""))
    assert (row["question"], row["text"]) == ("how deep is the sea", "howdeepisthesea")
    (tmp_path / "in.txt").write_text("how deep\n\nis the sea\n", encoding="utf-8")
    run_perturb(tmp_path / "in.txt", ["missed-space@1"], tmp_path / "out.txt")
    assert (tmp_path / "out.txt").read_text(encoding="utf-8") == "howdeep\n\nisthesea\n"


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"ops": ["missed-spice"]}, "Did you mean 'missed-space'?"),
        ({"ops": ["missed-space@2"]}, "from 0 to 1"),
        ({"language": "zh"}, "does not know the language 'zh'"),
        ({"language": "xx"}, "No language 'xx'"),
        ({"text_column": "txt"}, "queries.jsonl:1: no column 'txt'"),
        ({"out": "queries.jsonl"}, "is the input itself"),
        ({"out": "."}, "is a folder"),
        ({"form": "parquet"}, "--format 'parquet' is unknown"),
        ({"path": "nowhere.jsonl"}, "nowhere.jsonl"),
    ],
)
def test_bad_input_is_one_error_and_writes_nothing(tmp_path: Path, changes: dict, message: str) -> None:
    write_lines(tmp_path / "queries.jsonl", QUERIES)
    plain = {"path": "queries.jsonl", "ops": ["missed-space"], "out": "out.jsonl", **changes}
    plain |= {name: tmp_path / plain[name] for name in ("path", "out")}
    with pytest.raises(UserError) as caught:
        run_perturb(**plain)
    assert message in str(caught.value)
    assert [path.name for path in tmp_path.iterdir()] == ["queries.jsonl"]
