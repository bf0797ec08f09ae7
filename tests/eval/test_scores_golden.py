"""Every figure of the stored output of trec_eval 10.0 is reproduced to its four decimals."""

import random
from collections import defaultdict
from pathlib import Path

import pytest

from squtr.eval.runs import read_run
from squtr.eval.scores import Measure, Scores, parse_measure, score_run

GOLDEN = Path(__file__).resolve().parents[1] / "data" / "trec_eval"
UNCUT = "1000"
FAMILIES = {"ndcg_cut": "nDCG", "recall": "Recall", "P": "P", "success": "Success"}


def _golden(path: Path) -> dict[str, dict[str, str]]:
    """{trec_eval's measure: {query or `all`: printed figure}}"""
    figures: dict[str, dict[str, str]] = defaultdict(dict)
    for line in path.read_text("utf-8").splitlines():
        name, query, figure = (field.strip() for field in line.split("\t"))
        figures[name][query] = figure
    return figures


def _qrels(path: Path) -> dict[str, dict[str, int]]:
    qrels: dict[str, dict[str, int]] = defaultdict(dict)
    for line in path.read_text("utf-8").splitlines():
        query, _, document, grade = line.split(" ")
        qrels[query][document] = int(grade)
    return dict(qrels)


def _measure(trec_name: str, recip_rank_cutoff: str) -> Measure:
    if trec_name == "map":
        return parse_measure(f"MAP@{UNCUT}")
    if trec_name == "recip_rank":
        return parse_measure(f"MRR@{recip_rank_cutoff}")
    family, _, cutoff = trec_name.rpartition("_")
    return parse_measure(f"{FAMILIES[family]}@{cutoff}")


def _compare(figures: dict[str, str], scores: Scores, measure: Measure) -> None:
    mine = {query: f"{values[measure.full_name]:.4f}" for query, values in scores.per_query.items()}
    assert mine | {"all": f"{scores.mean[measure.full_name]:.4f}"} == figures


@pytest.mark.parametrize("kind", ["ties", "distinct"])
@pytest.mark.parametrize(("output", "cutoff"), [("trec_eval.txt", UNCUT), ("trec_eval_M10.txt", "10")])
def test_every_figure_of_trec_eval(kind: str, output: str, cutoff: str) -> None:
    figures = _golden(GOLDEN / kind / output)
    counted = figures.pop("num_q", {"all": "60"})
    measures = {name: _measure(name, cutoff) for name in figures}
    scores = score_run(
        _qrels(GOLDEN / kind / "qrels.txt"), read_run(GOLDEN / kind / "run.txt"), list(measures.values())
    )
    assert len(measures) == (12 if cutoff == UNCUT else 3)
    assert counted == {"all": str(scores.queries)}
    for name, measure in measures.items():
        _compare(figures[name], scores, measure)


@pytest.mark.parametrize("kind", ["ties", "distinct"])
def test_the_stored_runs_hold_the_hazards_they_are_stored_for(kind: str) -> None:
    run = read_run(GOLDEN / kind / "run.txt")
    scores = score_run(_qrels(GOLDEN / kind / "qrels.txt"), run)
    assert min(scores.no_response, scores.no_positive, scores.unjudged_queries) > 0
    assert max(map(len, run.values())) < int(UNCUT)
    assert any(len(set(ranking.values())) < len(ranking) for ranking in run.values()) == (kind == "ties")


@pytest.mark.parametrize("kind", ["ties", "distinct"])
def test_the_order_of_lines_and_the_rank_column_change_nothing(kind: str, tmp_path: Path) -> None:
    qrels = _qrels(GOLDEN / kind / "qrels.txt")
    lines = (GOLDEN / kind / "run.txt").read_text("utf-8").splitlines()
    random.Random(7).shuffle(lines)
    swapped = [" ".join([*line.split(" ")[:3], "1", *line.split(" ")[4:]]) for line in lines]
    (tmp_path / "run.txt").write_text("\n".join(swapped), "utf-8")
    shuffled = dict(random.Random(7).sample(sorted(qrels.items()), len(qrels)))
    assert score_run(shuffled, read_run(tmp_path / "run.txt")) == score_run(
        qrels, read_run(GOLDEN / kind / "run.txt")
    )
