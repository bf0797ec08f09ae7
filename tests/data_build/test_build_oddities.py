"""What is odd about a collection is said before the work, and kept in build.json."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.building import build, write_collection, write_recipe
from tests.conftest import ROOT

SHARED = Path(ROOT).parent / "shared" / "data"


def test_findings_are_said_and_kept(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    queries = {"q1": "who wrote hamlet", "q2": "where is １２", "q3": "nobody judged this"}
    write_collection(tmp_path / "en-trial", queries, ["q1\td-0\t1", "q2\td-1\t1", "q1\tghost\t1"])
    build(write_recipe(tmp_path), tmp_path / "out")
    said = capsys.readouterr().err
    assert "en/trial: 1 query had no judgement and so no score. (q3)" in said
    assert "en/trial: 1 judgement named a document outside the corpus" in said
    facts = json.loads((tmp_path / "out" / "build.json").read_text(encoding="utf-8"))
    kinds = {finding["kind"] for finding in facts["findings"]["en/trial"]}
    assert {"unjudged-query", "qrels-unknown-document", "fullwidth-digits"} <= kinds
    assert facts["left_out"]["en/trial"] == {"unjudged": 1, "without_positive": 0}
    assert facts["noise_categories"] == ["car", "fan", "rain"]


@pytest.mark.skipif(not SHARED.is_dir(), reason="the shared collections are not beside this checkout")
@pytest.mark.parametrize(
    ("name", "kinds"),
    [
        ("msmarco-50", {"header-missing": 1, "unjudged-query": 7, "mis-encoded": 1116, "duplicate-text": 1}),
        ("cmrc-zh-100", {"fullwidth-digits": 1}),
    ],
)
def test_the_oddities_of_the_shared_collections(name: str, kinds: dict[str, int]) -> None:
    from squtr.collection import read_collection

    found = read_collection(SHARED / name, "en").findings
    assert {finding.kind: finding.count for finding in found} == kinds
