"""`squtr audit`: files in, a table or one JSON object out; faults are one message."""

from __future__ import annotations

import csv
import json
from collections.abc import Callable
from pathlib import Path

import pytest

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture
def jsonl(tmp_path: Path) -> Path:
    rows = [
        {"_id": f"{place}", "text": text, "source_text": "I need it", "talk": place % 3, "asked": asked}
        for asked, text in (("0", "I need it"), ("1", "um, I- I need it"))
        for place in range(6)
    ]
    path = tmp_path / "turns.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def test_settings_are_audited_and_compared(run: Run, jsonl: Path) -> None:
    code, out, _ = run("audit", jsonl, "--group", "talk", "--setting", "asked", "--json")
    found = json.loads(out)
    assert code == 0 and [one["setting"] for one in found["settings"]] == ["0", "1"]
    asked = found["settings"][1]
    assert (asked["turns"], asked["groups"], asked["fillers"], asked["repetitions"]) == (6, 3, 6, 6)
    assert asked["measures"]["fillers_per_1000_words"]["value"] == 200
    assert asked["measures"]["token_survival"]["value"] == 1
    assert found["tau_b"]["value"] == 1 and found["equal_at_all"]["value"] == 0
    assert found["source"]["fillers"] == 0


def test_the_table_says_what_the_json_says(run: Run, jsonl: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    code, out, _ = run("audit", jsonl, "--group", "talk", "--setting", "asked")
    assert code == 0 and "fillers / 1,000 words" in out and "200.0 [200.0, 200.0]" in out
    assert "Kendall's tau-b of setting and count: 1 [1, 1]" in out
    assert "Texts equal at all settings: 0.0% [0.0%, 0.0%]." in out


def test_plain_lines_csv_and_chinese(run: Run, tmp_path: Path) -> None:
    (tmp_path / "zh.txt").write_text("嗯，我-我想看看\n\n?\n", encoding="utf-8")
    code, out, _ = run("audit", tmp_path / "zh.txt", "--language", "zh", "--json")
    (only,) = json.loads(out)["settings"]
    assert code == 0 and (only["turns"], only["without_words"]) == (3, 2)
    assert (only["words"], only["fillers"], only["repetitions"]) == (5, 1, 1)
    with (tmp_path / "a.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([["q", "before"], ["hwo are you", "how are you"]])
    run_it = ("audit", tmp_path / "a.csv", "--text-column", "q", "--source-column", "before", "--json")
    found = json.loads(run(*run_it)[1])["settings"][0]["measures"]
    assert found["typos_per_letter"]["value"] == pytest.approx(1 / 9)
    assert found["token_survival"]["value"] == pytest.approx(2 / 3)


def test_texts_without_words_or_source_are_told(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "?"}\n{"text": "b", "source_text": "b"}\n', encoding="utf-8")
    _, out, _ = run("audit", path)
    assert "text: 1 of 2 texts hold no word." in out and "text: 1 of 2 texts have no source." in out


def test_a_language_without_fillers_has_the_rest(run: Run, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text('{"text": "der Tumr", "source_text": "der Turm"}\n', encoding="utf-8")
    found = json.loads(run("audit", path, "--language", "de", "--json")[1])["settings"][0]
    assert (found["words"], found["fillers"], found["repetitions"]) == (2, None, None)
    assert found["measures"]["variance_to_mean"]["reason"] == "no fillers are known for 'de'"
    assert found["measures"]["token_survival"]["value"] == 0.5
    _, out, _ = run("audit", path, "--language", "de")
    assert "No fillers are known for 'de', so neither they nor repetitions are counted." in out


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--text-column", "txt"], "turns.jsonl:1: no column 'txt'. Did you mean 'text'?"),
        (["--group", "tlak"], "turns.jsonl:1: no column 'tlak'. Did you mean 'talk'?"),
        (["--source-column", "orig"], "turns.jsonl:1: no column 'orig'."),
        (["--language", "xx"], "No language 'xx'."),
    ],
)
def test_faults_are_one_message(run: Run, jsonl: Path, options: list[str], message: str) -> None:
    code, out, err = run("audit", jsonl, *options)
    assert code == 2 and not out and message in err and err.count("\n") == 1


def test_a_file_that_is_not_there(run: Run, tmp_path: Path) -> None:
    code, _, err = run("audit", tmp_path / "none.jsonl")
    assert code == 2 and "none.jsonl: cannot be read" in err
