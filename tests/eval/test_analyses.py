"""The analyses of a whole evaluation, and squtr eval --sensitivity."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from squtr.commands.eval import run_eval, show_eval
from squtr.eval.measures import DEFAULT_MEASURES
from squtr.eval.sensitivity import CONTRACT, definitions
from squtr.eval.statistics import bootstrap_mean
from tests.building import RECOGNISER, build, command, write_both

OVERLAP = "tests.eval.retriever_doubles:Overlap"
MAIN = DEFAULT_MEASURES[0].full_name


@pytest.fixture(scope="module")
def dataset(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("analyses")
    build(write_both(folder), folder / "data")
    return folder / "data"


@pytest.fixture(scope="module")
def results(dataset: Path) -> dict[str, Any]:
    out = dataset.parent / "asked"
    done = command("eval", dataset, "--asr", RECOGNISER, "--retriever", "bm25", "--retriever", OVERLAP,
                   "--sensitivity", "--out", out, "--json")  # fmt: skip
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout, parse_constant=pytest.fail)
    assert found == json.loads((out / "results.json").read_text(encoding="utf-8"))
    return found


def test_every_subset_has_every_analysis(results: dict[str, Any]) -> None:
    subsets = ["en/trial", "zh/trial"]
    for part in ("comparisons", "by_query_length", "by_numbers", "by_speaker", "error_costs"):
        assert list(results[part]) == subsets
    assert list(results["robustness"]["subsets"]) == subsets
    assert list(results["robustness"]["macro"]) == ["en", "zh"]


def test_nothing_is_pooled_over_languages(results: dict[str, Any]) -> None:
    assert list(results["sensitivity"]["macro"]) == ["en", "zh"]
    assert list(results["macro"]) == ["en", "zh"]


def test_the_contract_of_the_sensitivity_is_the_reported_score(results: dict[str, Any]) -> None:
    for subset, systems in results["scores"].items():
        told = results["sensitivity"]["subsets"][subset][CONTRACT.name]["scores"]
        for system, conditions in systems.items():
            for condition, cell in conditions.items():
                assert told[system][condition] == pytest.approx(cell["measures"][MAIN]["mean"], abs=1e-9)
    assert results["sensitivity"]["policies"] == definitions()


def test_intervals_and_comparisons_are_those_of_the_scores(results: dict[str, Any], dataset: Path) -> None:
    rows = [json.loads(line) for line in (dataset.parent / "asked" / "scores.jsonl").read_text().splitlines()]
    values = [
        row[MAIN] for row in rows
        if (row["subset"], row["system"], row["condition"]) == ("en/trial", "bm25", "snr_0")
    ]  # fmt: skip
    cell = results["scores"]["en/trial"]["bm25"]["snr_0"]["measures"][MAIN]
    expected = bootstrap_mean(values, "en/trial", results["settings"]["seed"])
    assert (cell["low"], cell["mean"], cell["high"]) == (expected.low, expected.mean, expected.high)
    pair = results["comparisons"]["en/trial"]["systems"]["snr_0"]["pairs"][0]
    other = results["scores"]["en/trial"][OVERLAP]["snr_0"]["measures"][MAIN]["mean"]
    assert pair["difference"] == pytest.approx(cell["mean"] - other, abs=1e-9)


def test_without_the_flag_nothing_is_graded_anew(dataset: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found, out = run_eval(dataset, RECOGNISER, ["bm25"], dataset.parent / "plain", 1, None)
    assert found["sensitivity"] == {"subsets": None, "reason": "not asked for: squtr eval --sensitivity"}
    show_eval(found, out, as_json=False)
    assert "order of the systems" not in capsys.readouterr().out


def test_the_same_evaluation_gives_the_same_analyses(results: dict[str, Any], dataset: Path) -> None:
    again, _ = run_eval(
        dataset, RECOGNISER, [OVERLAP, "bm25"], dataset.parent / "again", 1, None, sensitivity=True
    )
    for subset, found in again["comparisons"].items():
        for condition, cells in found["systems"].items():
            before = results["comparisons"][subset]["systems"][condition]
            assert cells["letters"] == before["letters"]
            assert [one["p_holm"] for one in cells["pairs"]] == [one["p_holm"] for one in before["pairs"]]
    assert (
        again["error_costs"]["en/trial"]["rates"][0]["loss"]["bm25"]
        == (results["error_costs"]["en/trial"]["rates"][0]["loss"]["bm25"])
    )


def test_the_console_says_whether_the_order_moves(
    results: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    show_eval(results, tmp_path, as_json=False)
    assert "en/trial: the order of the systems" in capsys.readouterr().out
