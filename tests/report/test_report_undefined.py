"""What does not exist is a dash with its reason, and a page is made of whatever is there."""

from __future__ import annotations

import copy
import re
from pathlib import Path
from typing import Any

import pytest
from report_data import Page, evaluated, report, write_dataset

MEASURE = "nDCG@10 (linear gain)"


def _reasons(page: Page) -> list[str]:
    return [a.get("title", "") for a, text in page.all("td") if text.strip().startswith("–")]


def _no_numbers_gone_wrong(text: str) -> None:
    assert not re.search(r"\b(nan|NaN|None|inf|Infinity|undefined|Undefined)\b", text)


def test_c12_an_ordinary_page_holds_no_broken_number(text: str, page: Page) -> None:
    _no_numbers_gone_wrong(text)
    assert all(_reasons(page))


def test_c12_undefined_values_are_dashes_with_their_reason(tmp_path: Path, small: Any) -> None:
    results, runs = copy.deepcopy(small[0]), small[1]
    key = "en/tiny"
    nothing = {"low": None, "mean": None, "high": None, "reason": "the mean of the reference is 0"}
    for cells in results["scores"][key].values():
        for cell in cells.values():
            cell.update({name: nothing for name in cell if name.startswith("loss_")})
            cell["mean_with_positives"] = None
            cell["no_positive"] = 4
    for part in results["recognition"][key].values():
        for form in ("clean", "raw"):
            part[form].update(rate=None, reason="no reference units", median_rate=None, share_above_one=None)
    for table in ("by_noise_category", "by_speaker"):
        for conditions in results[table][key].values():
            for group in conditions.values():
                group.update(error_rate=None, scores=dict.fromkeys(group["scores"]))
    for query in results["worst_queries"][key]:
        for heard in query["heard"].values():
            heard["error_rate"] = None
    results["timing"] = {}
    results["environment"]["commit"] = None
    found = report(tmp_path, results, runs)
    _no_numbers_gone_wrong(found)
    page = Page(found)
    reasons = _reasons(page)
    assert all(reasons)
    for reason in ("the mean of the reference is 0", "no reference units", "no query has a positive"):
        assert reason in reasons
    assert "installed from a package" in page.texts("dd")
    assert len(page.all("figure")) == 5  # en: scores alone; zh: all four


@pytest.mark.parametrize("audit", ["kept", "none"])
def test_a_data_set_without_a_manifest(tmp_path: Path, audit: str) -> None:
    results, runs = evaluated(write_dataset(tmp_path / "bare", manifest=False))
    assert results["audit"]["snr"] is None and results["by_noise_category"]["en/tiny"] == {}
    if audit == "none":
        results["audit"] = None
    found = report(tmp_path, results, runs)
    _no_numbers_gone_wrong(found)
    page = Page(found)
    assert page.faults == []
    paragraphs = page.texts("p")
    assert "The data set has no manifest, so nothing can be said of what was realised." in paragraphs
    assert paragraphs.count("Nothing tells who speaks: there is no manifest.") == 2
    assert any("how its speech and noise were made is not known" in text for text in paragraphs)
    assert len(page.all("figure")) == 6 and len(page.all("audio")) > 0
    assert not any("synthetic" in text for text in paragraphs)


def test_a_data_set_of_clean_speech_alone(tmp_path: Path) -> None:
    results, runs = evaluated(write_dataset(tmp_path / "quiet", ["en/tiny"], [None]))
    page = Page(report(tmp_path, results, runs))
    assert "There is no noise in this subset." in page.texts("p")
    assert any("from clean speech." in text for text in page.texts("p"))
    assert "Signal-to-noise ratio" not in page.texts("h3")


def test_noise_without_clean_speech(tmp_path: Path) -> None:
    results, runs = evaluated(write_dataset(tmp_path / "loud", ["en/tiny"], [5.0, -2.5]))
    page = Page(report(tmp_path, results, runs))
    assert "5 dB" in page.texts("th") and "\u22122.5 dB" in page.texts("th")
    assert not any("clean speech:" in text for text in page.texts("caption"))


def test_subsets_with_different_conditions_are_not_compared(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path / "data", ["en/a"], [None, 10.0])
    write_dataset(tmp_path / "more", ["en/b"], [None, 10.0, 0.0])
    (tmp_path / "more" / "en" / "b").rename(folder / "en" / "b")
    results, runs = evaluated(folder)
    page = Page(report(tmp_path, results, runs))
    lead = next(text for a, text in page.all("p") if a.get("class") == "lead")
    assert "at 10\u202fdB (" in lead and "at 0\u202fdB (" not in lead
    heads = page.texts("th")
    assert heads[: heads.index("0 dB") + 1] == ["system", "text", "clean", "10 dB", "0 dB"]


def test_queries_that_no_system_can_win_are_told(tmp_path: Path) -> None:
    results, runs = evaluated(write_dataset(tmp_path / "zero", ["en/tiny"], grade=0))
    page = Page(report(tmp_path, results, runs))
    assert "best possible" in page.texts("th")
    paragraphs = page.texts("p")
    assert "1 judged query without a positive judgement, scored 0." in paragraphs
    assert any("allow no more than nDCG@10 (linear gain) 0.750" in text for text in paragraphs)
    assert any("over the queries that have a positive" in text for text in page.texts("caption"))


def test_queries_without_a_response_are_counted(tmp_path: Path, small: Any) -> None:
    results, runs = copy.deepcopy(small[0]), small[1]
    results["scores"]["en/tiny"]["bm25"]["snr_0"]["no_response"] = 2
    page = Page(report(tmp_path, results, runs))
    assert "Queries of 4 without a response; each scores 0." in page.texts("caption")
    assert page.texts("p").count("Every judged query got a response from every system.") == 1


def test_findings_of_the_collection_are_listed(tmp_path: Path, small: Any) -> None:
    results, runs = copy.deepcopy(small[0]), small[1]
    finding = {
        "kind": "empty-document",
        "count": 1,
        "message": "1 document had no text.",
        "examples": ["a.jsonl:7"],
    }
    results["dataset"]["subsets"]["en/tiny"]["findings"] = [finding]
    page = Page(report(tmp_path, results, runs))
    assert "1 document had no text. (a.jsonl:7)" in page.texts("p")


def test_no_query_suffers(tmp_path: Path, small: Any) -> None:
    results, runs = copy.deepcopy(small[0]), small[1]
    results["worst_queries"] = {key: [] for key in results["worst_queries"]}
    page = Page(report(tmp_path, results, runs))
    assert page.texts("p").count("No query scores lower when spoken than when written.") == 2
    assert page.all("audio") == []


def test_a_language_without_a_normaliser_shows_the_transcript_unmarked(tmp_path: Path, small: Any) -> None:
    results, runs = copy.deepcopy(small[0]), small[1]
    results["dataset"]["subsets"]["en/tiny"]["language"] = "xx"
    results["macro"]["xx"] = results["macro"].pop("en")
    page = Page(report(tmp_path, results, runs))
    heard = [text for _, a, inside in page.elements if a.get("lang") == "xx" for text in ["".join(inside)]]
    assert any("please" in text for text in heard)
