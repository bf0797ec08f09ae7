"""Submissions: the same bytes each time, only what belongs, and faults of the call told at once."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest

from squtr.errors import UserError
from squtr.eval.runs import read_run
from squtr.leaderboard.schema import schemas
from squtr.leaderboard.submit import identifier, submit
from squtr.leaderboard.validate import validate
from tests.building import command
from tests.leaderboard.making import OVERLAP, packed, refusals, write_system

ROOT = Path(__file__).resolve().parents[2]


def contents(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def test_the_same_bytes_each_time(evaluation: Path, submission: Path, tmp_path: Path) -> None:
    again = packed(evaluation, tmp_path / "again")
    assert contents(again) == contents(submission)


def test_holds_runs_transcripts_and_facts(evaluation: Path, submission: Path) -> None:
    spoken = ["clean", "snr_0", "snr_10"]
    runs = [f"runs/{key}/{one}.run.gz" for key in ("en/trial", "zh/trial") for one in [*spoken, "text"]]
    heard = [f"transcripts/{key}/{one}.jsonl.gz" for key in ("en/trial", "zh/trial") for one in spoken]
    assert sorted(contents(submission)) == sorted([*runs, *heard, "submission.json", "system.yaml"])
    for name in runs:
        source = evaluation / name.removesuffix(".run.gz") / "bm25.trec"
        assert read_run(submission / name) == read_run(source)
    source = evaluation / "transcripts/zh/trial/snr_10.jsonl"
    packed_rows = (submission / "transcripts/zh/trial/snr_10.jsonl.gz").read_bytes()
    assert gzip.decompress(packed_rows) == source.read_bytes()
    assert packed_rows[4:8] == bytes(4)


def test_states_what_the_evaluation_measured(evaluation: Path, submission: Path) -> None:
    facts = json.loads((submission / "submission.json").read_text())
    results = json.loads((evaluation / "results.json").read_text())
    assert facts["id"] == "tones-and-words"
    assert facts["depth"] == 100
    assert facts["environment"] == results["environment"]
    subset = facts["dataset"]["subsets"]["en/trial"]
    assert subset["qrels"] == results["dataset"]["subsets"]["en/trial"]["qrels"]
    for condition, cell in facts["scores"]["zh/trial"].items():
        measured = results["scores"]["zh/trial"]["bm25"][condition]
        assert cell["measures"] == {name: one["mean"] for name, one in measured["measures"].items()}
        assert len(cell["unanswered"]) == measured["no_response"]
    assert "--retriever 'bm25'" in facts["made"]["command"]


def test_text_alone_is_an_oracle(evaluation: Path, data: Path, tmp_path: Path) -> None:
    out = packed(evaluation, tmp_path / "text", name="Text", family="oracle-text", recogniser=None)
    facts = json.loads((out / "submission.json").read_text())
    assert {condition for cells in facts["scores"].values() for condition in cells} == {"text"}
    assert not (out / "transcripts").exists()
    verdict = validate(out, data)
    assert verdict.accepted, refusals(verdict)


@pytest.mark.parametrize(
    ("name", "changes", "said"),
    [
        (None, {}, "has 2 systems: bm25"),
        ("bm26", {}, "no such system in the evaluation. Did you mean 'bm25'?"),
        ("bm25", {"authors": []}, r"system.yaml:1: authors: must have at least 1 in its list"),
        ("bm25", {"recogniser": None}, "recogniser: a system of family cascade-bm25 hears"),
        (
            "bm25",
            {"family": "end-to-end", "recogniser": None},
            "searched what tests.doubles:ToneRecogniser heard",
        ),
        ("bm25", {"hardware": None}, "hardware is missing"),
    ],
)
def test_faults_of_the_call(
    name: str | None, changes: dict, said: str, evaluation: Path, tmp_path: Path
) -> None:
    system = write_system(tmp_path / "system.yaml", **changes)
    with pytest.raises(UserError, match=said):
        submit(evaluation, system, tmp_path / "out", name)
    assert not (tmp_path / "out").exists()


def test_what_is_no_evaluation_and_what_is_there_already(evaluation: Path, tmp_path: Path) -> None:
    system = write_system(tmp_path / "system.yaml")
    with pytest.raises(UserError, match="squtr eval makes one"):
        submit(tmp_path, system, tmp_path / "out", None)
    with pytest.raises(UserError, match="cannot be read"):
        submit(evaluation, tmp_path / "nowhere.yaml", tmp_path / "out", "bm25")
    with pytest.raises(UserError, match="is there already"):
        submit(evaluation, system, tmp_path, "bm25")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("Whisper base + BM25", "whisper-base-bm25"),
        ("Café  2.0", "cafe-2.0"),
        ("语音检索", "system-"),
        ("x" * 90, "system-"),
    ],
)
def test_ids_are_plain_file_names(name: str, expected: str) -> None:
    assert identifier(name).startswith(expected)
    assert identifier(name) == identifier(name)


def test_schema_files_are_those_of_the_models() -> None:
    for name, schema in schemas().items():
        assert json.loads((ROOT / "leaderboard" / name).read_text()) == json.loads(json.dumps(schema)), (
            f"{name}: write it again: python -c"
            " 'from squtr.leaderboard.schema import write_schemas; write_schemas()'"
        )


def test_the_commands_from_end_to_end(evaluation: Path, data: Path, tmp_path: Path) -> None:
    system = write_system(tmp_path / "system.yaml", family="cascade-sparse")
    call = (
        "leaderboard",
        "submit",
        evaluation,
        "--system",
        system,
        "--name",
        OVERLAP,
        "--out",
        tmp_path / "s",
    )
    done = command(*call)
    assert done.returncode == 0, done.stderr
    assert "tones-and-words, 8 runs of 2 subsets and their transcripts" in done.stdout
    kept = command("leaderboard", "dataset", data, "--out", tmp_path / "leaderboard" / "datasets")
    assert kept.returncode == 0, kept.stderr
    (tmp_path / "leaderboard" / "submissions").mkdir()
    board = ("--board", tmp_path / "leaderboard" / "submissions", "--summary", tmp_path / "summary.md")
    good = command("leaderboard", "validate", tmp_path / "s", *board, "--json")
    assert good.returncode == 0, good.stdout
    found = json.loads(good.stdout)
    assert found["accepted"] and [check["ok"] for check in found["checks"]] == [True] * 8
    assert (
        found["macro"]["en"]["text"]
        == found["scores"]["en/trial"]["text"]["measures"]["nDCG@10 (linear gain)"]
    )
    assert "| en/trial | clean |" in (tmp_path / "summary.md").read_text()
    (tmp_path / "s" / "more.txt").write_text("more")
    bad = command("leaderboard", "validate", tmp_path / "s", *board)
    assert bad.returncode == 1
    assert "REFUSED: files" in bad.stdout and "'more.txt': does not belong" in bad.stdout
    assert command("leaderboard", "validate", tmp_path / "nothing", *board).returncode == 2
