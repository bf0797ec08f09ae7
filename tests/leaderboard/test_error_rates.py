"""Error rates on the board: an evaluation's own, from the transcripts that were packed and nothing else."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from squtr.digest import digest_file
from squtr.errors import UserError
from squtr.leaderboard.kept_data import DATA_FILE, keep_data
from squtr.leaderboard.lines import write_lines
from squtr.leaderboard.validate import validate
from tests.building import command
from tests.leaderboard.boards import MISHEARD, SPOKEN, rendered, write_data, write_submission
from tests.leaderboard.making import HEARD, RUN, lines, refusals, seal, spoiled, write

KEY = "en/trial"
QUERIES = {"en/nq": [f"q{number}" for number in range(8)]}


def edited(edit: Callable[[list[dict[str, Any]]], object]) -> Callable[[Path], None]:
    def spoil(folder: Path) -> None:
        rows = [json.loads(line) for line in lines(folder / HEARD)]
        edit(rows)
        write(folder / HEARD, "".join(json.dumps(row) + "\n" for row in rows))
        seal(folder)

    return spoil


def test_rates_are_those_of_the_evaluation(evaluation: Path, data: Path, submission: Path) -> None:
    told = json.loads((evaluation / "results.json").read_text())["recognition"]
    found = validate(submission, data).recognition
    assert found.keys() == told.keys() == {"en/trial", "zh/trial"}
    for key, conditions in told.items():
        for condition, cell in conditions.items():
            wanted = {"name": cell["name"], **cell["clean"]} | {
                one: cell[one] for one in ("ok", "empty", "failed")
            }
            assert found[key][condition] == wanted


def test_what_the_board_keeps_gives_the_same(data: Path, submission: Path, tmp_path: Path) -> None:
    kept = keep_data(data, tmp_path)
    assert validate(submission, kept).recognition == validate(submission, data).recognition
    without = json.loads((kept / DATA_FILE).read_text())
    for subset in without["subsets"].values():
        subset["files"].pop("texts")
    (kept / DATA_FILE).write_text(json.dumps(without))
    verdict = validate(submission, kept)
    assert verdict.accepted and verdict.recognition == {}


def test_another_text_is_refused(data: Path, submission: Path, tmp_path: Path) -> None:
    spoil = edited(lambda rows: rows[0].update(text=rows[0]["asr_text"] + " indeed"))
    found = refusals(validate(spoiled(submission, tmp_path / "s", spoil), data))
    assert found["transcripts"] == [
        f"{HEARD}:1: query 'q1': `text` is not what was spoken. Pack it again, and edit nothing."
    ]


@pytest.mark.parametrize("change", [{"text": None}, {"text": 1}])
def test_without_the_text_it_is_refused(
    data: Path, submission: Path, tmp_path: Path, change: dict[str, Any]
) -> None:
    verdict = validate(spoiled(submission, tmp_path / "s", edited(lambda rows: rows[0].update(change))), data)
    assert "query 'q1': `text` is not what was spoken" in refusals(verdict)["transcripts"][0]


def test_a_failure_counts_as_all_left_out(data: Path, submission: Path, tmp_path: Path) -> None:
    def fail(rows: list[dict[str, Any]]) -> None:
        answered = {line.split()[0] for line in lines(submission / RUN)}
        silent = next(row for row in rows if row["_id"] not in answered)
        silent.update(status="failed", asr_text=None)

    before = validate(submission, data).recognition[KEY]["snr_0"]
    verdict = validate(spoiled(submission, tmp_path / "s", edited(fail)), data)
    rated = verdict.recognition[KEY]["snr_0"]
    assert verdict.accepted and rated["failed"] == 1
    assert rated["reference_length"] == before["reference_length"]
    assert rated["deletions"] > before["deletions"] and rated["rate"] >= before["rate"]


@pytest.mark.parametrize(("status", "text"), [("ok", " "), ("ok", ""), ("empty", "words")])
def test_status_and_text_agree(data: Path, submission: Path, tmp_path: Path, status: str, text: str) -> None:
    spoil = edited(lambda rows: rows[0].update(status=status, asr_text=text))
    found = refusals(validate(spoiled(submission, tmp_path / "s", spoil), data))
    assert f"status is '{status}', but asr_text is" in found["transcripts"][0]


def test_damaged_texts_are_one_clear_error(data: Path, submission: Path, tmp_path: Path) -> None:
    kept = keep_data(data, tmp_path)
    write_lines(kept / "en/trial.texts.gz", ["text q1"])
    facts = json.loads((kept / DATA_FILE).read_text())
    facts["subsets"][KEY]["files"]["texts"] = digest_file(kept / "en/trial.texts.gz")
    (kept / DATA_FILE).write_text(json.dumps(facts))
    with pytest.raises(UserError, match="2 columns where three must be"):
        validate(submission, kept)


def test_on_the_pages_and_in_the_tables(tmp_path: Path) -> None:
    write_data(tmp_path, QUERIES)
    places = {"en/nq": {"text": [1] * 8, "clean": [1] * 8, "snr_20": [1] * 6 + [2] * 2, "snr_0": [2] * 8}}
    heard: dict[str, Any] = {"family": "cascade-dense", "recogniser": {"name": "ears"}}
    write_submission(tmp_path, "Hears", QUERIES, places, **heard)
    write_submission(tmp_path, "Embeds", QUERIES, places, family="end-to-end")
    rendered(tmp_path)
    site = tmp_path / "site"
    table = list(csv.DictReader((site / "tables/recognition/hears.csv").open()))
    assert {row["condition"]: float(row["rate"]) for row in table} == {
        "clean": 0.0, "snr_20": 0.125, "snr_0": 0.5
    }  # fmt: skip
    assert {row["reference_length"] for row in table} == {str(8 * len(SPOKEN.split()))}
    assert [row["deletions"] for row in table if row["condition"] == "snr_0"] == ["8"]
    assert len(MISHEARD.split()) == 3
    page = (site / "systems/hears.html").read_text(encoding="utf-8")
    assert page.count(">WER</th>") == 2 and page.count("12.5\u202f%</td>") == 2
    assert not (site / "tables/recognition/embeds.csv").exists()
    other = (site / "systems/embeds.html").read_text(encoding="utf-8")
    assert ">WER</th>" not in other and "recognition.csv" not in other


def test_validate_prints_them(data: Path, submission: Path) -> None:
    done = command("leaderboard", "validate", submission, "--data", data)
    assert re.search(r"en/trial\n.*\n.* WER ", done.stdout)
    assert re.search(r"zh/trial\n.*\n.* CER ", done.stdout)
