"""Two-stage screening: error rate first, then judges who must all pass an utterance."""

from __future__ import annotations

import json
from pathlib import Path

from tests.building import (
    ENGLISH,
    JUDGE,
    build,
    command,
    manifest,
    rows,
    write_collection,
    write_recipe,
    write_trial,
)

SECOND = "tests.doubles:WordJudge,word=shrill"
JUDGES = [{"judge": JUDGE, "min_score": 3.0}, {"judge": SECOND, "min_score": 3.0}]
TEN = "the old man with red shoes likes {} {} {}"
QUERIES = {
    "good": "who wrote hamlet",
    "limit": TEN.format("fog", "fog", "fog"),
    "above": "fog " + TEN.format("fog", "fog", "fog"),
    "clumsy": "who is clumsy",
    "shrill": "who is shrill",
    "both": "who is clumsy and shrill",
    "above-and-clumsy": "clumsy fog fog fog",
}


def screened(folder: Path) -> tuple[Path, dict[str, dict[str, object]]]:
    build(write_trial(folder, QUERIES, screen={"judges": JUDGES}), folder / "out")
    return folder / "out", {row["query_id"]: row for row in rows(folder / "out" / "rejected.jsonl")}


def test_error_rate_screens_first_and_exactly_thirty_per_cent_passes(tmp_path):
    out, rejected = screened(tmp_path)
    clean = {row["query_id"]: row for row in manifest(out) if row["condition"] == "clean"}
    assert clean["limit"]["error_rate"] == 0.3
    assert clean["limit"]["transcript"].endswith("likes dog dog dog")
    assert (rejected["above"]["stage"], rejected["above"]["error_rate"]) == ("screen", 4 / 11)
    assert rejected["above"]["reason"] == "WER 36.4% is above 30%"
    assert rejected["above-and-clumsy"]["stage"] == "screen"
    assert rejected["above-and-clumsy"]["judges"] == {}


def test_a_judge_goes_by_its_name_where_it_has_one(tmp_path):
    named = [{**JUDGES[0], "name": "clumsiness"}, JUDGES[1]]
    build(write_trial(tmp_path, QUERIES, screen={"judges": named}), tmp_path / "out")
    rejected = {row["query_id"]: row for row in rows(tmp_path / "out" / "rejected.jsonl")}
    assert rejected["clumsy"]["reason"] == "judge clumsiness gave 1.00, below 3 (says clumsy)"
    assert list(rejected["both"]["judges"]) == ["clumsiness", SECOND]
    assert [said["judge"] for said in manifest(tmp_path / "out")[0]["judges"]] == ["clumsiness", SECOND]
    assert "judge clumsiness" in json.loads((tmp_path / "out" / "build.json").read_text())["stages"]


def test_every_judge_must_pass(tmp_path):
    out, rejected = screened(tmp_path)
    assert {row["query_id"] for row in manifest(out)} == {"good", "limit"}
    assert rejected["clumsy"]["stage"] == rejected["shrill"]["stage"] == rejected["both"]["stage"] == "judge"
    assert rejected["clumsy"]["reason"] == f"judge {JUDGE} gave 1.00, below 3 (says clumsy)"
    assert rejected["shrill"]["reason"] == f"judge {SECOND} gave 1.00, below 3 (says shrill)"
    assert rejected["both"]["reason"].count("gave 1.00") == 2
    scores = {judge: said["score"] for judge, said in rejected["clumsy"]["judges"].items()}
    assert scores == {JUDGE: 1.0, SECOND: 5.0}


def test_the_rejected_keep_figures_audio_and_judgements(tmp_path):
    out, rejected = screened(tmp_path)
    assert len(rejected) == 5
    for place, row in enumerate(rejected.values(), 1):
        assert row["audio"] == f"en/trial/audio_rejected/{place}.wav"
        assert (out / str(row["audio"])).stat().st_size > 44
        assert row["qrels"] == {f"d-{list(QUERIES).index(row['query_id'])}": 1}
        assert row["text"] == QUERIES[row["query_id"]]
        assert row["speaker"] and row["take"] == 1


def test_only_accepted_queries_are_written(tmp_path):
    out, _ = screened(tmp_path)
    place = out / "en" / "trial"
    assert [row["_id"] for row in rows(place / "queries.jsonl")] == ["good", "limit"]
    assert [row["query-id"] for row in rows(place / "qrels" / "test.jsonl")] == ["good", "limit"]
    for file in place.glob("queries_with_audio_*.jsonl"):
        assert [row["_id"] for row in rows(file)] == ["good", "limit"]
    assert len(rows(place / "corpus.jsonl")) == len(QUERIES)
    assert len(list(place.glob("audio_clean/*.wav"))) == 2
    assert json.loads((out / "build.json").read_text())["counts"]["rejected"] == {"screen": 2, "judge": 3}


def test_score_equal_to_the_threshold_passes(tmp_path):
    recipe = write_trial(
        tmp_path, {"q": "who is clumsy"}, screen={"judges": [{"judge": JUDGE, "min_score": 1.0}]}
    )
    assert build(recipe, tmp_path / "out").accepted == 1


def test_no_judges_is_a_choice(tmp_path):
    summary = build(write_trial(tmp_path, QUERIES, screen={"judges": []}), tmp_path / "out")
    assert (summary.accepted, summary.rejected) == (5, {"screen": 2})


def test_chinese_is_screened_by_characters(tmp_path):
    write_collection(tmp_path / "zh-trial", {"a": "今天北京的雾大吗", "b": "雾雾雾怎么办"})
    build(write_recipe(tmp_path), tmp_path / "out")
    assert {row["query_id"]: row["error_rate"] for row in manifest(tmp_path / "out")} == {"a": 1 / 8}
    (row,) = rows(tmp_path / "out" / "rejected.jsonl")
    assert (row["query_id"], row["reason"]) == ("b", "CER 50.0% is above 30%")


def test_queries_that_cannot_score_are_left_out_and_counted(tmp_path):
    queries = {**ENGLISH, "unjudged": "who knows", "zero": "who cares", "negative": "who minds"}
    qrels = [f"q{n}\td-{n - 1}\t1" for n in range(1, 5)] + [
        "zero\td-0\t0",
        "negative\td-0\t-1",
        "ghost\td-0\t1",
    ]
    write_collection(tmp_path / "en-trial", queries, qrels)
    done = command("build", write_recipe(tmp_path), "--out", tmp_path / "out", "--json", "--workers", 1)
    assert done.returncode == 0, done.stderr
    facts = json.loads((tmp_path / "out" / "build.json").read_text())
    assert json.loads(done.stdout)["queries"] == 4
    assert facts["left_out"] == {"en/trial": {"unjudged": 1, "without_positive": 2}}
    assert {row["_id"] for row in rows(tmp_path / "out" / "en" / "trial" / "queries.jsonl")} == set(ENGLISH)
    assert {finding["kind"] for finding in facts["findings"]["en/trial"]} >= {"qrels-unknown-query"}
