"""A later language end to end on the embedded engines: Japanese, three queries, built, verified, scored."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from squtr.commands.eval import run_eval
from squtr.data_build.verify import verify
from tests.building import build, manifest, rows

pytestmark = [pytest.mark.engines, pytest.mark.xdist_group("engines")]
COLLECTION = Path(__file__).resolve().parents[1] / "data" / "languages" / "ja"
MAIN = "nDCG@10 (linear gain)"


def test_japanese_end_to_end(tmp_path):
    recipe = tmp_path / "recipe.yaml"
    plain = {
        "name": "japanese",
        "collections": [{"name": "trial", "language": "ja", "path": str(COLLECTION)}],
        "select": {"limit": 3},
        "speak": {"takes": 1},
        "screen": {"max_error_rate": 0.5, "judges": [{"judge": "dictation", "min_score": 1.0}]},
        "mix": {"noise": "procedural,seconds=6", "snrs_db": [20]},
    }
    recipe.write_text(yaml.safe_dump(plain), encoding="utf-8")
    summary = build(recipe, tmp_path / "data")
    assert summary.accepted >= 2 and summary.recordings == 2 * summary.accepted
    assert verify(tmp_path / "data").faults == []
    assert all(row["speaker"].startswith("ja-") for row in manifest(tmp_path / "data"))

    results, out = run_eval(tmp_path / "data", None, ["bm25", "dense"], None, 1, None)
    clean = results["recognition"]["ja/trial"]["clean"]
    assert clean["name"] == "CER"
    assert clean["clean"]["rate"] < 0.35
    assert results["settings"]["normalisers"] == {"ja": "squtr-ja/1"}
    assert "ja: bigrams-1" in results["settings"]["retrievers"]["bm25"]
    for system in ("bm25", "dense"):
        assert results["scores"]["ja/trial"][system]["text"]["measures"][MAIN]["mean"] > 0.6
    heard = rows(out / "transcripts" / "ja" / "trial" / "clean.jsonl")
    assert all("cer" in row for row in heard)
    assert "Japanese" in (out / "report.html").read_text(encoding="utf-8")
