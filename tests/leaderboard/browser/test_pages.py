"""All pages: silent, reachable by keyboard, readable on a phone, dark and light, and what axe finds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.leaderboard.browser.conftest import SYSTEMS, Visit

pytestmark = pytest.mark.xdist_group("browser")
PAGES = ("index.html", "compare.html", "rules.html", "systems/epsilon.html")
FIRST = {"index.html": "language", "compare.html": "first"}
AXE = {"resultTypes": ["violations"], "preload": False}
PHONE = {"viewport": {"width": 360, "height": 740}, "is_mobile": True, "has_touch": True}


def test_a_fault_would_be_heard(site: Path, visit: Visit, faults: list[str]) -> None:
    page = visit(site / "rules.html")
    page.evaluate("console.log('said'); setTimeout(() => { alert('opened'); throw new Error('thrown'); })")
    page.evaluate("new Image().src = 'https://example.org/x.png'")
    page.wait_for_timeout(100)
    kinds = {fault.partition(":")[0] for fault in faults}
    assert kinds >= {"console", "dialog", "error"}
    assert any("Content Security Policy" in fault or "outside" in fault for fault in faults)
    faults.clear()


def test_every_page_is_silent_and_its_links_lead_somewhere(site: Path, visit: Visit) -> None:
    pages = [*PAGES, *(f"systems/{name.lower()}.html" for name in SYSTEMS), "systems/elsewhere.html"]
    page = visit(site / pages[0])
    for name in pages:
        page.goto((site / name).as_uri())
        page.wait_for_load_state("load")
        assert page.locator("h1").count() == 1 and page.locator("main").inner_text().strip()
        links = page.eval_on_selector_all("a[href]", "all => all.map((one) => one.href)")
        for link in {link.partition("#")[0] for link in links if link.startswith("file:")}:
            assert Path(link.removeprefix("file://")).is_file(), (name, link)
        outer = page.locator("a[href^=http]").all()
        if name.startswith("systems/"):
            assert all("noopener" in (one.get_attribute("rel") or "") for one in outer)


def cells(page: Any, label: str) -> dict[str, list[str]]:
    table = page.get_by_role("region", name=f"Scores, {label}", exact=True)
    return {
        row.locator("th").text_content(): row.locator("td").evaluate_all(
            "all => all.map((one) => one.firstChild.textContent.trim())"
        )
        for row in table.locator("tbody tr").all()
    }


def test_a_system_is_opened_from_the_board_and_shows_the_figures_of_its_tables(
    site: Path, visit: Visit
) -> None:
    page = visit(site / "index.html", "#data=trial-set")
    page.get_by_role("link", name="Epsilon", exact=True).click()
    assert page.locator("h1").text_content() == "Epsilon"
    rows = json.loads((site / "tables/scores/epsilon.json").read_text(encoding="utf-8"))
    losses = json.loads((site / "tables/robustness/epsilon.json").read_text(encoding="utf-8"))
    recognition = json.loads((site / "tables/recognition/epsilon.json").read_text(encoding="utf-8"))
    error_rates = {
        key: [(row["condition"], row["rate"]) for row in recognition if row["part"] == key]
        for key in ("en/nq", "en/fiqa", "zh/du")
    }
    pairs = zip(error_rates["en/nq"], error_rates["en/fiqa"], strict=True)
    error_rates["en"] = [(name, (first + second) / 2) for (name, first), (_, second) in pairs]
    labels = {"text": "text (oracle)", "clean": "clean", "snr_20": "20\u202fdB", "snr_0": "0\u202fdB"}
    for part, label in (("en", "English: mean of its subsets"), ("en/nq", "en/nq"), ("zh/du", "zh/du")):
        found = cells(page, label)
        for condition, name in labels.items():
            mine = [row for row in rows if (row["part"], row["condition"]) == (part, condition)]
            wanted = [f"{row['mean']:.4f}" for row in mine]
            wanted += [f"{mine[0]['rank']} of {9 if condition == 'text' else 10}", str(mine[0]["group"])]
            for reference in ("text", "clean"):
                loss = [
                    one["mean"]
                    for one in losses
                    if (one["part"], one["what"], one["condition"])
                    == (part, f"loss_against_{reference}", condition)
                ]
                wanted.append(f"{100 * loss[0]:.1f}\u202f%".replace("-", "\u2212") if loss else "–")
            heard = [rate for name, rate in error_rates[part] if name == condition]
            wanted.append(f"{100 * heard[0]:.1f}\u202f%" if heard else "–")
            if "/" in part:
                wanted += [str(mine[0]["queries"]), str(mine[0]["no_response"])]
            assert found[name] == wanted, (part, condition)
    assert page.locator("#curves .legend li").all_text_contents() == ["en/nq", "en/fiqa", "zh/du"]


def test_a_system_page_says_where_it_comes_from(site: Path, visit: Visit) -> None:
    page = visit(site / "systems/epsilon.html")
    said = page.locator("dl").inner_text()
    for wanted in (
        "ears, revision 1",
        "encoder",
        "query: {text}\nanswer:",
        "squtr eval data",
        "zero-shot",
        "trial-set",
    ):
        assert wanted in said
    noise = page.get_by_role("region", name="By noise category, en/nq")
    assert noise.locator("tbody th").all_text_contents() == ["fan", "rain"]
    assert noise.locator("tbody td").last.text_content() == "15"
    assert page.locator("details pre").first.is_hidden()
    page.locator("summary").press("Enter")
    assert page.locator("details pre").first.is_visible()
    page.get_by_role("link", name="Compare it with another system").click()
    page.wait_for_selector("#queries tbody tr")
    assert page.locator("select[name=first]").input_value() == "epsilon"


def focus(page: Any) -> str:
    return page.evaluate("document.activeElement.textContent.trim() || document.activeElement.name")


def test_the_board_works_with_the_keyboard_alone(site: Path, visit: Visit) -> None:
    page = visit(site / "index.html", "#data=trial-set")
    page.keyboard.press("Tab")
    assert focus(page) == "To the content" and page.locator(".skip").bounding_box()["x"] >= 0
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.name") == "data"
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") == "solid"
    for _ in range(40):
        page.keyboard.press("Tab")
        if focus(page) == "clean":
            break
    assert focus(page) == "clean"
    page.keyboard.press("Enter")
    assert focus(page) == "clean"
    column = page.locator("th[aria-sort]")
    assert (column.inner_text().strip(" ▾▴"), column.get_attribute("aria-sort")) == ("clean", "descending")
    page.keyboard.press("Space")
    assert focus(page) == "clean" and column.get_attribute("aria-sort") == "ascending"
    for _ in range(40):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.type") == "checkbox":
            break
    mine = page.evaluate("document.activeElement.dataset.system")
    page.keyboard.press("Space")
    assert page.evaluate("[document.activeElement.dataset.system, document.activeElement.checked]") == [
        mine,
        True,
    ]
    assert [one.lower() for one in page.locator(".legend li").all_text_contents()] == [mine]
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    page.wait_for_url("**/systems/*.html")
    assert page.url.endswith(f"/systems/{mine}.html")


def test_a_click_right_behind_a_typed_name_sorts(site: Path, visit: Visit) -> None:
    page = visit(site / "index.html", "#data=trial-set")
    page.fill("input[name=name]", "eta")
    page.locator("thead button", has_text="System").click()
    assert page.locator("th[aria-sort]").get_attribute("aria-sort") == "ascending"


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_wider_than_a_phone(site: Path, visit: Visit, name: str) -> None:
    page = visit(site / name, "#data=trial-set" if name == "index.html" else "", **PHONE)
    page.wait_for_timeout(100)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    edges = page.eval_on_selector_all(
        "main *:not(.scroll *):not(svg *):not(.unseen)",
        "all => all.map((one) => [one.getBoundingClientRect().right, one.outerHTML.slice(0, 80)])",
    )
    assert edges and [told for right, told in edges if right > 361] == []
    regions = page.eval_on_selector_all(".scroll", "all => all.map((one) => [one.tabIndex, one.role])")
    assert all(region == [0, "region"] for region in regions)


def test_a_phone_shows_the_score_that_sorts(site: Path, visit: Visit) -> None:
    page = visit(site / "index.html", "#data=trial-set", **PHONE)
    for condition in ("snr_0", "clean"):
        page.select_option("select[name=condition]", condition)
        box = page.locator("td.chosen").first.bounding_box()
        assert box["x"] + box["width"] <= 360
        assert page.locator("thead th[aria-sort]").bounding_box()["x"] == box["x"]
    page.locator("#board .scroll, .scroll:has(#board)").evaluate("one => one.scrollLeft = 300")
    assert page.locator("#board tbody th").first.bounding_box()["x"] < 40


@pytest.mark.parametrize("name", PAGES)
def test_dark_and_light_differ_and_axe_finds_no_serious_fault(site: Path, visit: Visit, name: str) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="no axe here: it is in the extra dev"
    )
    grounds = {}
    for scheme in ("light", "dark"):
        page = visit(
            site / name,
            "#data=trial-set&draw=alpha,beta" if name == "index.html" else "",
            color_scheme=scheme,
        )
        page.wait_for_timeout(100)
        found = axe.Axe().run(page, options=AXE).response["violations"]
        assert [
            (one["id"], one["nodes"][0]["html"]) for one in found if one["impact"] in ("serious", "critical")
        ] == []
        colour = page.evaluate("getComputedStyle(document.body).backgroundColor")
        grounds[scheme] = sum(map(int, colour[4:-1].split(",")))
    assert grounds["dark"] < 200 < 600 < grounds["light"]


def test_axe_would_find_a_fault(site: Path, visit: Visit) -> None:
    axe = pytest.importorskip(
        "axe_playwright_python.sync_playwright", reason="no axe here: it is in the extra dev"
    )
    page = visit(site / "rules.html")
    page.evaluate("document.querySelector('main').append(document.createElement('input'))")
    assert [one["id"] for one in axe.Axe().run(page, options=AXE).response["violations"]] == ["label"]


def test_without_scripts_the_tables_are_still_linked(site: Path, visit: Visit) -> None:
    page = visit(site / "index.html", java_script_enabled=False)
    assert page.locator("noscript a[href='tables/board.csv']").is_visible()
    assert page.locator("noscript a[href='systems/epsilon.html']").is_visible()
    assert page.locator("table.printed").count() == 2
