"""Two systems query by query in a browser: figures, filters, what is saved."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from squtr.eval.statistics import paired_bootstrap
from tests.leaderboard.browser.conftest import QUERIES, Visit

pytestmark = pytest.mark.xdist_group("browser")


def opened(site: Path, visit: Visit, view: str) -> Any:
    page = visit(site / "compare.html", f"#{view}")
    page.wait_for_selector("#queries tbody tr")
    return page


@pytest.fixture
def page(site: Path, visit: Visit) -> Any:
    return opened(site, visit, "first=kappa&second=alpha&part=en/nq&condition=snr_0")


def facts(page: Any) -> dict[str, str]:
    found = {}
    for item in page.locator("#summary li").all():
        value = item.locator("strong").text_content()
        found[item.text_content().removesuffix(value).strip()] = value
    return found


def shown(page: Any) -> list[list[str]]:
    return [row.locator("th, td").all_text_contents() for row in page.locator("#queries tbody tr").all()]


def minus(text: str) -> float:
    return float(text.replace("\u2212", "-"))


def scores(site: Path, system: str, key: str, condition: str) -> dict[str, float]:
    text = (site / f"data/scores/{key}/{system}.js").read_text(encoding="utf-8")
    *_, value = json.loads("[" + text[len("squtr.scores(") : -len(");\n")] + "]")
    steps = value["steps"][value["conditions"].index(condition)]
    return {query: step / 10_000 for query, step in zip(sorted(QUERIES[key]), steps, strict=True)}


def test_the_link_of_the_board_opens_the_two_that_are_ticked(site: Path, visit: Visit) -> None:
    board = visit(site / "index.html", "#data=trial-set&part=en/fiqa&condition=clean")
    board.get_by_label("Draw Kappa", exact=True).check()
    board.get_by_label("Draw Beta", exact=True).check()
    board.click("#compare-link")
    board.wait_for_selector("#queries tbody tr")
    assert Path(board.url.partition("#")[0]).name == "compare.html"
    chosen = {
        name: board.locator(f"select[name={name}]").input_value() for name in ("first", "second", "part")
    }
    assert chosen == {"first": "kappa", "second": "beta", "part": "en/fiqa"}
    assert board.locator("select[name=condition]").input_value() == "clean"


def test_means_are_those_of_the_board_and_every_query_is_counted(site: Path, page: Any) -> None:
    rows = json.loads((site / "tables/board.json").read_text(encoding="utf-8"))
    means = {
        row["system"]: row["mean"]
        for row in rows
        if (row["part"], row["condition"]) == ("en/nq", "snr_0") and row["rank"] is not None
    }
    told = facts(page)
    assert told["Kappa"] == f"{means['kappa']:.4f}" and told["Alpha"] == f"{means['alpha']:.4f}"
    first, second = (scores(site, name, "en/nq", "snr_0") for name in ("kappa", "alpha"))
    differences = [first[query] - second[query] for query in first]
    assert int(told["first better"]) == sum(one > 0 for one in differences)
    assert int(told["second better"]) == sum(one < 0 for one in differences)
    assert int(told["first better"]) + int(told["same"]) + int(told["second better"]) == len(QUERIES["en/nq"])
    assert 0 < int(told["same"]) < len(differences)


def test_the_interval_is_about_that_of_the_paired_bootstrap(site: Path, page: Any) -> None:
    first, second = (list(scores(site, name, "en/nq", "snr_0").values()) for name in ("kappa", "alpha"))
    wanted = paired_bootstrap(first, second, "en/nq")
    middle, low, _, high = facts(page)["difference"].replace("(", "").replace(")", "").split()
    assert minus(middle) == pytest.approx(wanted.difference, abs=1e-4)
    width = wanted.high - wanted.low
    assert minus(low) == pytest.approx(wanted.low, abs=width / 20)
    assert minus(high) == pytest.approx(wanted.high, abs=width / 20)


def test_queries_stand_with_the_largest_difference_first(site: Path, page: Any) -> None:
    first, second = (scores(site, name, "en/nq", "snr_0") for name in ("kappa", "alpha"))
    rows = shown(page)
    assert {row[0]: (minus(row[1]), minus(row[2])) for row in rows} == {
        query: pytest.approx((first[query], second[query])) for query in first
    }
    sizes = [abs(minus(row[3])) for row in rows]
    assert sizes == sorted(sizes, reverse=True)
    assert page.locator("#differences svg").count() == 1
    assert page.locator("#curves .legend li").all_text_contents() == ["Kappa", "Alpha"]


@pytest.mark.parametrize(("which", "keep"), [("first", 1), ("second", -1), ("tie", 0)])
def test_filters_show_what_they_say(page: Any, which: str, keep: int) -> None:
    told = facts(page)
    page.select_option("#which", which)
    rows = shown(page)
    said = {"first": "first better", "second": "second better", "tie": "same"}[which]
    assert len(rows) == int(told[said]) > 0
    assert all((minus(row[3]) > 0) - (minus(row[3]) < 0) == keep for row in rows)


def test_what_is_saved_is_what_is_shown(page: Any) -> None:
    page.select_option("#which", "first")
    with page.expect_download() as sheet:
        page.click("#csv")
    rows = list(csv.DictReader(sheet.value.path().read_text(encoding="utf-8").splitlines()))
    assert sheet.value.suggested_filename == "comparison.csv"
    assert [row["query"] for row in rows] == [row[0] for row in shown(page)]
    assert all(float(row["difference"]) > 0 for row in rows)
    with page.expect_download() as plain:
        page.click("#json")
    told = json.loads(plain.value.path().read_text(encoding="utf-8"))
    assert (told["first"], told["second"], told["part"], told["condition"]) == (
        "kappa",
        "alpha",
        "en/nq",
        "snr_0",
    )
    assert [row["query"] for row in told["queries"]] == [row["query"] for row in rows]


def test_choices_are_kept_in_the_address(site: Path, page: Any, visit: Visit) -> None:
    page.select_option("select[name=second]", "beta")
    page.select_option("select[name=part]", "zh/du")
    page.select_option("select[name=condition]", "clean")
    page.locator("#queries tbody th", has_text="du-").first.wait_for()
    again = opened(site, visit, page.url.partition("#")[2])
    assert shown(again) == shown(page) and facts(again) == facts(page)
    assert list(facts(again))[:2] == ["Kappa", "Beta"]


def test_two_data_sets_are_never_mixed(site: Path, visit: Visit) -> None:
    page = visit(site / "compare.html", "#first=elsewhere&second=alpha")
    page.wait_for_selector("#queries tbody tr")
    offered = page.locator("select[name=second] option").all_text_contents()
    assert offered == ["Elsewhere"] and facts(page)["same"] == "6"
    page.select_option("select[name=data]", "trial-set")
    page.locator("#queries tbody th", has_text="nq-").first.wait_for()
    assert "Elsewhere" not in page.locator("select[name=first] option").all_text_contents()


def test_scores_that_are_not_there_are_told(site: Path, visit: Visit, faults: list[str]) -> None:
    path = site / "data/scores/en/nq/theta.js"
    kept = path.read_bytes()
    path.unlink()
    try:
        page = opened(site, visit, "first=kappa&second=alpha&part=en/nq")
        page.select_option("select[name=second]", "theta")
        page.locator("#status", has_text="loaded").wait_for()
        assert page.locator("#status").text_content() == "data/scores/en/nq/theta.js could not be loaded"
        assert shown(page) == [] and facts(page) == {}
    finally:
        path.write_bytes(kept)
    assert all("theta" in fault or "ERR_FILE_NOT_FOUND" in fault for fault in faults) and faults
    faults.clear()
