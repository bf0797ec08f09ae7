"""What an evaluation tells of recognition besides the error rate: statuses, confidence, time."""

from __future__ import annotations

from pathlib import Path

import pytest

from squtr.commands.eval import run_eval, show_eval
from squtr.errors import UserError
from squtr.eval.recognition import NOTHING_COMPUTED, recognition
from tests.building import RECOGNISER, build, rows, write_both, write_trial
from tests.eval.recogniser_doubles import EnglishEars, ManyEars

UNSURE = "tests.eval.recogniser_doubles:UnsureEars"
MANY = "tests.eval.recogniser_doubles:ManyEars"
ENGLISH = "tests.eval.recogniser_doubles:EnglishEars"
DEAF = "tests.eval.recogniser_doubles:DeafEars"
BROKEN = "tests.eval.recogniser_doubles:BrokenEars"
NARROW = "tests.eval.embedder_doubles:Zeros"
MAIN = "nDCG@10 (linear gain)"
CONDITIONS = ["clean", "snr_10", "snr_0"]


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recognition")
    build(write_trial(folder), folder / "data")
    return folder / "data"


def test_statuses_add_up_and_confidence_is_over_what_has_one(dataset: Path, tmp_path: Path) -> None:
    results, out = run_eval(dataset, UNSURE, ["bm25"], tmp_path / "out", 1, None)
    for condition in CONDITIONS:
        said = results["recognition"]["en/trial"][condition]
        transcripts = rows(out / "transcripts" / "en" / "trial" / f"{condition}.jsonl")
        assert said["ok"] + said["empty"] + said["failed"] == said["recordings"] == len(transcripts)
        sure = [row["confidence"] for row in transcripts if row["confidence"] is not None]
        assert said["confidence"]["recordings"] == len(sure)
        assert said["confidence"]["mean"] == (pytest.approx(-0.5) if sure else None)


def test_time_is_told_for_what_was_computed_and_only_then(dataset: Path, tmp_path: Path) -> None:
    cache = tmp_path / "cache"
    first, _ = run_eval(dataset, UNSURE, ["bm25"], tmp_path / "one", 1, cache)
    seconds = {
        condition: sum(
            row["seconds"] for row in rows(dataset / "manifest.jsonl") if row["condition"] == condition
        )
        for condition in CONDITIONS
    }
    for condition, cost in first["timing"]["recognition"][UNSURE]["en/trial"].items():
        assert (cost["computed"], cost["reused"], cost["reason"]) == (4, 0, None)
        assert cost["audio_seconds"] == pytest.approx(seconds[condition], abs=1e-3)
        assert cost["real_time_factor"] == cost["recogniser_seconds"] / cost["audio_seconds"] > 0
    again, _ = run_eval(dataset, UNSURE, ["bm25"], tmp_path / "two", 1, cache)
    for cost in again["timing"]["recognition"][UNSURE]["en/trial"].values():
        assert (cost["computed"], cost["reused"]) == (0, 4)
        assert (cost["real_time_factor"], cost["reason"]) == (None, NOTHING_COMPUTED)
    first.pop("timing"), again.pop("timing")
    assert first == again


def test_no_recording_has_no_confidence() -> None:
    said = recognition("en", {"clean": []})["clean"]
    assert said["confidence"] == {"mean": None, "recordings": 0}
    assert (said["ok"], said["clean"]["rate"]) == (0, None)


def test_two_recognisers_give_a_system_each_and_share_the_text(dataset: Path, tmp_path: Path) -> None:
    asked = [RECOGNISER, UNSURE]
    results, out = run_eval(dataset, asked, ["bm25", "dense"], tmp_path / "out", 1, None)
    names = [f"{retriever} | {spec}" for retriever in ("bm25", "dense") for spec in asked]
    scores = results["scores"]["en/trial"]
    assert list(scores) == names == list(results["settings"]["retrievers"])
    assert [list(found) for found in scores.values()] == [["text", *CONDITIONS]] * 4
    for retriever in ("bm25", "dense"):
        assert scores[f"{retriever} | {RECOGNISER}"]["text"] == scores[f"{retriever} | {UNSURE}"]["text"]
    other = results["other_recognisers"][UNSURE]
    assert list(results["other_recognisers"]) == [UNSURE]
    assert results["error_costs"]["en/trial"]["systems"] == names[::2]
    assert other["error_costs"]["en/trial"]["systems"] == names[1::2]
    sure = [
        found["en/trial"]["clean"]["confidence"] for found in (results["recognition"], other["recognition"])
    ]
    assert sure[0]["mean"] != sure[1]["mean"] == -0.5
    assert list(results["timing"]["recognition"]) == asked
    transcripts = out / "transcripts" / "en" / "trial"
    assert len(list(transcripts.glob("*.jsonl"))) == 3 and len(list(transcripts.glob("*/*.jsonl"))) == 3


def test_a_system_is_scored_with_its_own_recogniser(dataset: Path, tmp_path: Path) -> None:
    asked = [RECOGNISER, DEAF]
    together, out = run_eval(dataset, asked, ["bm25"], tmp_path / "both", 1, None)
    for spec in asked:
        alone, _ = run_eval(dataset, spec, ["bm25"], tmp_path / spec[-5:], 1, None)
        pairs = (together["scores"]["en/trial"][f"bm25 | {spec}"], alone["scores"]["en/trial"]["bm25"])
        both, one = ({c: found["measures"][MAIN]["mean"] for c, found in by.items()} for by in pairs)
        assert both == one
    assert len(set(both.values())) == 2 and both["clean"] == 0.0
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "DeafEars" in page and page.count("DeafEars") > 3
    show_eval(together, out, False)


def test_a_language_that_a_recogniser_does_not_know_is_told_before_work(tmp_path: Path) -> None:
    build(write_both(tmp_path), tmp_path / "data")
    with pytest.raises(UserError, match="knows English alone, not 'zh'"):
        run_eval(tmp_path / "data", [RECOGNISER, ENGLISH], ["bm25"], tmp_path / "out", 1, None)
    assert not (tmp_path / "out" / "results.json").exists()
    assert EnglishEars.heard == 0


def test_the_same_recogniser_twice_is_told_before_work(dataset: Path, tmp_path: Path) -> None:
    with pytest.raises(UserError, match="The same --asr stands twice"):
        run_eval(dataset, [RECOGNISER, RECOGNISER], ["bm25"], tmp_path / "out", 1, None)


def test_batches_are_made_where_asked_for_and_change_no_score(dataset: Path, tmp_path: Path) -> None:
    single, _ = run_eval(dataset, MANY, ["bm25"], tmp_path / "one", 1, tmp_path / "cache")
    assert ManyEars.calls == []
    batched, _ = run_eval(dataset, MANY, ["bm25"], tmp_path / "two", 1, tmp_path / "other", batch=3)
    assert ManyEars.calls == [3, 3, 3]
    single.pop("timing"), batched.pop("timing")
    assert single == batched


def test_a_recogniser_that_fails_on_everything_ends_the_evaluation(dataset: Path, tmp_path: Path) -> None:
    with pytest.raises(
        UserError, match=rf"^recogniser {BROKEN} failed on all 12 recordings, each time: no such model\. Mend"
    ):
        run_eval(dataset, BROKEN, ["bm25"], tmp_path / "out", 1, None)
    with pytest.raises(UserError, match=r"BrokenEars failed on all .* embedder .*:Zeros failed on all 12"):
        run_eval(dataset, BROKEN, ["bm25"], tmp_path / "out", 1, None, end_to_end=[NARROW])
    assert not (tmp_path / "out" / "results.json").exists()


def test_beside_one_that_hears_it_is_marked_and_the_reasons_are_where_it_says(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results, out = run_eval(dataset, [RECOGNISER, BROKEN], ["bm25"], tmp_path / "out", 1, None)
    show_eval(results, out, False)
    told = next(line for line in capsys.readouterr().out.splitlines() if line.startswith("Every recording"))
    said, _, path = told.removesuffix(").").partition(" (reasons: ")
    assert said == f"Every recording failed with {BROKEN}: its rows are no scores"
    assert {row["reason"] for row in rows(Path(path))} == {"no such model"}
    report = (out / "report.html").read_text(encoding="utf-8")
    tables = 1 + len(results["measures"])  # each cell says it on pointing and to screen readers
    assert report.count("every recording failed") == 2 * tables * len(CONDITIONS)


def test_the_reasons_of_single_failures_are_where_it_says(
    dataset: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results, out = run_eval(dataset, RECOGNISER, ["bm25"], tmp_path / "out", 1, None)
    results["recognition"]["en/trial"]["snr_10"]["failed"] = 1
    show_eval(results, out, False)
    told = next(line for line in capsys.readouterr().out.splitlines() if "reasons: " in line)
    assert "en/trial snr_10: 1 recording failed; they" in told
    assert Path(told.removesuffix(").").partition("reasons: ")[2]).is_file()
