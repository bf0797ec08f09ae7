"""Runs and transcripts made elsewhere, scored beside what an evaluation makes itself."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from squtr.commands.eval import run_eval, show_eval
from squtr.errors import UserError
from squtr.eval.runs import read_run, write_run
from squtr.plugins import load
from tests.building import RECOGNISER, build, command, rows, write_both, write_lines

HEARS_NOTHING = "tests.eval.recogniser_doubles:DeafEars"


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Path, dict[str, Any]]:
    """A data set of two subsets, and an evaluation of it."""
    folder = tmp_path_factory.mktemp("elsewhere")
    build(write_both(folder), folder / "data")
    results, out = run_eval(folder / "data", RECOGNISER, ["bm25"], folder / "first", 1, None)
    return folder / "data", out, results


def evaluated(data: Path, out: Path, **asked: Any) -> tuple[dict[str, Any], Path]:
    asr = asked.pop("asr", HEARS_NOTHING)
    return run_eval(data, asr, asked.pop("retriever", ["bm25"]), out, 1, None, **asked)


def patterned(out: Path, folder: Path) -> Path:
    """Copy an evaluation's BM25 runs to names that another program might give."""
    folder.mkdir()
    for path in (out / "runs").glob("*/*/*/bm25.trec"):
        _, subset, condition = path.parts[-4:-1]
        shutil.copyfile(path, folder / f"{subset}_{path.parts[-4]}.{condition}.run")
    return folder


def test_runs_in_the_layout_of_an_evaluation_give_its_scores(made, tmp_path: Path) -> None:
    data, first, before = made
    for name in ("mine", "theirs"):
        for path in sorted((first / "runs").glob("*/*/*/bm25.trec")):
            target = tmp_path / "old/runs" / Path(*path.parts[-4:-1]) / f"{name}.trec"
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(path, target)
    results, out = evaluated(data, tmp_path / "out", runs=[str(tmp_path / "old")])
    for key, scores in before["scores"].items():
        assert list(results["scores"][key]) == ["bm25", "mine", "theirs"]
        assert results["scores"][key]["mine"] == scores["bm25"] == results["scores"][key]["theirs"]
    assert results["scores"]["en/trial"]["bm25"]["clean"]["no_response"] == 4  # its recogniser is deaf
    assert (out / "runs/en/trial/snr_0/mine.trec").is_file()
    odd = results["made_elsewhere"]["runs"]["mine"]["en/trial"]["clean"]
    assert [odd[name] for name in ("missing_queries", "unknown_queries", "unknown_documents")] == [0, 0, 0]
    assert results["settings"]["retrievers"]["mine"].startswith("runs sha256=")


def test_a_pattern_names_one_system(made, tmp_path: Path) -> None:
    data, first, before = made
    folder = patterned(first, tmp_path / "theirs")
    for path in folder.glob("*.text.run"):
        path.unlink()
    pattern = f"mine={folder}/{{subset}}_{{language}}.{{condition}}.run"
    results, _ = evaluated(data, tmp_path / "out", runs=[pattern], sensitivity=True)
    mine = results["scores"]["zh/trial"]["mine"]
    assert list(mine) == ["clean", "snr_10", "snr_0"]
    assert mine["snr_0"]["measures"] == before["scores"]["zh/trial"]["bm25"]["snr_0"]["measures"]


def test_errors_of_a_recogniser_are_not_laid_on_runs(made, tmp_path: Path) -> None:
    data, first, _ = made
    asked = {"asr": [RECOGNISER, HEARS_NOTHING]}
    alone, _ = evaluated(data, tmp_path / "alone", **asked)
    beside, _ = evaluated(
        data,
        tmp_path / "beside",
        runs=[f"mine={first}/runs/{{language}}/{{subset}}/{{condition}}/bm25.trec"],
        **asked,
    )
    assert beside["error_costs"] == alone["error_costs"]
    assert beside["other_recognisers"] == alone["other_recognisers"]


def test_ids_that_do_not_fit_are_counted_and_told(made, tmp_path: Path, capsys) -> None:
    data, first, _ = made
    folder = patterned(first, tmp_path / "theirs")
    path = folder / "trial_en.snr_10.run"
    run = read_run(path)
    del run["q1"]
    write_run(path, {**run, "q9": {"d-0": 1.0}, "q2": {"strange": 9.0, **run["q2"]}}, "x", 100)
    results, out = evaluated(
        data, tmp_path / "out", runs=[f"mine={folder}/{{subset}}_{{language}}.{{condition}}.run"]
    )
    odd = results["made_elsewhere"]["runs"]["mine"]["en/trial"]["snr_10"]
    assert odd == {"file": str(path), "missing_queries": 1, "unknown_queries": 1, "unknown_documents": 1}
    cell = results["scores"]["en/trial"]["mine"]["snr_10"]
    assert (cell["queries"], cell["no_response"]) == (4, 1)
    assert cell["measures"]["MRR@10"]["mean"] == pytest.approx((0 + 1 / 2 + 1 + 1) / 4)
    show_eval(results, out, False)
    said = " ".join(capsys.readouterr().out.split())
    for text in (
        "1 judged query missing; each scores 0",
        "1 query not in the data set, left out",
        "kept at its rank",
    ):
        assert f"trial_en.snr_10.run: {text}" in said or text in said


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (
            lambda folder: (folder / "trial_zh.snr_0.run").unlink(),
            r"mine has no run of zh/trial snr_0\. A system needs",
        ),
        (
            lambda folder: [path.unlink() for path in folder.glob("*_zh*")],
            r"no run of zh/trial clean and 2 others",
        ),
        (
            lambda folder: (folder / "trial_en.clean.run").write_text("7 Q0 d-0 1 1 x\n"),
            r"none of its queries is in en/trial, such as \['7'\]",
        ),
        (
            lambda folder: (folder / "trial_en.clean.run").write_text("q1 Q0 77 1 1 x\n"),
            r"none of its documents is in en/trial",
        ),
        (
            lambda folder: (folder / "trial_en.clean.run").write_text("q1 d-0 1\n"),
            r"trial_en.clean.run:1: 3 columns",
        ),
    ],
)
def test_runs_that_do_not_fit_at_all(made, tmp_path: Path, change, said) -> None:
    data, first, _ = made
    folder = patterned(first, tmp_path / "theirs")
    change(folder)
    with pytest.raises(UserError, match=said):
        evaluated(data, tmp_path / "out", runs=[f"mine={folder}/{{subset}}_{{language}}.{{condition}}.run"])


def test_names_of_runs(made, tmp_path: Path) -> None:
    data, first, _ = made
    with pytest.raises(UserError, match="there is a system 'bm25' already"):
        evaluated(data, tmp_path / "out", runs=[str(first)])
    with pytest.raises(UserError, match=r"no \{language\}/\{subset\}/\{condition\}/\{system\}\.trec in it"):
        evaluated(data, tmp_path / "out", runs=[str(tmp_path)])
    for spec in ("=foo", " ={subset}.trec"):
        with pytest.raises(UserError, match="no name before the ="):
            evaluated(data, tmp_path / "out", runs=[spec])
    with pytest.raises(
        UserError, match=r"\{conditon\}\.trec: unknown placeholder \{conditon\}\. Did you mean 'con"
    ):
        evaluated(data, tmp_path / "out", runs=["x=runs/{conditon}.trec"])


def test_transcripts_by_a_pattern_that_begins_with_a_placeholder(made, tmp_path: Path, monkeypatch) -> None:
    data, first, before = made
    monkeypatch.chdir(first / "transcripts")
    spec = "transcripts,path={language}/{subset}/{condition}.jsonl"
    results, _ = evaluated(data, tmp_path / "out", asr=spec)
    assert results["scores"] == before["scores"]
    with pytest.raises(UserError, match=r"unknown placeholder \{langage\}\. Did you mean 'language'"):
        evaluated(data, tmp_path / "out", asr="transcripts,path={langage}/{condition}.jsonl")


def test_transcripts_in_the_layout_of_an_evaluation_give_its_scores(made, tmp_path: Path) -> None:
    data, first, before = made
    copy = shutil.copytree(data, tmp_path / "data", ignore=shutil.ignore_patterns("*.wav", ".squtr"))
    results, out = evaluated(copy, tmp_path / "out", asr=f"transcripts,path={first}")
    for key in before["scores"]:
        assert results["scores"][key] == before["scores"][key]
        assert results["recognition"][key]["snr_0"]["clean"] == before["recognition"][key]["snr_0"]["clean"]
    heard = rows(out / "transcripts/en/trial/snr_0.jsonl")
    assert [row["asr_text"] for row in heard] == [
        row["asr_text"] for row in rows(first / "transcripts/en/trial/snr_0.jsonl")
    ]
    how = results["made_elsewhere"]["transcripts"][f"transcripts,path={first}"]["en/trial"]["clean"]
    assert (how["joined_by"], how["missing"], how["unknown_ids"]) == ("query id", 0, 0)
    assert results["settings"]["recogniser_fingerprint"].startswith("transcripts sha256=")


def by_audio(data: Path, folder: Path, whole_name: bool) -> Path:
    """Write Kaldi's form of perfect transcripts, by the names of the audio files."""
    folder.mkdir()
    for table in data.glob("*/*/queries_with_audio_*.jsonl"):
        snr = rows(table)[0].get("snr_db")
        condition = "clean" if snr is None else f"snr_{snr:g}"
        named = [
            (row["audio"] if whole_name else row["audio"].removesuffix(".wav"), row["text"])
            for row in rows(table)
        ]
        text = "".join(f"{name} {said}\n" for name, said in named)
        (folder / f"{table.parent.parent.name}.{condition}.txt").write_text(text, encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("whole_name", "said"), [(True, "audio file"), (False, "audio file without its ending")]
)
def test_transcripts_by_the_name_of_the_audio(made, tmp_path: Path, whole_name: bool, said: str) -> None:
    data, _, _ = made
    spec = f"transcripts,path={by_audio(data, tmp_path / 'asr', whole_name)}/{{language}}.{{condition}}.txt"
    results, _ = evaluated(data, tmp_path / "out", asr=[RECOGNISER, spec])
    other = results["other_recognisers"][spec]["recognition"]["zh/trial"]["snr_0"]
    assert (other["ok"], other["clean"]["rate"]) == (2, 0.0)
    assert results["made_elsewhere"]["transcripts"][spec]["zh/trial"]["snr_0"]["joined_by"] == said
    cascade = results["scores"]["en/trial"][f"bm25 | {spec}"]
    assert cascade["snr_0"]["measures"] == cascade["text"]["measures"]


def test_missing_failed_and_unknown_transcripts_are_counted(made, tmp_path: Path, capsys) -> None:
    data, first, _ = made
    folder = shutil.copytree(first / "transcripts", tmp_path / "heard")
    path = folder / "en/trial/clean.jsonl"
    kept = [row for row in rows(path) if row["_id"] != "q1"]
    write_lines(
        path,
        [
            *({**row, "asr_text": None, "status": "failed"} if row["_id"] == "q2" else row for row in kept),
            {"_id": "q7", "asr_text": "x"},
        ],
    )
    results, out = evaluated(data, tmp_path / "out", asr=f"transcripts,path={folder}")
    found = results["recognition"]["en/trial"]["clean"]
    assert (found["ok"], found["failed"]) == (2, 2)
    how = results["made_elsewhere"]["transcripts"][f"transcripts,path={folder}"]["en/trial"]["clean"]
    assert (how["missing"], how["unknown_ids"]) == (1, 1)
    reasons = {row["_id"]: row["reason"] for row in rows(out / "transcripts/en/trial/clean.jsonl")}
    assert (
        reasons["q1"] == "no transcript of 'q1' in clean.jsonl"
        and reasons["q2"] == "failed where it was made"
    )
    show_eval(results, out, False)
    assert "1 recording without a transcript; each scores 0" in " ".join(capsys.readouterr().out.split())


def test_transcripts_that_do_not_fit_at_all(made, tmp_path: Path) -> None:
    data, first, _ = made
    with pytest.raises(UserError, match=r"no file there\. Give a folder with \{language\}/\{subset\}"):
        evaluated(data, tmp_path / "out", asr=f"transcripts,path={tmp_path}")
    folder = shutil.copytree(first / "transcripts", tmp_path / "heard")
    (folder / "zh/trial/snr_0.jsonl").unlink()
    with pytest.raises(
        UserError, match=r"No transcripts of zh/trial snr_0: there is no .*/heard/zh/trial/snr_0\.jsonl or"
    ):
        evaluated(data, tmp_path / "out", asr=f"transcripts,path={folder}")
    write_lines(folder / "en/trial/clean.jsonl", [{"_id": "no", "asr_text": "x"}])
    with pytest.raises(
        UserError, match=r"none of its ids is that of a query or an audio file, such as \['no'\]"
    ):
        evaluated(data, tmp_path / "out", asr=f"transcripts,path={folder}")


def test_a_recipe_cannot_hear_with_transcripts(made) -> None:
    with pytest.raises(UserError, match="transcripts hears nothing"):
        load("recogniser", f"transcripts,path={made[1]}").transcribe(None, "en")


def test_the_command_line_takes_both(made, tmp_path: Path) -> None:
    data, first, before = made
    done = command(
        "eval", data, "--out", tmp_path / "out", "--asr", f"transcripts,path={first}", "--retriever", "bm25",
        "--runs", f"mine={first}/runs/{{language}}/{{subset}}/{{condition}}/bm25.trec", "--json",
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    scores = json.loads(done.stdout)["scores"]["en/trial"]
    assert scores["mine"] == scores["bm25"] == before["scores"]["en/trial"]["bm25"]


def test_a_transcript_with_a_lone_surrogate_is_refused_with_its_line(made, tmp_path: Path) -> None:
    data, _, _ = made
    for path in data.glob("*/*/queries.jsonl"):
        for condition in ("clean", "snr_10", "snr_0"):
            rows_ = [{"_id": row["_id"], "text": row["text"]} for row in rows(path)]
            rows_[1]["text"] += " \ud800"
            lines = [json.dumps(row) + "\n" for row in rows_]
            target = tmp_path / "heard" / path.parts[-3] / path.parts[-2] / f"{condition}.jsonl"
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text("".join(lines))
    with pytest.raises(UserError, match=r"clean\.jsonl:2: text holds a lone surrogate \(\\ud800\), which"):
        evaluated(data, tmp_path / "out", asr=f"transcripts,path={tmp_path / 'heard'}")
