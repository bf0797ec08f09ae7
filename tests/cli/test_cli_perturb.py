"""squtr perturb: every record comes out, changed or not, with what was done."""

from __future__ import annotations

import csv
import gzip
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


class Unreachable(Refuses):
    def change(self, text: str, language: str, rng: np.random.Generator) -> Changed:
        raise ItemFailure(f"127.0.0.1:9 m: no answer to {text}")


def read(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def test_records_keep_their_fields_and_tell_their_edits(tmp_path: Path, capsys) -> None:
    source, out = write_lines(tmp_path / "queries.jsonl", QUERIES), tmp_path / "out.jsonl"
    found = run_perturb(source, ["missed-space@1.0"], out)
    first, second, third = read(out)
    assert first["text"] == "howdeepisthesea" and first["source_text"] == "how deep is the sea"
    assert first["year"] == 1999 and [edit["start"] for edit in first["edits"]] == [3, 8, 11, 15]
    told = {"status": "not applicable", "reason": "missed-space@1.0 finds nothing to change in it"}
    assert second == {**QUERIES[1], **told, "source_text": "12 345", "edits": []}
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


def test_what_an_operator_needs_is_told_before_any_record(tmp_path: Path) -> None:
    source, out = write_lines(tmp_path / "queries.jsonl", QUERIES), tmp_path / "out.jsonl"
    for ops, language, said in (
        (["tests.eval.channel_doubles:NoGerman"], "de", "German needs a package"),
        (["tests.eval.channel_doubles:Unready"], "en", "the model is missing"),
        (["typos@0.1,rate=0.2"], "en", "has its rate twice"),
    ):
        with pytest.raises(UserError, match=said):
            run_perturb(source, ops, out, language=language)
    assert not out.exists()


@pytest.mark.parametrize("language", ["de", "fr", "es"])
def test_languages_without_fillers_are_typed_and_measured(tmp_path: Path, language: str) -> None:
    rows = [{"_id": "q1", "text": "qui vola alto molto sopra"}]
    source, out = write_lines(tmp_path / "queries.jsonl", rows), tmp_path / "out.jsonl"
    found = run_perturb(source, ["typos@0.2"], out, language=language)
    assert found.words == 5 and found.typo_rate.value == found.edits / 21


def test_half_a_surrogate_pair_passes_and_only_jsonl_holds_it(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl"
    source.write_text('{"_id": "1", "text": "a \\ud83d b sea"}\n', encoding="utf-8")
    for op in ("disfluent@1.0", "typos@0.5", "clean+fillers@1.0"):
        run_perturb(source, [op], tmp_path / "out.jsonl")
        assert "\ud83d" in read(tmp_path / "out.jsonl")[0]["text"]
    with pytest.raises(UserError, match="half of a surrogate pair"):
        run_perturb(source, ["typos"], tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


def test_packed_records_are_read_and_written_as_records(tmp_path: Path) -> None:
    source = tmp_path / "in.jsonl.gz"
    source.write_bytes(gzip.compress(b'{"_id": "1", "text": "how deep is it"}\n'))
    run_perturb(source, ["missed-space@1.0"], tmp_path / "out.jsonl.gz")
    (row,) = map(json.loads, gzip.decompress((tmp_path / "out.jsonl.gz").read_bytes()).splitlines())
    assert (row["_id"], row["text"]) == ("1", "howdeepisit")


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("out.parquet", "not handled"),
        ("out.csv.gz", "only JSONL is written packed"),
        ("out.xlsx", "not handled"),
    ],
)
def test_forms_that_cannot_be_written_are_told_before_any_work(tmp_path: Path, name: str, said: str) -> None:
    source = write_lines(tmp_path / "queries.jsonl", QUERIES)
    with pytest.raises(UserError, match=said):
        run_perturb(source, ["tests.eval.channel_doubles:NoGerman"], tmp_path / name)


def test_a_text_too_long_to_compare_is_refused_with_its_place(tmp_path: Path) -> None:
    source = tmp_path / "in.txt"
    source.write_text("short\n" + "word " * 10_001 + "\n", encoding="utf-8")
    with pytest.raises(UserError, match=r"in\.txt:2: text has 50,005 characters; 50,000 are the most"):
        run_perturb(source, ["typos"], tmp_path / "out.txt")


def test_a_folder_is_made_for_the_output(tmp_path: Path) -> None:
    source = write_lines(tmp_path / "queries.jsonl", QUERIES)
    run_perturb(source, ["typos"], tmp_path / "new" / "out.jsonl")
    assert len(read(tmp_path / "new" / "out.jsonl")) == 3


def test_whole_reasons_are_printed_and_few_of_many(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [{"_id": str(number), "text": f"asks {number} times"} for number in range(7)]
    out = tmp_path / "out.jsonl"
    found = run_perturb(write_lines(tmp_path / "in.jsonl", rows), [f"{__name__}:Unreachable"], out)
    assert len(found.reasons) == 7
    show_perturb(found, out, False)
    shown = capsys.readouterr().out
    assert "1 x 127.0.0.1:9 m: no answer to asks 0 times" in shown
    assert "asks 5 times" not in shown and "and 2 other reasons" in shown
