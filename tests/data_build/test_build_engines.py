"""A build on the embedded engines, tiny: the same bytes in one process and in two, and it verifies."""

from __future__ import annotations

import pytest

from squtr.data_build.verify import verify
from tests.building import build, files, manifest, write_trial

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("engines")]
QUERIES = {"q1": "how do plants make food from sunlight", "q2": "what is the capital of france"}


def test_c33_embedded_engines_change_no_byte(tmp_path):
    judges = [{"judge": "dictation", "min_score": 1.0}, {"judge": "dnsmos", "min_score": 1.0}]
    recipe = write_trial(
        tmp_path,
        QUERIES,
        speak={"voice": "espeak", "takes": 1},
        choose={"recogniser": "whisper-base"},
        screen={"recogniser": "whisper-base", "max_error_rate": 1.0, "judges": judges},
        mix={"noise": "procedural,seconds=6", "snrs_db": [0]},
    )
    (tmp_path / "speakers.jsonl").unlink()  # the embedded table takes its place
    summary = build(recipe, tmp_path / "one")
    assert (summary.accepted, summary.recordings) == (2, 4)
    assert summary.reused["transcribe"] == 2
    build(recipe, tmp_path / "two", workers=2)
    assert files(tmp_path / "one") == files(tmp_path / "two")
    assert verify(tmp_path / "one").faults == []
    for row in manifest(tmp_path / "one"):
        assert row["error_rate"] <= 0.34
        assert [said["judge"] for said in row["judges"]] == ["dictation", "dnsmos"]
        assert all(1 <= said["score"] <= 5 for said in row["judges"])
        if row["condition"] != "clean":
            assert row["noise_synthetic"] and row["noise_id"].startswith("synthetic_")
