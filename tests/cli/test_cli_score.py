"""`squtr score` on any qrels and runs: trec_eval's figures, and what is wrong said once, with its place."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from squtr.commands.score import run_score, show_score
from squtr.errors import UserError

GOLDEN = Path(__file__).resolve().parents[1] / "data" / "trec_eval"
QRELS = "1 0 a 3\n1 0 b 1\n1 0 c 2\n2 0 a 1\n"
RUN = "1 Q0 b 1 3.0 x\n1 Q0 c 2 2.0 x\n1 Q0 a 3 1.0 x\n"


def put(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
    return path


@pytest.fixture
def qrels(tmp_path: Path) -> Path:
    return put(tmp_path / "qrels.txt", QRELS)


def plain(capsys: pytest.CaptureFixture[str], *arguments: Any, per_query: bool = False) -> dict[str, Any]:
    show_score(run_score(*arguments), per_query, True)
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_figures_of_trec_eval_for_each_query(capsys):
    """The golden output of `trec_eval -c -q`: map of all queries, one decimal row a query."""
    folder = GOLDEN / "ties"
    measures = ["MAP@1000"]
    found = plain(capsys, folder / "qrels.txt", [folder / "run.txt"], measures, False, per_query=True)
    printed = [line.split("\t") for line in (folder / "trec_eval.txt").read_text().splitlines()]
    wanted = {query: value for name, query, value in printed if name.strip() == "map"}
    one = found["runs"]["run.txt"]
    mine = {query: f"{values['MAP@1000']:.4f}" for query, values in one["per_query"].items()}
    assert mine | {"all": f"{one['measures']['MAP@1000']['mean']:.4f}"} == wanted


def test_linear_gain_and_a_judged_query_without_a_response(qrels, tmp_path, capsys):
    found = plain(capsys, qrels, [put(tmp_path / "a.trec", RUN)], None, False, per_query=True)
    one = found["runs"]["a.trec"]
    assert round(one["per_query"]["1"]["nDCG@10 (linear gain)"], 3) == 0.790
    assert one["per_query"]["2"]["nDCG@10 (linear gain)"] == 0.0
    assert (one["queries"], one["no_response"]) == (2, 1)
    cell = one["measures"]["MRR@10"]
    assert cell["low"] <= cell["mean"] == 0.5 <= cell["high"]


def test_what_people_read(qrels, tmp_path, capsys):
    show_score(run_score(qrels, [put(tmp_path / "a.trec", RUN)], ["ndcg@10"], False), True, False)
    said = capsys.readouterr().out
    assert "nDCG@10\t1\t0.7900" in said
    assert "qrels.txt: 2 judged queries" in said
    assert "a.trec: 1 judged query without a response, scored 0." in said


def test_runs_are_compared_with_the_first(tmp_path, capsys):
    lines = [f"{number} 0 d 1" for number in range(40)]
    qrels = put(tmp_path / "qrels.txt", "\n".join(lines) + "\n")
    good = "".join(f"{number} Q0 d 1 1.0 x\n" for number in range(40))
    bad = "".join(f"{number} Q0 e 1 1.0 x\n" for number in range(40))
    runs = [put(tmp_path / "bad.trec", bad), put(tmp_path / "good.trec", good)]
    found = plain(capsys, qrels, runs, ["nDCG@10", "Recall@10"], True)
    assert [(row["run"], row["against"], row["difference"]) for row in found["compared"]] == [
        ("good.trec", "bad.trec", 1.0)
    ] * 2
    assert all(row["p"] <= row["p_holm"] == min(1.0, 2 * row["p"]) < 0.01 for row in found["compared"])


def test_a_folder_of_runs_and_names_that_repeat(qrels, tmp_path, capsys):
    put(tmp_path / "runs" / "clean" / "bm25.trec", RUN)
    packed = tmp_path / "runs" / "snr_0" / "bm25.trec.gz"
    packed.parent.mkdir()
    packed.write_bytes(gzip.compress(RUN.encode()))
    put(tmp_path / "runs" / "notes.md", "no run")
    found = plain(capsys, qrels, [tmp_path / "runs", put(tmp_path / "bm25.trec", RUN)], None, False)
    assert set(found["runs"]) == {"bm25.trec", "runs/clean/bm25.trec", "runs/snr_0/bm25.trec.gz"}
    assert len({json.dumps(one["measures"]) for one in found["runs"].values()}) == 1


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ("1 Q0 a 1 nan x\n", r"run\.trec:1: the score 'nan' is no finite number"),
        (RUN + "1 Q0 a 4 0.5 x\n", r"run\.trec:4: document 'a' is listed twice"),
        ("1 a 3\n", r"run\.trec:1: 3 columns where a TREC run has six"),
        ("q1 Q0 a 1 1 x\n", r"none of its queries is in the qrels, such as \['q1'\] against \['1', '2'\]"),
    ],
)
def test_a_faulty_run(qrels, tmp_path, run, message):
    with pytest.raises(UserError, match=message):
        run_score(qrels, [put(tmp_path / "run.trec", run)], None, False)


def test_faults_of_the_call(qrels, tmp_path):
    run = put(tmp_path / "a.trec", RUN)
    (tmp_path / "empty").mkdir()
    for arguments, message in (
        ((qrels, [run, run], None, False), "The same run is named twice"),
        ((qrels, [tmp_path / "empty"], None, False), "no run in it"),
        ((qrels, [run], ["nDGC@10"], False), "Did you mean 'ndcg'"),
        ((qrels, [run], None, True), "two runs or more"),
        ((tmp_path / "no", [run], None, False), "cannot be read"),
    ):
        with pytest.raises(UserError, match=message):
            run_score(*arguments)


def test_nothing_to_score(qrels, tmp_path):
    empty, run = put(tmp_path / "none", ""), put(tmp_path / "a.trec", RUN)
    with pytest.raises(UserError, match=r"none: no ranking in it\. Make the run again, or leave it out"):
        run_score(qrels, [run, empty], None, False)
    for nothing in ("", "query-id\tcorpus-id\tscore\n"):
        with pytest.raises(UserError, match=r"none: no judgement in it\. Give the qrels"):
            run_score(put(empty, nothing), [run], None, False)


def test_one_is_told_as_one(tmp_path, capsys):
    qrels, run = put(tmp_path / "qrels", "1 0 a 1\n"), put(tmp_path / "a.trec", RUN + "2 Q0 a 1 1 x\n")
    show_score(run_score(qrels, [run], None, False), False, False)
    said = capsys.readouterr().out
    assert "qrels: 1 judged query " in said and "a.trec: 1 query without judgements, left out." in said
