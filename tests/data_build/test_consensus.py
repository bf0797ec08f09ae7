"""Two audio LLM judges on this machine in a small build, and the recipe's consensus of their scores."""

from __future__ import annotations

import contextlib
import json
import re
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any

import pytest

from squtr.data_build.screen import judges_reason
from squtr.errors import UserError
from squtr.recipe import JudgeRule, Screen
from tests import loopback
from tests.building import RECOGNISER, build, command, manifest, rows, write_trial
from tests.loopback import Behaviour, Loopback, says, serving, verdict

KEY = "sk-very-secret-0123456789"
QUERIES = {
    "good": "who wrote hamlet",
    "mixed": "where is the tallest tree",
    "bad": "how deep is the sea",
    "lost": "when was paper invented",
}
FIRST = {"good": 4.8, "mixed": 4.6, "bad": 2.0, "lost": 4.9}
SECOND = {"good": 4.4, "mixed": 3.6, "bad": 3.0, "lost": None}


def scoring(scores: dict[str, float | None]) -> Behaviour:
    """Answer with the score of the query that is asked about; None is no JSON."""

    def answer(handler: BaseHTTPRequestHandler, request: Any) -> None:
        asked = json.loads(request["messages"][1]["content"][0]["text"])["intended_text"]
        score = scores[next(name for name, text in QUERIES.items() if text == asked)]
        content = "I would rather not say." if score is None else verdict(score)
        says(content)(handler, request)

    return answer


@contextlib.contextmanager
def two_judges() -> Iterator[tuple[Loopback, Loopback]]:
    with serving(scoring(FIRST)) as first, serving(scoring(SECOND)) as second:
        yield first, second


def spec(server: Loopback, model: str, folder: Path, **options: object) -> str:
    limits = {"key": "SQUTR_TEST_KEY", "tries": 2, "backoff": 0.01, "state": folder / "state"} | options
    pairs = ",".join(f"{name}={value}" for name, value in limits.items())
    return f"audio-llm,model={model},base_url={server.base_url},{pairs}"


def trial(folder: Path, servers: tuple[Loopback, Loopback], consensus: str | None, **options: object) -> Path:
    names = [spec(server, model, folder, **options) for server, model in zip(servers, "ab", strict=True)]
    screen: dict[str, Any] = {"judges": [{"judge": name, "min_score": 4.0} for name in names]}
    return write_trial(folder, QUERIES, screen=screen | ({"consensus": consensus} if consensus else {}))


@pytest.fixture(autouse=True)
def _key(monkeypatch):
    monkeypatch.setenv("SQUTR_TEST_KEY", KEY)


@pytest.mark.parametrize(
    ("consensus", "accepted"),
    [
        (None, {"good"}),
        ("both", {"good"}),
        ("mean", {"good", "mixed"}),
        ("any", {"good", "mixed", "lost"}),
    ],
)
def test_two_judges_and_their_consensus(tmp_path, consensus, accepted):
    with two_judges() as servers:
        summary = build(trial(tmp_path, servers, consensus), tmp_path / "out")
    assert {row["query_id"] for row in manifest(tmp_path / "out")} == accepted
    assert (summary.accepted, summary.crashed) == (len(accepted), {})
    assert [server.count for server in servers] == [4, 5]
    rejected = {row["query_id"]: row for row in rows(tmp_path / "out" / "rejected.jsonl")}
    assert set(rejected) == set(QUERIES) - accepted
    assert {row["stage"] for row in rejected.values()} == {"judge"}
    for row in rejected.values():
        assert next(iter(row["judges"].values()))["status"] == "ok"
    if "lost" in rejected:
        assert "model=b" in rejected["lost"]["reason"]
        assert "an answer without JSON" in rejected["lost"]["reason"]
    if consensus == "mean":
        assert "judges gave 2.50 on average, below 4:" in rejected["bad"]["reason"]


def test_the_scores_and_reasons_stand_in_the_manifest(tmp_path):
    with two_judges() as servers:
        build(trial(tmp_path, servers, "any"), tmp_path / "out")
    clean = {
        row["query_id"]: row["judges"] for row in manifest(tmp_path / "out") if row["condition"] == "clean"
    }
    assert [said["score"] for said in clean["good"]] == [4.8, 4.4]
    assert clean["good"][0]["reasons"] == ["signal: clean", "heard: so it is"]
    assert [said["score"] for said in clean["lost"]] == [4.9, None]
    assert re.search("an answer without JSON .*2 times", clean["lost"][1]["reasons"][0])
    assert command("verify", tmp_path / "out").returncode == 0


def test_the_key_is_in_no_file_and_no_output(tmp_path):
    with two_judges() as servers:
        recipe = trial(tmp_path, servers, "both")
        done = command("build", recipe, "--out", tmp_path / "out", "--workers", 2, SQUTR_TEST_KEY=KEY)
        servers[0].does(loopback.error(401, f"wrong key {KEY}"))
        again = command("build", recipe, "--out", tmp_path / "two", SQUTR_TEST_KEY=KEY)
        assert servers[0].headers[0]["Authorization"] == f"Bearer {KEY}"
    assert done.returncode == 0, done.stderr
    assert again.returncode == 0, again.stderr
    for text in (done.stdout, done.stderr, again.stdout, again.stderr):
        assert KEY not in text
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes(), file


def test_a_rejected_key_stops_the_build_without_showing_it(tmp_path):
    with two_judges() as servers:
        servers[0].does(loopback.error(401, f"wrong key {KEY}"))
        done = command("build", trial(tmp_path, servers, "both"), "--out", tmp_path / "out")
    assert done.returncode == 2
    assert "the key is not accepted (HTTP 401)" in done.stderr
    assert "wrong key [key]" in done.stderr
    assert KEY not in done.stdout + done.stderr


def test_a_missing_key_is_found_before_any_work(tmp_path, monkeypatch):
    monkeypatch.delenv("SQUTR_TEST_KEY")
    with two_judges() as servers, pytest.raises(UserError, match="SQUTR_TEST_KEY is not set"):
        build(trial(tmp_path, servers, "both"), tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert servers[0].count == 0


def test_the_cap_stops_the_build_and_raised_it_goes_on_where_it_stopped(tmp_path, monkeypatch):
    with two_judges() as servers:
        recipe = trial(tmp_path, servers, "both", usd_per_request=1, max_usd=3)
        with pytest.raises(UserError, match=r"3\.0000 USD of 3 USD are spent.*run the same command again"):
            build(recipe, tmp_path / "out")
        assert [server.count for server in servers] == [3, 0]
        assert not (tmp_path / "out" / "manifest.jsonl").exists()
        monkeypatch.setenv("SQUTR_MAX_USD", "10")
        summary = build(recipe, tmp_path / "out")
    assert [server.count for server in servers] == [4, 5]
    assert summary.accepted == 1
    assert summary.computed.get("speak", 0) == 0


def test_no_answer_for_now_is_tried_again_at_the_next_run(tmp_path):
    with two_judges() as servers:
        recipe = trial(tmp_path, servers, "both")
        scores = servers[0].behaviours[0]
        servers[0].does(loopback.error(500), loopback.error(500), scores)
        summary = build(recipe, tmp_path / "out")
        assert (summary.accepted, summary.crashed) == (0, {"judge": 1})
        summary = build(recipe, tmp_path / "out")
        assert (summary.accepted, summary.crashed) == (1, {})
        assert servers[0].count == 6


def test_answers_outlive_the_data_set_they_were_paid_for(tmp_path):
    with two_judges() as servers:
        recipe = trial(tmp_path, servers, "both")
        build(recipe, tmp_path / "one")
        counts = [server.count for server in servers]
        build(recipe, tmp_path / "two")
        assert [server.count for server in servers] == [counts[0], counts[1] + 2]
    assert (tmp_path / "one" / "manifest.jsonl").read_bytes() == (
        tmp_path / "two" / "manifest.jsonl"
    ).read_bytes()


def said(score: float | None) -> dict[str, Any]:
    if score is None:
        return {"status": "failed", "reason": "broke down"}
    return {"status": "ok", "score": score, "scale": "", "reasons": []}


def rule(consensus: str, *wanted: float) -> Screen:
    judges = tuple(JudgeRule(judge=f"j{place}", min_score=score) for place, score in enumerate(wanted))
    return Screen(recogniser=RECOGNISER, judges=judges, consensus=consensus)  # type: ignore[arg-type]


def reason(consensus: str, wanted: tuple[float, ...], *scores: float | None) -> str | None:
    given = {f"j{place}": said(score) for place, score in enumerate(scores)}
    return judges_reason(given, rule(consensus, *wanted))


@pytest.mark.parametrize(
    ("scores", "both", "mean", "any_of_them"),
    [
        ((4.0, 4.0), True, True, True),
        ((5.0, 3.0), False, True, True),
        ((4.9, 3.0), False, False, True),
        ((3.9, 3.9), False, False, False),
        ((5.0, None), False, False, True),
        ((3.9, None), False, False, False),
        ((None, None), False, False, False),
        ((4.1, 3.9), False, True, True),
        ((4.3, 3.7), False, True, True),
    ],
)
def test_what_each_consensus_means(scores, both, mean, any_of_them):
    passes: Callable[[str], bool] = lambda consensus: reason(consensus, (4.0, 4.0), *scores) is None  # noqa: E731
    assert (passes("both"), passes("mean"), passes("any")) == (both, mean, any_of_them)


def test_judges_on_different_scales():
    assert reason("mean", (4.0, 2.5), 3.6, 2.9) is None
    assert reason("mean", (4.0, 2.5), 3.5, 2.9) is not None
    assert reason("any", (4.0, 2.5), 3.0, 2.5) is None


@pytest.mark.parametrize("consensus", ["both", "mean", "any"])
def test_no_judges_reject_nothing(consensus):
    assert reason(consensus, ()) is None


def test_an_unknown_consensus(tmp_path):
    with two_judges() as servers, pytest.raises(UserError, match=r"screen\.consensus"):
        build(trial(tmp_path, servers, "most"), tmp_path / "out")
