"""Differences, robustness, costs and sensitivity on the page: the numbers of the results and no others."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest
from report_data import Page, evaluated, report, write_dataset


def _tables(page: Page, caption: str) -> list[dict[str, list[str]]]:
    """Return the rows of every table whose caption begins so: {head: cells}."""
    found: list[dict[str, list[str]]] = []
    reading = False
    for tag, attributes, inside in page.elements:
        words = " ".join("".join(inside).split())
        if tag == "caption":
            reading = words.startswith(caption)
            if reading:
                found.append({})
        elif reading and tag == "th" and attributes.get("scope") == "row":
            found[-1][words] = []
        elif reading and tag == "td" and found[-1]:
            found[-1][list(found[-1])[-1]].append(words)
    return found


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> tuple[dict[str, Any], Page]:
    """Three systems in two English subsets, with sensitivity."""
    folder = write_dataset(tmp_path_factory.mktemp("asked") / "data", ["en/one", "en/two"])
    results, runs = evaluated(folder, ["x", "y", "z"], sensitivity=True)
    return results, Page(report(folder, results, runs))


def test_letters_stand_under_the_means(page: Page, small: Any) -> None:
    results = small[0]
    (first, _) = _tables(page, "nDCG@10 (linear gain) and letters")
    for system, cells in first.items():
        for condition, cell in zip(("text", "clean", "snr_10", "snr_0"), cells, strict=True):
            mean = results["scores"]["en/tiny"][system][condition]["measures"]["nDCG@10 (linear gain)"][
                "mean"
            ]
            letters = results["comparisons"]["en/tiny"]["systems"][condition]["letters"][system]
            assert cell == f"{mean:.3f} {''.join(letters)}"


def test_every_pair_has_its_difference_interval_and_p(page: Page, small: Any) -> None:
    pair = small[0]["comparisons"]["en/tiny"]["systems"]["text"]["pairs"][0]
    cells = _tables(page, "Difference of nDCG@10")[0]["bm25 − dense"]
    sign = "+" if pair["difference"] > 0 else "−"
    assert cells[0].startswith(f"{sign}{abs(pair['difference']):.3f}")
    assert f"p {pair['p_holm']:.3f}" in cells[0]
    effects = _tables(page, "Effect size")[0]["bm25 − dense"]
    assert effects[0].endswith(f"{pair['wins']} / {pair['ties']} / {pair['losses']}")


def test_conditions_are_compared_within_each_system(page: Page) -> None:
    rows = _tables(page, "Difference of nDCG@10")[1]
    assert list(rows)[:3] == ["text − clean", "text − 10 dB", "text − 0 dB"] and len(rows) == 6


def test_one_system_has_conditions_to_compare_and_no_letters(tmp_path: Path) -> None:
    results, runs = evaluated(write_dataset(tmp_path / "data", ["en/tiny"]), ["bm25"])
    page = Page(report(tmp_path, results, runs))
    assert not _tables(page, "nDCG@10 (linear gain) and letters")
    assert len(_tables(page, "Difference of nDCG@10")) == 1


def test_robustness_shows_the_fall_over_ten_db(page: Page, small: Any) -> None:
    found = small[0]["robustness"]["subsets"]["en/tiny"]["systems"]["bm25"]
    row = _tables(page, "Over 10 and 0 dB")[0]["bm25"]
    assert row[0].removeprefix("−").startswith(f"{abs(10 * found['slope_per_db']['mean']):.3f}")
    assert row[1].startswith(f"{found['area']['mean']:.3f}")


def test_without_noise_there_is_no_curve(tmp_path: Path) -> None:
    results, runs = evaluated(write_dataset(tmp_path / "data", ["en/tiny"], snrs=(None,)))
    text = report(tmp_path, results, runs)
    assert "so there is no curve" in text and not _tables(Page(text), "Over ")


def test_costs_show_each_kind_with_its_counts(page: Page, small: Any) -> None:
    kinds = small[0]["error_costs"]["en/tiny"]["kinds"]
    rows = _tables(page, "Loss of nDCG@10 (linear gain) that a kind of error adds")[0]
    assert set(rows) == {f"{one['edit']}: {one['word']}" for one in kinds if one["recordings"]}
    for one in kinds:
        if one["recordings"]:
            assert rows[f"{one['edit']}: {one['word']}"][0] == str(one["recordings"])


def test_sensitivity_is_there_only_when_asked_for(page: Page, asked: tuple[dict[str, Any], Page]) -> None:
    assert "Sensitivity to the grading" not in page.texts("h2")
    assert "Sensitivity to the grading" in asked[1].texts("h2")
    assert asked[1].faults == []


def test_moves_are_those_of_the_results(asked: tuple[dict[str, Any], Page]) -> None:
    results, page = asked
    tables = _tables(page, "Kendall's tau")
    assert len(tables) == 3  # two subsets and their mean
    for table, key in zip(tables, ("en/one", "en/two"), strict=False):
        for policy, cells in table.items():
            one = results["sensitivity"]["subsets"][key][policy]
            for condition, cell in zip(("text", "clean", "snr_10", "snr_0"), cells, strict=True):
                tau = one["tau"][condition]
                assert cell.startswith("–" if tau is None else f"{abs(tau):.2f}" if tau >= 0 else "−")


def test_more_than_one_subset_has_mean_robustness(asked: tuple[dict[str, Any], Page]) -> None:
    results, page = asked
    row = _tables(page, "Mean over the subsets in English")[0]["x"]
    assert row[1] == f"{results['robustness']['macro']['en']['x']['area']['mean']:.3f}"


def test_many_systems_do_not_make_endless_tables(tmp_path: Path, small: Any) -> None:
    results, runs = copy.deepcopy(small[0]), small[1]
    pair = results["comparisons"]["en/tiny"]["systems"]["text"]["pairs"][0]
    results["comparisons"]["en/tiny"]["systems"]["text"]["pairs"] = [
        {**pair, "first": f"a{n}", "second": f"b{n}"} for n in range(100)
    ]
    table = _tables(Page(report(tmp_path, results, runs)), "Difference of nDCG@10")[0]
    assert len(table) == 45
