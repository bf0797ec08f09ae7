"""A whole evaluation on doubles: what is scored, shared, counted and refused."""

from __future__ import annotations

import json
import math
import shutil
from pathlib import Path

import pytest

from squtr.commands.eval import run_eval, show_eval
from squtr.errors import UserError
from squtr.eval.runs import read_run
from squtr.eval.scores import score_run
from tests.building import RECOGNISER, build, command, rows, write_both, write_trial
from tests.eval.retriever_doubles import Overlap

OVERLAP = "tests.eval.retriever_doubles:Overlap"
MAIN = "nDCG@10 (linear gain)"


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("evaluate")
    build(write_both(folder), folder / "data")
    return folder / "data"


@pytest.fixture(scope="module")
def results(dataset: Path) -> dict:
    found, _ = run_eval(dataset, RECOGNISER, ["bm25", OVERLAP], None, 1, None)
    return found


def test_every_condition_has_a_cell_for_every_system(results: dict) -> None:
    assert results["conditions"] == ["text", "clean", "snr_10", "snr_0"]
    for subset in ("en/trial", "zh/trial"):
        assert list(results["scores"][subset]) == ["bm25", OVERLAP]
        for conditions in results["scores"][subset].values():
            assert list(conditions) == results["conditions"]


def test_results_lie_beside_the_data_set_and_are_strict_json(dataset: Path, results: dict) -> None:
    out = Path(f"{dataset}-eval")
    assert json.loads((out / "results.json").read_text(), parse_constant=pytest.fail) == json.loads(
        json.dumps(results)
    )
    assert (out / "report.html").stat().st_size > 1000


def test_run_files_score_as_reported(dataset: Path, results: dict) -> None:
    qrels: dict[str, dict[str, int]] = {}
    for row in rows(dataset / "en" / "trial" / "qrels" / "test.jsonl"):
        qrels.setdefault(row["query-id"], {})[row["corpus-id"]] = row["score"]
    run = read_run(Path(f"{dataset}-eval") / "runs" / "en" / "trial" / "snr_0" / "bm25.trec")
    reported = results["scores"]["en/trial"]["bm25"]["snr_0"]["measures"][MAIN]["mean"]
    assert score_run(qrels, run).mean[MAIN] == pytest.approx(reported, abs=0)


def test_each_text_is_searched_once_for_all_conditions(dataset: Path, tmp_path: Path) -> None:
    Overlap.asked.clear()
    Overlap.indexed.clear()
    run_eval(dataset, RECOGNISER, [OVERLAP], tmp_path / "out", 1, None)
    assert Overlap.indexed == [4, 2]
    english = [text for text in Overlap.asked if text.isascii()]
    assert len(english) == len(set(english))


def test_recognition_is_pooled_from_counts(dataset: Path, results: dict) -> None:
    recognition = results["recognition"]["en/trial"]
    assert recognition["clean"]["clean"]["rate"] == 0.0
    for condition, said in recognition.items():
        transcripts = rows(Path(f"{dataset}-eval") / "transcripts" / "en" / "trial" / f"{condition}.jsonl")
        assert said["clean"]["utterances"] == len(transcripts) == 4
        assert {row["status"] for row in transcripts} <= {"ok", "empty"}
        assert said["empty"] == sum(row["status"] == "empty" for row in transcripts)


def test_a_language_without_a_row_is_told_before_any_work(dataset: Path, tmp_path: Path) -> None:
    shutil.copytree(dataset, tmp_path / "data")
    (tmp_path / "data" / "en").rename(tmp_path / "data" / "tlh")
    with pytest.raises(UserError, match=r"No language 'tlh'\. Known: de, en, .*languages\.yaml"):
        run_eval(tmp_path / "data", RECOGNISER, ["bm25"], tmp_path / "out", 1, None)
    assert not (tmp_path / "out").exists()


def test_loss_against_text_is_relative(results: dict) -> None:
    cells = results["scores"]["en/trial"]["bm25"]
    before, after = (cells[name]["measures"][MAIN]["mean"] for name in ("text", "snr_0"))
    assert cells["snr_0"]["loss_against_text"]["mean"] == pytest.approx(1 - after / before)
    assert "loss_against_text" not in cells["text"]


def test_an_unreadable_recording_is_a_failure_that_scores_zero(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(dataset, damaged, ignore=shutil.ignore_patterns(".squtr"))
    (damaged / "en" / "trial" / "audio_clean" / "1.wav").write_bytes(b"<html>not found</html>")
    found, out = run_eval(damaged, RECOGNISER, ["bm25"], tmp_path / "out", 1, None)
    assert found["recognition"]["en/trial"]["clean"]["failed"] == 1
    assert found["scores"]["en/trial"]["bm25"]["clean"]["no_response"] == 1
    first = rows(out / "transcripts" / "en" / "trial" / "clean.jsonl")[0]
    assert first["status"] == "failed" and "1.wav" in first["reason"] and first["wer"] is None
    assert found["recognition"]["en/trial"]["clean"]["clean"]["rate"] == 0.0
    assert found["recognition"]["en/trial"]["clean"]["clean"]["utterances"] == 3
    show_eval(found, out, False)
    assert "en/trial clean: 1 recording failed" in capsys.readouterr().out
    per_query = [
        row for row in rows(out / "scores.jsonl") if row["condition"] == "clean" and row["query_id"] == "q1"
    ]
    assert [row[MAIN] for row in per_query] == [0.0]


def test_a_second_evaluation_replaces_the_first_as_a_whole(dataset: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run_eval(dataset, RECOGNISER, ["bm25", OVERLAP], out, 1, None)
    run_eval(dataset, RECOGNISER, ["bm25"], out, 1, None)
    assert [path.name for path in (out / "runs" / "en" / "trial" / "text").iterdir()] == ["bm25.trec"]


def test_one_and_two_workers_give_the_same_results(dataset: Path, tmp_path: Path) -> None:
    found = []
    for workers in (1, 2):
        out = tmp_path / str(workers)
        copy = tmp_path / f"data{workers}"
        shutil.copytree(dataset, copy, ignore=shutil.ignore_patterns(".squtr"))
        run_eval(copy, RECOGNISER, ["bm25"], out, workers, None)
        files = sorted(
            path
            for path in out.rglob("*")
            if path.suffix in (".trec", ".jsonl") and ".squtr" not in path.parts
        )
        found.append([(path.relative_to(out), path.read_bytes()) for path in files])
    assert found[0] == found[1]


@pytest.mark.parametrize(
    ("double", "message"),
    [
        ("Stranger", "'no-such-document'"),
        ("Undefined", "nan"),
        ("TooFew", r"TooFew\.search gave 0 rankings for \d+ queries\. One a query is needed"),
        ("NoSearch", "has no search"),
        ("Crashing", r"Crashing.search failed at retriever_doubles.py:\d+: ZeroDivisionError"),
        ("Nothing", "TypeError"),
        ("Missing", "no 'Missing'"),
    ],
)
def test_a_faulty_retriever_is_one_clear_error(
    dataset: Path, tmp_path: Path, double: str, message: str
) -> None:
    with pytest.raises(UserError, match=message):
        run_eval(dataset, RECOGNISER, [f"tests.eval.retriever_doubles:{double}"], tmp_path / "out", 1, None)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("eval", "nowhere"), "no such data set folder"),
        (("eval", "."), "no SQuTR data set"),
        (("eval", "DATA", "--retriever", "bm26"), "Did you mean 'bm25'"),
        (("eval", "DATA", "--retriever", "bm25,k1=x"), "k1"),
        (("eval", "DATA", "--retriever", "bm25,k=1"), "has no option 'k'. Did you mean 'k1'?"),
        (("eval", "DATA", "--asr", "whisper-bse"), "Did you mean 'whisper-base'"),
        (("eval", "DATA", "--retriever", "bm25", "--retriever", "bm25"), "twice"),
    ],
)
def test_bad_input_is_one_message_and_exit_code_2(
    dataset: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    filled = [str(dataset) if argument == "DATA" else argument for argument in arguments]
    done = command(*filled, "--out", str(tmp_path / "out"))
    assert done.returncode == 2, done.stderr
    assert message in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()


def test_hybrid_shares_its_members_searches(tmp_path: Path) -> None:
    build(write_trial(tmp_path), tmp_path / "data")
    Overlap.asked.clear()
    spec = f"hybrid,members=bm25+{OVERLAP}"
    found, _ = run_eval(tmp_path / "data", RECOGNISER, ["bm25", OVERLAP, spec], None, 1, None)
    assert len(Overlap.asked) == len(set(Overlap.asked))
    mean = found["scores"]["en/trial"][spec]["text"]["measures"][MAIN]["mean"]
    assert math.isclose(mean, 1.0)


@pytest.mark.parametrize("content", ["{", "[]"])
def test_a_broken_build_json_is_told_before_any_work(dataset: Path, tmp_path: Path, content: str) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(dataset, damaged, ignore=shutil.ignore_patterns(".squtr"))
    (damaged / "build.json").write_text(content)
    with pytest.raises(UserError, match=r"build\.json: "):
        run_eval(damaged, RECOGNISER, ["bm25"], tmp_path / "out", 1, None)
    assert not (tmp_path / "out").exists()


def test_a_manifest_with_text_for_a_number_is_told_with_its_line(dataset: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(dataset, damaged, ignore=shutil.ignore_patterns(".squtr"))
    manifest = damaged / "manifest.jsonl"
    lines = manifest.read_text().splitlines(keepends=True)
    lines[1] = lines[1].replace('"common_gain":1.0', '"common_gain":"loud"')
    manifest.write_text("".join(lines))
    with pytest.raises(UserError, match=r"manifest\.jsonl:2: common_gain is 'loud'"):
        run_eval(damaged, RECOGNISER, ["bm25"], tmp_path / "out", 1, None)


def test_a_file_whose_samples_are_not_the_manifest_s_is_refused(dataset: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(dataset, damaged, ignore=shutil.ignore_patterns(".squtr"))
    path = damaged / "en" / "trial" / "audio_clean" / "1.wav"
    data = bytearray(path.read_bytes())
    data[100] ^= 1
    path.write_bytes(data)
    with pytest.raises(UserError, match=r"1\.wav: its samples are not those of manifest\.jsonl"):
        run_eval(damaged, RECOGNISER, ["bm25"], tmp_path / "out", 1, None)
    (damaged / "manifest.jsonl").unlink()
    run_eval(damaged, RECOGNISER, ["bm25"], tmp_path / "out", 1, None)


def test_a_file_whose_rate_is_not_the_manifest_s_is_refused(dataset: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged"
    shutil.copytree(dataset, damaged, ignore=shutil.ignore_patterns(".squtr"))
    path = damaged / "en" / "trial" / "audio_clean" / "1.wav"
    data = bytearray(path.read_bytes())
    told = int.from_bytes(data[24:28], "little")
    data[24:28] = (2 * told).to_bytes(4, "little")
    path.write_bytes(data)
    with pytest.raises(UserError, match=rf"1\.wav: its header says {2 * told} Hz, manifest\.jsonl {told} Hz"):
        run_eval(damaged, RECOGNISER, ["bm25"], tmp_path / "out", 1, None)


def test_a_query_with_a_lone_surrogate_can_be_written_and_printed(dataset: Path, tmp_path: Path) -> None:
    odd = tmp_path / "odd"
    shutil.copytree(dataset, odd, ignore=shutil.ignore_patterns(".squtr"))
    path = odd / "en" / "trial" / "queries.jsonl"
    path.write_text(path.read_text().replace("who wrote hamlet", "who wrote hamlet \\ud800", 1))
    out = tmp_path / "out"
    done = command("eval", odd, "--asr", RECOGNISER, "--retriever", "bm25", "--out", out, "--json")
    assert done.returncode == 0, done.stderr
    written = json.loads(text := (out / "results.json").read_text(encoding="utf-8"))
    assert "\\ud800" in text and json.loads(done.stdout)["worst_queries"] == written["worst_queries"]
