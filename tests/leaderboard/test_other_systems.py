"""Submissions of a second recogniser, of a system that hears for itself, and of runs made elsewhere."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from squtr.commands.eval import run_eval
from squtr.errors import UserError
from squtr.leaderboard.validate import validate
from tests.building import RECOGNISER
from tests.leaderboard.making import packed, refusals

TONES = "tests.eval.embedder_doubles:Tones"
DEAF = "tests.eval.recogniser_doubles:DeafEars"


@pytest.fixture(scope="module")
def several(data: Path, evaluation: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("several") / "eval"
    runs = f"mine={evaluation}/runs/{{language}}/{{subset}}/{{condition}}/bm25.trec"
    run_eval(data, [RECOGNISER, DEAF], ["bm25"], out, 1, None, end_to_end=[TONES], runs=[runs])
    return out


def facts(folder: Path) -> dict[str, Any]:
    return json.loads((folder / "submission.json").read_text())


def test_a_second_recogniser_brings_its_own_transcripts(several: Path, data: Path, tmp_path: Path) -> None:
    out = packed(several, tmp_path / "deaf", f"bm25 | {DEAF}")
    rows = gzip.decompress((out / "transcripts/en/trial/clean.jsonl.gz").read_bytes()).decode().splitlines()
    assert {json.loads(row)["asr_text"] for row in rows} == {""}
    assert facts(out)["made"]["recogniser"] == DEAF
    assert facts(out)["made"]["command"].endswith(f"--asr '{DEAF}' --retriever 'bm25'")
    assert facts(out)["scores"]["en/trial"]["clean"]["unanswered"] == ["q1", "q2", "q3", "q4"]
    verdict = validate(out, data)
    assert verdict.accepted, refusals(verdict)
    assert verdict.scores["en/trial"]["clean"]["no_response"] == 4


def test_a_system_that_hears_for_itself_has_no_transcripts(several: Path, data: Path, tmp_path: Path) -> None:
    out = packed(several, tmp_path / "e2e", TONES, family="end-to-end", recogniser=None)
    assert not (out / "transcripts").exists()
    assert set(facts(out)["scores"]["zh/trial"]) == {"clean", "snr_10", "snr_0"}
    assert facts(out)["made"]["command"].endswith(f"--end-to-end '{TONES}'")
    verdict = validate(out, data)
    assert verdict.accepted, refusals(verdict)
    with pytest.raises(UserError, match="has no transcripts in this evaluation"):
        packed(several, tmp_path / "wrong", TONES)


def test_runs_made_elsewhere_bring_transcripts_of_their_own_or_none(
    several: Path, data: Path, tmp_path: Path
) -> None:
    with pytest.raises(UserError, match="score runs made elsewhere with --asr transcripts"):
        packed(several, tmp_path / "wrong", "mine")
    out = packed(several, tmp_path / "mine", "mine", family="other", recogniser=None)
    verdict = validate(out, data)
    assert verdict.accepted, refusals(verdict)
