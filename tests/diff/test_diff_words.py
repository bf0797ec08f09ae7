"""What squtr diff says, read as a reader does: numbers with their nouns, values that can be told apart."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from squtr.commands.diff import run_diff, show_diff
from squtr.diff.words import pair
from tests.building import ENGLISH, HUM, JUDGE, RECOGNISER, VOICE, build, write_trial


def said(capsys: pytest.CaptureFixture[str], a: Path, b: Path) -> list[str]:
    show_diff(run_diff(a, b), a, b, False)
    return capsys.readouterr().out.splitlines()


def built(folder: Path, queries: dict[str, str], **changes: Any) -> Path:
    folder.mkdir()
    build(write_trial(folder, queries, **changes), folder / "data")
    return folder / "data"


def test_judges_that_are_gone_and_conditions_that_came(tmp_path, capsys):
    one = {"q1": ENGLISH["q1"]}
    a = built(tmp_path / "a", one)
    phone = {"name": "phone", "snr_db": 20, "telephone": {}}
    b = built(
        tmp_path / "b",
        one,
        screen={"recogniser": RECOGNISER, "judges": []},
        speak={"voice": VOICE, "takes": 1},
        mix={"noise": HUM, "snrs_db": [10], "conditions": [phone]},
    )
    lines = said(capsys, a, b)
    assert lines[0] == f"{a} -> {b}"
    assert f"recipe screen.judges.{JUDGE}: min_score 3.0 -> (not there)" in lines
    assert "recipe mix.conditions: (not there) -> phone (telephone (law mu), snr_db 20.0)" in lines
    assert "1 query first differs at speak: recipe speak.takes 2 -> 1" in lines
    assert (
        f"judges (judge): 2 rows, such as en trial q1 clean: {JUDGE} (reasons [], score 5.0) -> []" in lines
    )
    assert f"file en/trial/queries_with_audio_noise_snr_0.jsonl is only in {a}" in lines
    assert f"file en/trial/queries_with_audio_noise_phone.jsonl is only in {b}" in lines
    assert "file manifest.jsonl is not the same" in lines
    assert not [line for line in lines if "README" in line]
    assert lines[-1] == (
        f"{a} and {b}: not the same; 1 query in all. Both have 2 recordings: 2 with the same samples, 0 with"
        " the same manifest row."
    )


def test_an_input_that_only_one_has(tmp_path, capsys):
    a = built(tmp_path / "a", ENGLISH)
    b = shutil.copytree(a, tmp_path / "copy")
    facts = json.loads((b / "build.json").read_text())
    facts["inputs"]["collections"]["en/other"] = "0" * 64
    (b / "build.json").write_text(json.dumps(facts))
    lines = (b / "manifest.jsonl").read_text().splitlines(keepends=True)
    (b / "manifest.jsonl").write_text("".join(lines[3:]))
    told = said(capsys, a, b)
    assert "input collections.en/other: (not there) -> 000000000000…" in told
    assert "1 query first differs at select: input collections.en/other is only in the second" in told
    assert (
        f"1 query only in {a}; in {b}: 1 not among its queries; such as en trial q1: not among its queries"
        in told
    )


@pytest.mark.parametrize(
    ("a", "b", "told"),
    [
        ([10.0, 0.0], [], "[10.0, 0.0] -> []"),
        (None, "there", "none -> there"),
        ("a" * 64, "b" * 64, f"{'a' * 12}… -> {'b' * 12}…"),
        ("x" * 80 + "1", "x" * 80 + "2", f"…{'x' * 12}1 -> …{'x' * 12}2"),
        ("x" * 80, "y", f"{'x' * 59}… -> y"),
        ({"judge": "j", "min_score": 3.0, "name": None}, "(not there)", "min_score 3.0 -> (not there)"),
        ({"judge": "j"}, "(not there)", "there -> (not there)"),
        ([{"judge": "j", "score": None}], [], "j -> []"),
        ([1, {"name": "n", "k": 1}], [], "1; n (k 1) -> []"),
    ],
)
def test_two_values_in_words(a, b, told):
    assert pair(a, b) == told
