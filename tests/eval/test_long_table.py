"""results.csv and results.parquet: every figure of results.json, one row each, as others read them."""

from __future__ import annotations

import csv
import math
import shutil
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from squtr.commands.eval import run_eval
from squtr.eval.long_table import SCHEMA, long_rows
from tests.building import RECOGNISER, build, write_both

OVERLAP = "tests.eval.retriever_doubles:Overlap"
TONES = "tests.eval.embedder_doubles:Tones"
MAIN = "nDCG@10 (linear gain)"
DEAF = "tests.eval.recogniser_doubles:UnsureEars"


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict, Path]:
    folder = tmp_path_factory.mktemp("long")
    build(write_both(folder), folder / "data")
    return run_eval(folder / "data", RECOGNISER, ["bm25", OVERLAP], None, 1, None, end_to_end=[TONES])


def test_parquet_and_csv_hold_the_same_rows(evaluated: tuple[dict, Path]) -> None:
    results, out = evaluated
    table = pq.read_table(out / "results.parquet")
    assert table.schema.equals(SCHEMA)
    assert table.to_pylist() == list(long_rows(results))
    with (out / "results.csv").open(encoding="utf-8", newline="") as file:
        text = list(csv.DictReader(file))
    assert len(text) == table.num_rows > 0
    for line, row in zip(text, table.to_pylist(), strict=True):
        assert {name: "" if value is None else str(value) for name, value in row.items()} == line


def test_every_score_and_loss_of_the_results_has_a_row(evaluated: tuple[dict, Path]) -> None:
    results, _ = evaluated
    rows = {
        (row["language"], row["subset"], row["system"], row["condition"], row["metric"]): row
        for row in long_rows(results)
    }
    for key, systems in results["scores"].items():
        for system, conditions in systems.items():
            for condition, cell in conditions.items():
                for metric, interval in cell["measures"].items():
                    row = rows.pop((*key.split("/"), system, condition, metric))
                    told = (row["value"], row["low"], row["high"])
                    assert told == (interval["mean"], interval["low"], interval["high"])
                    assert (row["n"], row["no_response"]) == (cell["queries"], cell["no_response"])
                for loss in ("loss_against_text", "loss_against_clean"):
                    if loss in cell:
                        assert (
                            rows.pop((*key.split("/"), system, condition, f"{loss}, {MAIN}"))["value"]
                            == cell[loss]["mean"]
                        )
    assert {(row["kind"], row["system"]) for row in rows.values()} == {("recogniser", RECOGNISER)}
    assert {row["metric"] for row in rows.values()} == {"WER", "WER (as written)", "CER", "CER (as written)"}


def test_kinds_recognisers_and_snr(evaluated: tuple[dict, Path]) -> None:
    results, _ = evaluated
    told = {(row["kind"], row["condition"], row["recogniser"], row["snr_db"]) for row in long_rows(results)}
    assert ("system", "text", None, None) in told
    assert ("system", "snr_10", RECOGNISER, 10.0) in told
    assert ("end_to_end", "snr_0", None, 0.0) in told
    assert ("recogniser", "clean", RECOGNISER, None) in told


def test_of_several_recognisers_each_system_names_its_own(
    evaluated: tuple[dict, Path], tmp_path: Path
) -> None:
    data = evaluated[1].with_name("data")
    results, _ = run_eval(data, [RECOGNISER, DEAF], ["bm25"], tmp_path / "out", 1, None)
    pairs = {
        (row["system"], row["recogniser"])
        for row in long_rows(results)
        if row["kind"] == "system" and row["condition"] == "clean"
    }
    assert pairs == {(f"bm25 | {RECOGNISER}", RECOGNISER), (f"bm25 | {DEAF}", DEAF)}


def test_oracles_are_rows_apart_and_undefined_values_are_null(evaluated: tuple[dict, Path]) -> None:
    results, _ = evaluated
    cell = {"mean": None, "low": None, "high": None, "reason": "nothing to lose"}
    changed = {
        **results,
        "oracles": {"subsets": {"en/trial": {"adaptive": {"text": {"means": {MAIN: 0.5}}}}}},
        "scores": {
            "en/trial": {
                "bm25": {"text": {**results["scores"]["en/trial"]["bm25"]["text"], "measures": {MAIN: cell}}}
            },
            "zh/trial": {},
        },
    }
    rows = list(long_rows(changed))
    assert [(row["system"], row["value"]) for row in rows if row["kind"] == "oracle"] == [("adaptive", 0.5)]
    assert [row["value"] for row in rows if row["kind"] == "system" and row["metric"] == MAIN] == [None]


def test_pandas_reads_both(evaluated: tuple[dict, Path]) -> None:
    pandas = pytest.importorskip("pandas", reason="needs pandas, which squtr does without")
    results, out = evaluated
    frame = pandas.read_csv(out / "results.csv")
    scores = frame[(frame.metric == MAIN) & (frame.kind != "oracle")]
    wide = scores.pivot(index=["language", "subset", "system"], columns="condition", values="value")
    told = results["scores"]["en/trial"]["bm25"]["snr_0"]["measures"][MAIN]["mean"]
    assert math.isclose(wide.loc[("en", "trial", "bm25"), "snr_0"], told)
    assert len(pandas.read_parquet(out / "results.parquet")) == len(frame)


def test_a_run_made_elsewhere_is_a_kind_of_its_own(evaluated: tuple[dict, Path], tmp_path: Path) -> None:
    _, out = evaluated
    runs = tmp_path / "theirs"
    shutil.copytree(out / "runs", runs, ignore=shutil.ignore_patterns("system-*", "tests.*"))
    data = out.with_name("data")
    results, _ = run_eval(data, RECOGNISER, [OVERLAP], tmp_path / "out", 1, None, runs=[str(runs)])
    kinds = {
        (row["system"], row["kind"], row["recogniser"])
        for row in long_rows(results)
        if row["condition"] != "text"
    }
    assert {one for one in kinds if one[1] != "recogniser"} == {
        ("bm25", "run", None),
        (OVERLAP, "system", RECOGNISER),
    }
