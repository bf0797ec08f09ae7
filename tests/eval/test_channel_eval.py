"""Channels in a whole evaluation and a whole search, on doubles."""

from __future__ import annotations

import json
import re
import shutil
from pathlib import Path

import pytest

from squtr.commands.eval import run_eval, show_eval
from squtr.commands.search import run_search, show_search
from squtr.eval.channel_files import channel_file_name
from squtr.eval.long_table import long_rows
from squtr.eval.runs import read_run
from squtr.eval.scores import score_run
from tests.building import RECOGNISER, build, command, rows, write_both
from tests.eval.retriever_doubles import Overlap

OVERLAP = "tests.eval.retriever_doubles:Overlap"
LOSING, LAST, FAILING = (f"tests.eval.channel_doubles:{name}" for name in ("Losing", "Last", "Failing"))
CHANNELS = [LOSING, LAST, FAILING, "typos@0.16"]
MAIN = "nDCG@10 (linear gain)"
TIMED = ("timing", "environment", "channels")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("channels")
    build(write_both(folder), folder / "data")
    return folder


@pytest.fixture(scope="module")
def studied(folder: Path) -> tuple[dict, Path]:
    Overlap.asked.clear()
    out = folder / "studied"
    return run_eval(
        folder / "data", RECOGNISER, ["bm25", OVERLAP], out, 1, None, channels=CHANNELS, channel_seeds=3
    )


def test_every_channel_the_language_has_is_studied(studied: tuple[dict, Path]) -> None:
    found = studied[0]["channels"]
    assert found["seeds"] == [2602, 2603, 2604]
    assert list(found["channels"]) == CHANNELS
    assert list(found["subsets"]["en/trial"]["channels"]) == CHANNELS
    assert list(found["subsets"]["zh/trial"]["channels"]) == [LOSING, FAILING, "typos@0.16"]
    assert list(found["subsets"]["zh/trial"]["skipped"]) == [LAST]
    assert found["subsets"]["en/trial"]["tests"] == 8
    for one in found["subsets"]["en/trial"]["channels"].values():
        assert list(one["systems"]) == ["bm25", OVERLAP]


def test_each_text_is_searched_once(studied: tuple[dict, Path]) -> None:
    assert len(Overlap.asked) == len(set(Overlap.asked))


def test_nothing_else_moves_and_without_channels_the_part_is_null(
    folder: Path, studied: tuple[dict, Path], tmp_path: Path
) -> None:
    plain, out = run_eval(folder / "data", RECOGNISER, ["bm25", OVERLAP], tmp_path / "out", 1, None)
    assert plain["channels"] is None
    assert {name: part for name, part in studied[0].items() if name not in TIMED} == {
        name: part for name, part in plain.items() if name not in TIMED
    }
    assert not (out / "channels").exists()
    assert 'id="channels"' not in (out / "report.html").read_text()


def test_runs_and_texts_give_the_reported_means(folder: Path, studied: tuple[dict, Path]) -> None:
    results, out = studied
    qrels: dict[str, dict[str, int]] = {}
    for row in rows(folder / "data" / "en" / "trial" / "qrels" / "test.jsonl"):
        qrels.setdefault(row["query-id"], {})[row["corpus-id"]] = row["score"]
    for channel in CHANNELS:
        cell = results["channels"]["subsets"]["en/trial"]["channels"][channel]["systems"]["bm25"]
        for seed, mean in zip((2602, 2603, 2604), cell["by_seed"], strict=True):
            place = out / "runs" / "en" / "trial" / "channels" / channel_file_name(channel) / str(seed)
            assert score_run(qrels, read_run(place / "bm25.trec")).mean[MAIN] == mean
    texts = rows(out / "channels" / "en" / "trial.jsonl")
    assert len(texts) == len(CHANNELS) * 3 * 4
    failed = [row for row in texts if row["status"] == "failed"]
    assert {(row["channel"], row["_id"], row["text"]) for row in failed} == {
        (FAILING, "q4", "when was paper invented")
    }


def test_what_seeds_do_not_change_has_no_test(studied: tuple[dict, Path]) -> None:
    one = studied[0]["channels"]["subsets"]["en/trial"]["channels"][LAST]
    assert not one["seeds_differ"]
    assert all(cell["p"] is None and "same texts" in cell["reason"] for cell in one["systems"].values())


def test_the_long_table_has_their_rows(studied: tuple[dict, Path]) -> None:
    results = studied[0]
    found = [row for row in long_rows(results) if row["kind"] == "channel"]
    by_place = {(row["language"], row["condition"], row["system"], row["metric"]): row for row in found}
    assert len(by_place) == len(found)
    cell = results["channels"]["subsets"]["zh/trial"]["channels"]["typos@0.16"]["systems"]["bm25"]
    assert by_place["zh", "typos@0.16", "bm25", MAIN]["value"] == pytest.approx(cell["mean"])
    loss = by_place["zh", "typos@0.16", "bm25", f"loss_against_text, {MAIN}"]
    assert loss["value"] == pytest.approx(cell["loss"]["mean"])
    survival = by_place["en", LOSING, "", "token_survival"]
    assert survival["value"] == pytest.approx(1 - 4 / 17)


def test_the_report_has_a_section_with_table_and_charts(studied: tuple[dict, Path]) -> None:
    page = (studied[1] / "report.html").read_text()
    part = re.search(r'<section id="channels".*?</section>', page, re.DOTALL)
    assert part and '<a href="#channels">' in page
    assert part[0].count("<svg ") > 2 and "typos@0.16" in part[0] and "at 3 seeds" in part[0]
    assert f"{LAST[:20]}" in part[0] and "Left out here." in part[0]


def test_the_printed_table_says_loss_and_what_failed(
    studied: tuple[dict, Path], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "200")
    show_eval(*studied, False)
    printed = capsys.readouterr().out
    assert f"en/trial: loss of {MAIN} against the text, 4 queries" in printed
    assert f"en/trial {FAILING}: 3 of 12 texts failed and kept their text." in printed
    assert f"en/trial {FAILING}: 3 of 12 texts have nothing left." in printed
    assert "zh/trial: Channel" in printed and "Left out." in printed


def test_a_later_evaluation_without_channels_leaves_none(folder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    run_eval(folder / "data", RECOGNISER, ["bm25"], out, 1, None, channels=[LAST], channel_seeds=1)
    assert (out / "channels" / "en" / "trial.jsonl").is_file()
    found = json.loads((out / "results.json").read_text())
    assert found["channels"]["subsets"]["zh/trial"]["channels"] == {}
    show_eval(found, out, False)
    run_eval(folder / "data", RECOGNISER, ["bm25"], out, 1, None)
    assert not (out / "channels").exists()
    assert not (out / "runs" / "en" / "trial" / "channels").exists()


def test_one_and_two_workers_give_the_same(folder: Path, tmp_path: Path) -> None:
    found = []
    for workers in (1, 2):
        copy, out = tmp_path / f"data{workers}", tmp_path / str(workers)
        shutil.copytree(folder / "data", copy, ignore=shutil.ignore_patterns(".squtr"))
        results, _ = run_eval(copy, RECOGNISER, ["bm25"], out, workers, None, channels=CHANNELS)
        files = {
            path.relative_to(out): path.read_bytes()
            for path in sorted(out.rglob("*"))
            if path.suffix in (".trec", ".jsonl") and ".squtr" not in path.parts
        }
        found.append((files, results["channels"]))
    assert found[0] == found[1]


def test_a_bare_collection_can_be_studied_and_gives_the_same_texts(
    folder: Path, studied: tuple[dict, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    scored, channels = run_search(
        folder / "en-trial", "en", ["bm25", OVERLAP], None, out := tmp_path / "out", None, CHANNELS, 3
    )
    assert channels is not None
    mine, theirs = channels["subsets"]["en-trial"], studied[0]["channels"]["subsets"]["en/trial"]
    for name, one in theirs["channels"].items():
        assert mine["channels"][name]["realised"] == one["realised"]
        for system, cell in one["systems"].items():
            assert mine["channels"][name]["systems"][system]["by_seed"] == cell["by_seed"]
    assert rows(out / "channels.jsonl") == rows(studied[1] / "channels" / "en" / "trial.jsonl")
    assert (out / "channels" / "typos@0.16" / "2604" / "bm25.trec").is_file()
    show_search(scored, channels, True)
    assert json.loads(capsys.readouterr().out, parse_constant=pytest.fail)["channels"] == channels
    show_search(scored, channels, False)
    assert "en-trial: loss of" in capsys.readouterr().out


def test_a_search_without_channels_is_as_it_was(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    scored, channels = run_search(folder / "en-trial", "en", ["bm25"], None, None, None)
    assert channels is None
    show_search(scored, channels, True)
    assert "channels" not in json.loads(capsys.readouterr().out)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("eval", "DATA", "--channel", "typoss@0.1"), "Did you mean 'typos'"),
        (("eval", "DATA", "--channel", "typos@2"), "rate"),
        (("eval", "DATA", "--channel", "typos@0.1", "--channel-seeds", "0"), "channel-seeds"),
        (("search", "EN", "--language", "zh", "--channel", "connected-key@0.2"), "'zh'"),
        (("search", "EN", "--language", "en", "--channel", "context-swap"), "queries have a text"),
    ],
)
def test_bad_channels_are_one_message_and_nothing_is_written(
    folder: Path, tmp_path: Path, arguments: tuple[str, ...], message: str
) -> None:
    places = {"DATA": folder / "data", "EN": folder / "en-trial"}
    filled = [str(places.get(argument, argument)) for argument in arguments]
    done = command(*filled, "--retriever", "bm25", "--out", str(tmp_path / "out"))
    assert done.returncode == 2, done.stderr
    assert message in done.stderr and "Traceback" not in done.stderr
    assert not (tmp_path / "out").exists()
