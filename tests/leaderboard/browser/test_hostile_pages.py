"""What submitters and data sets may write is shown as text: nothing of it acts on a page or in a sheet."""

from __future__ import annotations

import csv
import json
import math
from pathlib import Path
from typing import Any

import pytest

from squtr.leaderboard.lines import write_lines
from tests.leaderboard.boards import SPOKEN, drawn, rendered, write_data, write_submission
from tests.leaderboard.browser.conftest import Visit
from tests.leaderboard.making import seal

pytestmark = pytest.mark.xdist_group("browser")
MARKUP = "<script>alert(1)</script>"
CLOSING = "</script></table><img src=x onerror=alert(2)>"
TURNED = "a\u202eb\u2066c"
FOLDER = "<script>alert(7)<\\script>"
FORMULA = '=HYPERLINK("http://example.org";"x")'
IDS = [
    MARKUP,
    CLOSING,
    TURNED,
    FORMULA,
    "+1",
    "@a",
    "../../etc/passwd",
    "'\"&amp;`${1}{{ 7*7 }}",
    "two words",
    "\u2028",
    "__proto__",
    "\udcff",
]
QUERIES = {"en/nq": IDS}
NAME = "Quote \" and ' {{ 7*7 }} ${1} onmouseover=alert(3) \\u003cb\\u003e javascript"
SYSTEM: dict[str, Any] = {
    "name": NAME,
    "family": "cascade-bm25",
    "recogniser": {"name": "ears\" onload=\"alert(4)", "link": "https://example.org/?a=b&c=$d"},
    "prompts": {"query": f"{CLOSING}\n\t{MARKUP}</pre>{{{{ 7*7 }}}}"},
    "hardware": "' onclick='alert(5)",
    "licence": "constructor",
    "training_sets": ["__proto__", "a\"b'c"],
    "links": ["https://example.org/?q=%3Cscript%3E"],
}  # fmt: skip


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("hostile")
    write_data(root, QUERIES, categories=[MARKUP, FORMULA, TURNED, "__proto__"])
    first = write_submission(
        root, NAME, QUERIES, drawn(1, QUERIES, 0.9), command=f"squtr eval {MARKUP} '{CLOSING}'",
        **{key: value for key, value in SYSTEM.items() if key != "name"},
    )  # fmt: skip
    rows = [{"_id": query, "text": SPOKEN, "asr_text": f"{MARKUP} {TURNED}", "status": "ok"} for query in IDS]
    for path in (first / "transcripts").rglob("*.gz"):
        write_lines(path, map(json.dumps, rows))
    seal(first)
    write_submission(root, "Plain", QUERIES, drawn(2, QUERIES, 0.5))
    spoiled = write_submission(root, "Spoiled", QUERIES, drawn(3, QUERIES, 0.5))
    (spoiled / "<img src=x onerror=alert(6)>\u202e.txt").write_text("x")
    folder = root / "submissions" / FOLDER
    folder.mkdir()
    (folder / "submission.json").write_text("{}")
    found = rendered(root)
    assert len(found.board.entries) == 2, [one.plain()["checks"] for one in found.board.left_out]
    return root / "site"


def own_elements(page: Any) -> dict[str, int]:
    return {name: page.locator(name).count() for name in ("script", "img", "iframe", "object", "b", "base")}


def handlers(page: Any) -> list[str]:
    names = page.evaluate("[...document.querySelectorAll('*')].flatMap((one) => one.getAttributeNames())")
    return [name for name in names if name.startswith("on")]


def test_ids_prompts_and_commands_stay_text(hostile: Path, visit: Visit) -> None:
    system = next(path for path in (hostile / "systems").iterdir() if path.name != "plain.html")
    for path, scripts in ((system, 4), (hostile / "index.html", 4), (hostile / "rules.html", 0)):
        page = visit(path)
        page.wait_for_timeout(50)
        assert own_elements(page) == {
            "script": scripts,
            "img": 0,
            "iframe": 0,
            "object": 0,
            "b": 0,
            "base": 0,
        }
        assert handlers(page) == []
        text = page.locator("body").text_content()
        assert not any(char in text for char in "\u202e\u2066\u2028") and "49" not in text.split()
    page = visit(system)
    assert page.locator("h1").text_content() == NAME
    assert page.title() == f"{NAME} – SQuTR leaderboard"
    pres = page.locator("dl pre").all_text_contents()
    assert pres == [f"{CLOSING}\n⟨U+0009⟩{MARKUP}</pre>{{{{ 7*7 }}}}", f"squtr eval {MARKUP} '{CLOSING}'"]
    noise = page.get_by_role("region", name="By noise category, en/nq").locator("tbody th")
    assert set(noise.all_text_contents()) == {MARKUP, FORMULA, "a⟨U+202E⟩b⟨U+2066⟩c", "__proto__"}


def test_the_board_shows_names_as_they_are_and_reasons_without_markup(hostile: Path, visit: Visit) -> None:
    page = visit(hostile / "index.html", "#licence=constructor")
    assert page.locator("#board tbody th a").all_text_contents() == [NAME]
    page.get_by_label(f"Draw {NAME}", exact=True).check()
    assert page.locator(".legend li").all_text_contents() == [NAME]
    assert "zero-shot" in page.locator("#board tbody th small").text_content()
    reasons = page.locator("section[aria-labelledby=left-title] li").all_text_contents()
    assert len(reasons) == 2
    assert "'<img src=x onerror=alert(6)>\\u202e.txt': does not belong" in " ".join(reasons)
    assert any(FOLDER in reason for reason in reasons)
    page.get_by_role("link", name=NAME, exact=True).click()
    assert page.locator("h1").text_content() == NAME


def test_the_comparison_shows_and_saves_ids_that_do_nothing(hostile: Path, visit: Visit) -> None:
    page = visit(hostile / "compare.html", "#condition=snr_0")
    page.wait_for_selector("#queries tbody tr")
    shown = set(page.locator("#queries tbody th").all_text_contents())
    turned, parted = "a⟨U+202E⟩b⟨U+2066⟩c", "⟨U+2028⟩"
    assert {MARKUP, CLOSING, FORMULA, "__proto__", turned, parted, "⟨U+DCFF⟩"} <= shown and len(shown) == len(
        IDS
    )
    assert own_elements(page)["img"] == 0 and handlers(page) == []
    with page.expect_download() as sheet:
        page.click("#csv")
    with sheet.value.path().open(encoding="utf-8", newline="") as file:
        saved = [row["query"] for row in csv.DictReader(file)]
    assert {f"'{FORMULA}", "'+1", "'@a", MARKUP} <= set(saved)
    assert not any(query.startswith(("=", "+", "-", "@")) for query in saved) and len(saved) == len(IDS)


@pytest.mark.parametrize("name", ["index.html", "compare.html", "system"])
def test_long_names_fit_a_phone(hostile: Path, visit: Visit, name: str) -> None:
    system = next(path for path in (hostile / "systems").iterdir() if path.name != "plain.html")
    page = visit(system if name == "system" else hostile / name, viewport={"width": 360, "height": 740})
    page.locator("svg").first.wait_for()
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    edges = page.eval_on_selector_all(
        "figure > svg text",
        "all => all.map((one) => [one.getBBox().x, one.getBBox().x + one.getBBox().width])",
    )
    width = page.locator("figure > svg").first.evaluate("one => one.viewBox.baseVal.width")
    assert edges and all(0 <= left < right <= width for left, right in edges)


def test_no_cell_of_a_table_is_a_formula_and_no_file_leaves_the_site(hostile: Path) -> None:
    cells = [
        cell
        for path in (hostile / "tables").rglob("*.csv")
        for row in csv.reader(path.read_text(encoding="utf-8").splitlines())
        for cell in row
    ]
    assert f"'{FORMULA}" in cells
    signed = [cell for cell in cells if cell.startswith(("=", "+", "-", "@"))]
    assert all(math.isfinite(float(cell)) for cell in signed)
    names = {path.relative_to(hostile).parts[0] for path in hostile.rglob("*")}
    assert names == {
        "index.html", "compare.html", "rules.html", "style.css", "site.json", "data", "systems", "tables",
        "common.js", "chart.js", "board.js", "compare.js", "system.js",
    }  # fmt: skip
