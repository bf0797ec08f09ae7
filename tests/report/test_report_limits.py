"""Oracles of adaptive systems and texts that models cut: shown where results hold them, else nothing."""

from __future__ import annotations

import copy
from pathlib import Path

from report_data import Page, report
from test_report_structure import _table

MAIN = "nDCG@10 (linear gain)"


def _with_limits(small: tuple) -> tuple:
    results, runs = copy.deepcopy(small[0]), small[1]
    results["oracles"]["subsets"] = {
        "en/tiny": {"dense": {"text": {"means": {MAIN: 0.75}, "first_is_best": 0.5}}}
    }
    results["truncation"] = {
        "zh/tiny": {"dense": {"documents": 1200, "cut": 30}, "<b>": {"pairs": 0, "cut": 0}}
    }
    return results, runs


def test_a_report_without_them_says_nothing(page: Page) -> None:
    assert not [text for text in page.texts("h4") if "Oracle" in text or "cut" in text]


def test_an_oracle_stands_beside_what_was_reached(small: tuple, tmp_path: Path) -> None:
    results, runs = _with_limits(small)
    page = Page(report(tmp_path, results, runs))
    assert page.faults == []
    rows = _table(page, f"{MAIN} of adaptive systems")
    reached = results["scores"]["en/tiny"]["dense"]["text"]["measures"][MAIN]["mean"]
    assert [row[:2] for row in rows[1:]] == [
        ["dense", f"{reached:.3f}"],
        ["dense: oracle", "0.750"],
        ["dense: first is best", "50 %"],
    ]
    assert "no such run" in rows[2][2]
    assert "a ceiling, not a system" in " ".join(page.texts("caption"))


def test_cut_texts_are_counted_and_shared(small: tuple, tmp_path: Path) -> None:
    page = Page(report(tmp_path, *_with_limits(small)))
    rows = _table(page, "Texts longer than")
    assert rows[1:] == [["dense", "documents", "1,200", "30", "2.5 %"], ["<b>", "pairs", "0", "0", "–"]]
    assert [text for text in page.texts("h4") if text == "Texts that models cut"] != []
