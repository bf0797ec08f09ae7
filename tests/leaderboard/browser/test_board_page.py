"""The board in a browser: sort, filter, choose, tick, and an address that keeps it all."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

import pytest

from tests.leaderboard.browser.conftest import Visit

pytestmark = pytest.mark.xdist_group("browser")
MAIN = "nDCG@10 (linear gain)"


def names(page: Any) -> list[str]:
    return page.locator("#board tbody th a").all_text_contents()


def status(page: Any) -> str:
    return page.locator("#status").text_content()


def choose(page: Any, **choices: str) -> None:
    for name, value in choices.items():
        page.select_option(f"select[name={name}]", value)


def heading(page: Any, label: str) -> Any:
    return page.locator("#board thead button", has_text=label).first


def sorted_by(page: Any) -> dict[str, str]:
    found = page.locator("#board thead th[aria-sort]").all()
    return {one.locator("button").text_content(): one.get_attribute("aria-sort") for one in found}


def view(page: Any) -> dict[str, str]:
    return {name: value[0] for name, value in parse_qs(urlsplit(page.url).fragment).items()}


def rows(site: Path, part: str, condition: str, measure: str = MAIN) -> list[dict[str, Any]]:
    found = json.loads((site / "tables/board.json").read_text(encoding="utf-8"))
    wanted = [
        row
        for row in found
        if (row["dataset"], row["part"], row["condition"], row["measure"])
        == ("trial-set", part, condition, measure)
    ]
    return sorted(wanted, key=lambda row: (-row["mean"], row["name"]))


@pytest.fixture
def board(site: Path, visit: Visit) -> Any:
    """The page on the data set of ten systems, in English, at 0 dB."""
    return visit(site / "index.html", "#data=trial-set")


def test_opens_on_the_mean_of_a_language_under_the_loudest_noise(site: Path, visit: Visit) -> None:
    page = visit(site / "index.html")
    assert names(page) == ["Elsewhere"] and page.locator("#data-label").is_visible()
    assert page.locator("select[name=data] option").all_text_contents() == ["other-set (slice)", "trial-set"]
    choose(page, data="trial-set")
    assert status(page) == "10 of 10 systems; nDCG@10, mean of 2 subsets, 0\u202fdB."
    assert names(page) == [row["name"] for row in rows(site, "en", "snr_0")]
    assert sorted_by(page) == {"0\u202fdB": "descending"}


def test_shows_the_figures_and_places_of_the_tables(site: Path, board: Any) -> None:
    for part, condition in (("en", "snr_0"), ("en/fiqa", "clean"), ("en/nq", "text")):
        choose(board, part=part, condition=condition)
        wanted = [
            [
                f"{row['mean']:.4f}{row['low']:.3f}–{row['high']:.3f}",
                f"{row['rank']}{row['best_rank']}–{row['worst_rank']}",
                str(row["group"]),
            ]
            for row in rows(site, part, condition)
        ]
        lines = board.locator("#board tbody tr").all()
        found = [
            [
                line.locator("td.chosen").text_content(),
                line.locator("td.rank").text_content(),
                line.locator("td").last.text_content(),
            ]
            for line in lines
        ]
        assert found == wanted


def test_a_condition_sorts_and_sorts_back(site: Path, board: Any) -> None:
    heading(board, "clean").click()
    assert sorted_by(board) == {"clean": "descending"}
    assert names(board) == [row["name"] for row in rows(site, "en", "clean")]
    assert view(board)["condition"] == "clean"
    heading(board, "clean").click()
    assert sorted_by(board) == {"clean": "ascending"}
    means = {row["name"]: row["mean"] for row in rows(site, "en", "clean")}
    assert [means[name] for name in names(board)] == sorted(means.values())


def test_sorts_by_name_size_and_robustness(site: Path, board: Any) -> None:
    heading(board, "System").click()
    assert sorted_by(board) == {"System": "ascending"}
    assert names(board) == sorted(names(board)) and len(names(board)) == 10
    heading(board, "Size").click()
    assert sorted_by(board) == {"Size": "ascending"}
    order = ["Gamma", "Iota", "Kappa", "Epsilon", "Alpha", "Beta", "Eta", "Delta", "Theta", "Zeta"]
    assert names(board) == order
    heading(board, "Size").click()
    assert sorted_by(board) == {"Size": "descending"} and names(board) == order[::-1]
    heading(board, "Loss against text").click()
    losses = board.locator("#board tbody tr td:nth-last-child(6)").all_text_contents()
    told = [float(loss.rstrip("\u202f%").replace("\u2212", "-")) for loss in losses if loss != "–"]
    assert told == sorted(told) and losses[len(told) :] == ["–", "–"]
    assert set(names(board)[-2:]) == {"Gamma", "Iota"}


def test_error_rates_stand_beside_scores(site: Path, board: Any) -> None:
    found = json.loads((site / "tables/recognition/epsilon.json").read_text(encoding="utf-8"))
    rates = {(row["part"], row["condition"]): row["rate"] for row in found}
    macro = {
        name: (rates["en/nq", name] + rates["en/fiqa", name]) / 2 for name in ("clean", "snr_20", "snr_0")
    }
    for condition, rate in macro.items():
        choose(board, condition=condition)
        heading(board, "WER").click()
        assert names(board)[0] == "Epsilon"
        shown = board.locator("#board tbody tr td:nth-last-child(2)").all_text_contents()
        assert shown == [f"{100 * rate:.1f}\u202f%"] + ["–"] * 9
        heading(board, "clean").click()
    choose(board, language="zh", part="zh/du", condition="text")
    assert heading(board, "CER").text_content() == "CER, 0\u202fdB"
    choose(board, data="other-set")
    assert board.locator("#board thead button", has_text="WER").count() == 0


@pytest.mark.parametrize(
    ("choices", "left"),
    [
        ({"family": "end-to-end"}, {"Alpha", "Beta"}),
        ({"size": "small"}, {"Alpha", "Gamma", "Epsilon", "Iota", "Kappa"}),
        ({"size": "medium"}, {"Beta", "Eta"}),
        ({"size": "large"}, {"Delta", "Theta"}),
        ({"size": "huge"}, {"Zeta"}),
        ({"training": "seen"}, {"Alpha", "Delta"}),
        ({"training": "seen", "language": "zh"}, {"Delta"}),
        ({"licence": "Apache-2.0"}, {"Beta"}),
        ({"licence": "MIT", "size": "small", "training": "zero"}, {"Epsilon", "Iota", "Kappa"}),
        ({"family": "end-to-end", "licence": "closed"}, set()),
    ],
)
def test_filters_leave_what_they_say(board: Any, choices: dict[str, str], left: set[str]) -> None:
    choose(board, **choices)
    assert set(names(board)) == left
    assert status(board).startswith(f"{len(left)} of 10 systems;")


def test_a_name_is_looked_for_as_it_is_typed_and_reset_brings_all_back(board: Any) -> None:
    board.locator("input[name=name]").press_sequentially(" ETA")
    assert set(names(board)) == {"Beta", "Zeta", "Eta", "Theta"}
    assert status(board).startswith("4 of 10 systems;")
    board.click("button[type=reset]")
    assert names(board) == ["Elsewhere"] and status(board).startswith("1 of 1 system;")
    assert board.locator("input[name=name]").input_value() == ""


def test_systems_without_a_run_are_counted(board: Any) -> None:
    choose(board, condition="text")
    assert status(board).startswith("9 of 9 systems;") and status(board).endswith("1 without a run here.")
    assert "Iota" not in names(board)


def test_subset_language_and_measure_are_chosen(site: Path, board: Any) -> None:
    choose(board, language="zh", part="zh/du", measure="1")
    assert status(board) == "10 of 10 systems; MRR@10, du, 0\u202fdB."
    found = rows(site, "zh/du", "snr_0", "MRR@10")
    assert names(board) == [row["name"] for row in found]
    shown = board.locator("#board td.chosen").all_text_contents()
    assert [text[:6] for text in shown] == [f"{row['mean']:.4f}" for row in found]
    choose(board, language="en")
    assert board.locator("select[name=part]").input_value() == "en"


def test_the_address_keeps_the_view(site: Path, board: Any, visit: Visit) -> None:
    choose(board, part="en/nq", condition="snr_20", measure="1", size="small", training="zero")
    board.fill("input[name=name]", "a")
    heading(board, "System").click()
    board.locator("#board tbody input").first.check()
    table = board.locator("#board").inner_html()
    assert view(board) == {
        "data": "trial-set", "language": "en", "part": "en/nq", "condition": "snr_20", "measure": "1",
        "size": "small", "training": "zero", "name": "a", "sort": "name", "draw": "gamma",
    }  # fmt: skip
    again = visit(site / "index.html", "#" + urlsplit(board.url).fragment)
    assert again.locator("#board").inner_html() == table
    assert again.locator("#board tbody input").first.is_checked()
    assert again.locator(".legend li").all_text_contents() == ["Gamma"]
    assert status(again) == status(board)


def test_a_link_within_the_page_leaves_the_view_as_it_is(board: Any) -> None:
    choose(board, part="en/nq", condition="clean", family="other")
    before = board.locator("#board").inner_html()
    board.locator("table.printed td a").first.click()
    assert board.url.rpartition("#")[2].startswith("doubt-")
    board.wait_for_timeout(50)
    assert board.locator("#board").inner_html() == before


@pytest.mark.parametrize(
    "address",
    ["#sort=constructor", "#sort=__proto__-down", "#data=9&language=xx&part=..&condition=<b>&measure=-1",
     "#family=<script>alert(1)</script>&draw=nobody,__proto__,alpha", "#%E0%A4%A", "#main", "#=&&=a"],
)  # fmt: skip
def test_an_address_made_up_shows_the_board(site: Path, visit: Visit, address: str) -> None:
    page = visit(site / "index.html", address)
    assert names(page) == ["Elsewhere"]


def test_ticked_systems_are_drawn_at_most_eight(board: Any) -> None:
    assert board.locator(".legend li").all_text_contents() == names(board)[:3]
    ticked = []
    for place, name in enumerate(names(board)):
        board.get_by_label(f"Draw {name}", exact=True).check()
        ticked = [*ticked, name][-8:]
        assert board.locator(".legend li").all_text_contents() == ticked
        assert board.locator("#compare-link").is_visible() == (place > 0)
    assert board.locator("#curves > svg g").count() == 8
    checked = board.locator("#board tbody input:checked").count()
    assert checked == 8 and view(board)["draw"].count(",") == 7
    board.get_by_label("Draw Gamma", exact=True).uncheck()
    assert "Gamma" not in board.locator(".legend li").all_text_contents()


def test_a_curve_goes_through_its_scores(site: Path, board: Any) -> None:
    choose(board, part="en/nq")
    board.get_by_label("Draw Kappa", exact=True).check()
    drawn = board.locator("#curves > svg g")
    assert (
        drawn.count() == 1 and drawn.locator(".mark").count() == 4 and drawn.locator(".whisker").count() == 4
    )
    places = [one.get_attribute("transform") for one in drawn.locator(".mark").all()]
    heights = [float(place.rstrip(")").split()[1]) for place in places]
    means = [
        next(row["mean"] for row in rows(site, "en/nq", condition) if row["name"] == "Kappa")
        for condition in ("text", "clean", "snr_20", "snr_0")
    ]
    scale = (heights[3] - heights[0]) / (means[0] - means[3])
    for mean, height in zip(means, heights, strict=True):
        assert height == pytest.approx(heights[0] + scale * (means[0] - mean), abs=0.3)


def test_more_than_fifty_systems_are_shown_when_asked_and_ranks_decide_ties(site: Path, visit: Visit) -> None:
    """A board of 60: scores are rounded to four digits, the ranks behind them are not."""
    path = site / "data" / "board.js"
    whole = path.read_text(encoding="utf-8")
    value = json.loads(whole[len("squtr.board(") : -len(");\n")])
    model = next(one for one in value["systems"] if one["id"] == "alpha")
    value["systems"] = []
    for place in range(60):
        one = json.loads(json.dumps({**model, "id": f"s{place}", "name": f"System {place:02}"}))
        one["parts"]["en"]["scores"]["snr_0"][0] = [0.5, 0.4, 0.6]
        one["parts"]["en"]["scores"]["snr_0"][-1] = [60 - place, 1, 60, 1 + (60 - place) // 31]
        value["systems"].append(one)
    try:
        path.write_text(f"squtr.board({json.dumps(value)});\n", encoding="utf-8")
        page = visit(site / "index.html", "#data=trial-set")
        assert len(names(page)) == 50 and names(page)[0] == "System 59" and names(page)[49] == "System 10"
        assert page.locator("tr.new-group").get_attribute("data-id") == "s29"
        page.get_by_role("button", name="Show all 60").click()
        assert len(names(page)) == 60 and page.locator("#more").is_hidden()
        assert page.evaluate("document.activeElement.textContent") == "System 09"
    finally:
        path.write_text(whole, encoding="utf-8")
