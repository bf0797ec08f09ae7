"""The data set card says what was asked for and what was realised, whatever the recipe."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from squtr.data_build.verify import verify
from tests.building import ENGLISH, JUDGE, RECOGNISER, VOICE, build, manifest, write_both, write_trial

MILD = "tests.doubles:WordJudge,word=tree,low=3.5"


def card(recipe: Path, out: Path) -> str:
    build(recipe, out)
    assert verify(out).faults == []
    return (out / "README.md").read_text(encoding="utf-8")


def table(text: str, first: str) -> list[list[str]]:
    """Return the rows of the table whose head begins with `first`."""
    lines = text.split(f"\n| {first} |")[1].split("\n\n")[0].splitlines()[2:]
    return [[cell.strip(" `") for cell in line.strip("|").split("|")] for line in lines]


def test_voices_recognisers_and_judges_with_their_thresholds(tmp_path):
    other = f"{RECOGNISER},version=2"
    recipe = write_both(
        tmp_path,
        choose={"recogniser": {"en": RECOGNISER, "zh": other}},
        screen={
            "recogniser": RECOGNISER,
            "max_error_rate": 0.25,
            "judges": [{"judge": MILD, "min_score": 3}, {"judge": JUDGE, "min_score": 2.5, "name": "clumsy"}],
            "consensus": "mean",
        },
    )
    text = card(recipe, tmp_path / "out")
    assert table(text, "language") == [
        ["en", VOICE, RECOGNISER, RECOGNISER, "4", "0", "0.0 % WER"],
        ["zh", VOICE, other, RECOGNISER, "2", "0", "0.0 % CER"],
    ]
    assert table(text, "judge") == [[MILD, "3", "4.75", "3.50"], ["clumsy", "2.5", "5.00", "5.00"]]
    assert "in 2 takes; the one with the lowest error rate was kept." in text
    assert "above an error rate of 25 %" in text
    assert "The mean of the judges' scores had to reach the mean of their lowest scores." in text


def test_the_front_matter_is_text_where_yaml_reads_something_else(tmp_path):
    text = card(write_trial(tmp_path, {"q1": "who wrote hamlet"}, name="1e5"), tmp_path / "out")
    front = yaml.safe_load(text.split("---\n")[1])
    assert (front["pretty_name"], front["language"]) == ("1e5", ["en"])


def test_one_take_is_no_choice_and_rejections_are_counted(tmp_path):
    queries = {**ENGLISH, "q5": "who is clumsy"}
    text = card(write_trial(tmp_path, queries, speak={"voice": VOICE, "takes": 1}), tmp_path / "out")
    assert "Each query was spoken in 1 take.\n" in text
    assert "1 takes" not in text
    assert "best" not in text
    assert table(text, "language") == [["en", VOICE, RECOGNISER, "4", "1", "0.0 % WER"]]
    assert "| rejected queries | 1 (judge: 1) |" in text
    assert "The judge had to pass it." in text


@pytest.mark.parametrize(
    ("mix", "told", "not_told"),
    [
        (
            {"snrs_db": [5]},
            ["y = g (x + a d)", "Noise categories: car, fan, rain."],
            ["line", "bursts", "room"],
        ),
        ({"snrs_db": []}, ["Nothing was mixed in."], ["y = g", "Noise", "noise is synthetic"]),
        (
            {"snrs_db": [], "conditions": [{"name": "phone", "snr_db": 20, "telephone": {"law": "a"}}]},
            ["the SNR asked for holds before the line", "`line_snr_db`"],
            ["bursts", "room"],
        ),
        (
            {"snrs_db": [], "conditions": [{"name": "both", "snr_db": 5, "second_noise": {}, "bursts": {}}]},
            ["in its bursts, with the second noise"],
            ["the line", "In a room"],
        ),
    ],
)
def test_the_formula_is_that_of_the_conditions(tmp_path, mix: dict[str, Any], told, not_told):
    text = card(write_trial(tmp_path, mix=mix), tmp_path / "out")
    assert all(words in text for words in told)
    assert not [words for words in not_told if words in text.partition("## Subsets")[0]]


def test_conditions_with_what_was_realised(tmp_path):
    conditions = [
        {"name": "phone", "snr_db": 20, "telephone": {}},
        {"name": "bursts", "snr_db": -2.5, "bursts": {"duty": 0.4}, "second_noise": {}},
    ]
    text = card(write_trial(tmp_path, mix={"snrs_db": [7.5], "conditions": conditions}), tmp_path / "out")
    clean, plain, phone, bursts = table(text, "condition")
    assert clean == ["clean", "–", "–", "4", "–"]
    assert plain[:4] == ["snr_7.5", "7.5", "–", "4"]
    assert bursts[:4] == ["bursts", "-2.5", "bursts over 0.4 of the time, a second noise at -6 dB", "4"]
    lowest, highest = re.findall(r"leaves (.*) to (.*) dB", phone[2])[0]
    rows = [row for row in manifest(tmp_path / "out") if row["condition"] == "phone"]
    behind = [json.loads(row["acoustics"])["telephone"]["line_snr_db"] for row in rows]
    assert (lowest, highest) == (f"{min(behind):.1f}", f"{max(behind):.1f}")
    off = max(abs(row["realised_snr_db"] - 20) for row in rows)
    assert phone[4] == f"{off:.4f}"


def test_without_judges_and_without_anything_accepted(tmp_path):
    screen = {"recogniser": RECOGNISER, "judges": []}
    assert "No judge was asked." in card(write_trial(tmp_path, screen=screen), tmp_path / "a")
    (tmp_path / "none").mkdir()
    text = card(write_trial(tmp_path / "none", {"q1": "who is clumsy"}), tmp_path / "none" / "out")
    assert table(text, "language") == [["en", VOICE, RECOGNISER, RECOGNISER, "0", "1", "–"]]
    assert table(text, "judge")[0][1:] == ["3", "–", "–"]
