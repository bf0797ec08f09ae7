"""Inputs that kill or mislead the engine, each in a process of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import squtr

GRADED = {"a": 2, "b": 1}
NEGATIVE = {"a": -2}
HIT = {"a": 2.0, "b": 1.0}
MEASURES = ["nDCG@10", "MRR@10", "Recall@10", "MAP@100"]
CHECKOUT = str(Path(squtr.__file__).resolve().parents[1])
SCRIPT = """
import json, sys
from squtr.eval.scores import parse_measure, score_run
from squtr.digest import to_plain
qrels, run, measures = json.load(sys.stdin)
print(json.dumps(to_plain(score_run(qrels, run, [parse_measure(name) for name in measures]))))
"""


def _scores(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> dict[str, list[float]]:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        input=json.dumps([qrels, run, MEASURES]),
        env={**os.environ, "PYTHONPATH": CHECKOUT},
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    return {query: list(values.values()) for query, values in json.loads(done.stdout)["per_query"].items()}


@pytest.mark.parametrize("order", [("q1", "q2"), ("q2", "q1")])
def test_c17_all_negative_query_beside_a_graded_one(order: tuple[str, str]) -> None:
    grades = {"q1": GRADED, "q2": NEGATIVE}
    scores = _scores({query: grades[query] for query in order}, dict.fromkeys(order, HIT))
    assert scores == {"q1": [1.0] * 4, "q2": [0.0] * 4}


def test_c17_all_negative_query_after_many_levels() -> None:
    qrels = {"a": {f"d{n}": n for n in range(9)}, "b": {"x": -1, "y": -7}, "c": {"x": -(2**40)}, "d": GRADED}
    scores = _scores(qrels, {"a": {"d8": 1.0}, "b": {"x": 2.0, "y": 1.0}, "c": {"x": 1.0}, "d": HIT})
    assert scores["b"] == scores["c"] == [0.0] * 4
    assert scores["d"] == [1.0] * 4


def test_ids_with_nul_stay_apart() -> None:
    qrels = {"q\0a": {"d\0x": 1, "d\0y": 0}, "q\0b": {"d\0y": 1}}
    scores = _scores(qrels, {"q\0a": {"d\0x": 2.0, "d\0y": 1.0}, "q\0b": {"d\0x": 2.0, "d\0y": 1.0}})
    assert [values[1] for values in scores.values()] == [1.0, 0.5]


def test_ids_with_half_a_surrogate_pair_are_found() -> None:
    assert _scores({"q\ud800": {"d\udfff": 1}}, {"q\ud800": {"d\udfff": 1.0}}) == {"q\ud800": [1.0] * 4}
