"""Results on an imported data set say whether it was found to be the official one."""

from __future__ import annotations

import json

import pytest

from squtr.commands.eval import run_eval
from squtr.commands.export import run_import
from squtr.errors import UserError
from squtr.eval.report.provenance import fact_lists
from squtr.imported import IMPORT_FILE, import_verdict
from tests.publish.published_zip import ANY_RATE, members, write_zip


def provenance(results):
    return {fact.name.text: fact.value.text for part in fact_lists(results, []) for fact in part.facts}


@pytest.fixture
def imported(tmp_path):
    archive = write_zip(tmp_path / "source_data.zip", members())
    run_import("squtr", archive, tmp_path / "data", False)
    return tmp_path / "data"


def test_results_and_report_carry_the_verdict(imported, tmp_path):
    results, place = run_eval(imported, ANY_RATE, ["bm25"], tmp_path / "out", 1, None)
    found = json.loads((imported / IMPORT_FILE).read_text())["differences"]
    assert len(found) > 2
    verdict = {"official": False, "sha256": None, "differences": len(found), "gaps": 0}
    assert json.loads((place / "results.json").read_text())["dataset"]["imported"] == verdict
    said = f"no, {len(found)} differences (import.json names them)"
    assert provenance(results)["the official SQuTR"] == said
    assert said in (place / "report.html").read_text()
    for sha256, by in ((None, "counts and bytes"), ("0" * 64, "SHA-256 of the archive")):
        results["dataset"]["imported"] = {"official": True, "sha256": sha256, "differences": 0, "gaps": 0}
        assert provenance(results)["the official SQuTR"] == f"yes, by {by}"
    results["dataset"]["imported"] = None
    assert "the official SQuTR" not in provenance(results)


@pytest.mark.parametrize("content", ["{", "[]", '{"audio": {}}'])
def test_a_broken_import_is_one_message(imported, content):
    (imported / IMPORT_FILE).write_text(content)
    with pytest.raises(UserError, match=r"import\.json: cannot be read .*Import the data set again"):
        import_verdict(imported)


def test_a_built_data_set_was_not_imported(dataset):
    assert import_verdict(dataset) is None
