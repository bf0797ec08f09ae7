"""Runs and qrels of an evaluation score the same in pytrec_eval, ir_measures and ranx."""

from __future__ import annotations

from pathlib import Path

import pytest

from squtr.collection import read_qrels
from squtr.commands.eval import run_eval
from squtr.commands.score import run_score
from squtr.eval.runs import write_run
from squtr.eval.trec_qrels import write_trec_qrels
from tests.building import RECOGNISER, build, write_both

OVERLAP = "tests.eval.retriever_doubles:Overlap"
NAMES = {"nDCG@10 (linear gain)": "nDCG@10", "Recall@10": "R@10"}


@pytest.fixture(scope="module")
def evaluated(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict, Path]:
    folder = tmp_path_factory.mktemp("readers")
    build(write_both(folder), folder / "data")
    return run_eval(folder / "data", RECOGNISER, ["bm25"], None, 1, None)


def files(out: Path, key: str, condition: str) -> tuple[Path, Path]:
    return out / "qrels" / f"{key}.qrels", out / "runs" / key / condition / "bm25.trec"


def means(results: dict, key: str, condition: str) -> dict[str, float]:
    cell = results["scores"][key]["bm25"][condition]["measures"]
    return {name: interval["mean"] for name, interval in cell.items()}


CASES = [(key, condition) for key in ("en/trial", "zh/trial") for condition in ("text", "snr_10")]


@pytest.mark.parametrize(("key", "condition"), CASES)
def test_pytrec_eval(evaluated: tuple[dict, Path], key: str, condition: str) -> None:
    import pytrec_eval

    results, out = evaluated
    qrels, run = files(out, key, condition)
    with qrels.open() as judged, run.open() as ranked:
        read = pytrec_eval.parse_qrel(judged)
        scored = pytrec_eval.RelevanceEvaluator(read, {"ndcg_cut_10"}).evaluate(pytrec_eval.parse_run(ranked))
    mean = sum(row["ndcg_cut_10"] for row in scored.values()) / len(read)
    assert mean == pytest.approx(means(results, key, condition)["nDCG@10 (linear gain)"])


@pytest.mark.parametrize(("key", "condition"), CASES)
def test_ir_measures(evaluated: tuple[dict, Path], key: str, condition: str) -> None:
    ir_measures = pytest.importorskip("ir_measures", reason="needs ir_measures")
    results, out = evaluated
    qrels, run = (str(path) for path in files(out, key, condition))
    measures = {name: ir_measures.parse_measure(theirs) for name, theirs in NAMES.items()}
    found = ir_measures.calc_aggregate(
        list(measures.values()),
        list(ir_measures.read_trec_qrels(qrels)),
        list(ir_measures.read_trec_run(run)),
    )
    for name, measure in measures.items():
        assert found[measure] == pytest.approx(means(results, key, condition)[name])


@pytest.mark.parametrize(("key", "condition"), CASES)
def test_ranx(evaluated: tuple[dict, Path], key: str, condition: str) -> None:
    ranx = pytest.importorskip("ranx", reason="needs ranx")
    results, out = evaluated
    qrels, run = (str(path) for path in files(out, key, condition))
    found = ranx.evaluate(
        ranx.Qrels.from_file(qrels, kind="trec"),
        ranx.Run.from_file(run, kind="trec"),
        ["ndcg@10", "recall@10", "mrr@10"],
        make_comparable=True,
    )
    told = means(results, key, condition)
    assert found["ndcg@10"] == pytest.approx(told["nDCG@10 (linear gain)"])
    assert (found["recall@10"], found["mrr@10"]) == pytest.approx((told["Recall@10"], told["MRR@10"]))


@pytest.mark.parametrize(("key", "condition"), CASES)
def test_squtr_score(evaluated: tuple[dict, Path], key: str, condition: str) -> None:
    results, out = evaluated
    qrels, run = files(out, key, condition)
    scored = run_score(qrels, [run], None, False)
    assert scored.scores["bm25.trec"].mean == pytest.approx(means(results, key, condition))


def test_qrels_carry_ids_as_runs_do_and_grades_as_they_are(tmp_path: Path) -> None:
    write_trec_qrels(tmp_path / "a" / "b.qrels", {"q 2": {"d": -1}, "q1": {"d b": 2, "d a": 0}})
    assert (tmp_path / "a" / "b.qrels").read_text() == ("%%q%202 0 d -1\nq1 0 %%d%20a 0\nq1 0 %%d%20b 2\n")


def test_c08_ids_with_blanks_score_the_same_by_qrels_and_run_of_an_evaluation(tmp_path: Path) -> None:
    qrels = {"q 1": {"d b": 2, "d a": 1}, "q2": {"%%x": 1, "a%20b": 0}}
    write_trec_qrels(tmp_path / "q.qrels", qrels)
    write_run(tmp_path / "a.trec", {"q 1": {"d b": 2.0, "d a": 1.0}, "q2": {"%%x": 1.0}}, "a", depth=10)
    assert read_qrels(tmp_path / "q.qrels") == qrels
    (found,) = run_score(tmp_path / "q.qrels", [tmp_path / "a.trec"], ["nDCG@10"], False).scores.values()
    assert found.mean == {"nDCG@10 (linear gain)": 1.0}
    assert (found.no_response, found.unjudged_queries) == (0, 0)
