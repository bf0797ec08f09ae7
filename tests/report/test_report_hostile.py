"""Names and texts that want to be more than text."""

from __future__ import annotations

from pathlib import Path

import pytest
from report_data import Page, evaluated, report, write_dataset

HOSTILE = [
    "<img src=x onerror=alert(1)>",
    "a|b",
    "[x](javascript:alert(1))",
    "two\nlines",
    "evil\u202egpj.exe",
    "x" * 10_000,
    "",
    '" onmouseover="alert(1)',
    "{{ 7 * 7 }}{% raw %}",
    "$\\frac{1}{2}$ $",
    "\ud800 half",
    "nul\x00bell\x07",
]
TEXTS = {
    "en": [
        "</script><script>alert(1)</script>",
        "</style><svg onload=alert(1)>",
        "<!-- & -->",
        "a\u202eb </title>",
    ],
    "zh": ["</td></table>天空为什么是蓝色的", "月球", "']]>", "问&amp;题"],
}


@pytest.fixture(scope="module")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("hostile")
    data = write_dataset(folder / '<b>"set" & co', texts=TEXTS)
    return report(folder, *evaluated(data, HOSTILE))


def test_c53_names_and_texts_make_no_elements(hostile: str) -> None:
    page = Page(hostile)
    assert page.faults == []
    tags = {tag for tag, _, _ in page.elements}
    assert not tags & {"script", "img", "iframe", "object", "b", "i"}
    handlers = [name for _, attributes, _ in page.elements for name in attributes if name.startswith("on")]
    assert handlers == []
    links = [attributes["href"] for attributes, _ in page.all("a")]
    assert all(link.startswith("#") for link in links)


def test_c53_every_system_is_one_row_with_all_columns(hostile: str) -> None:
    page = Page(hostile)
    rows: list[int] = []
    inside = False
    for tag, _, text in page.elements:
        if tag == "caption":
            if rows:
                break
            inside = "4 judged queries" in "".join(text)
        elif tag == "tr" and inside:
            rows.append(0)
        elif tag in ("td", "th") and inside:
            rows[-1] += 1
    assert rows == [5] * (1 + len(HOSTILE))


def test_c53_names_are_shown_as_text(hostile: str) -> None:
    heads = Page(hostile).texts("th")
    assert "<img src=x onerror=alert(1)>" in heads
    assert "two⟨U+000A⟩lines" in heads
    assert "evil⟨U+202E⟩gpj.exe" in heads
    assert "(no name)" in heads
    assert "{{ 7 * 7 }}{% raw %}" in heads
    assert "⟨U+D800⟩ half" in heads
    assert "nul⟨U+0000⟩bell⟨U+0007⟩" in heads


def test_c53_long_names_are_cut_and_whole_on_pointing(hostile: str) -> None:
    cut = [(a, text) for a, text in Page(hostile).all("bdi") if "x" * 10_000 in a.get("title", "")]
    assert cut
    assert all(len(text) == 40 and "…" in text for _, text in cut)


def test_no_control_and_no_turn_of_direction_reaches_the_page(hostile: str) -> None:
    unseen = {char for char in hostile if char < " " and char != "\n"} | (
        set(hostile) & set("\x7f\u202e\u2066\u200f")
    )
    assert unseen == set()


def test_query_texts_are_shown_as_text(hostile: str) -> None:
    headings = Page(hostile).texts("h4")
    assert any(
        text in headings for text in ("</script><script>alert(1)</script>", "</style><svg onload=alert(1)>")
    )
    assert hostile.count("</style>") == hostile.count("<style>") == 1
    assert "<script" not in hostile


def test_figures_hold_no_names(hostile: str) -> None:
    drawn = [text for attributes, text in Page(hostile).all("svg") if attributes.get("role") == "img"]
    assert drawn and not any("alert" in text or "frac" in text for text in drawn)


def test_a_noise_category_and_a_speaker_are_text_too(tmp_path: Path) -> None:
    results, runs = evaluated(write_dataset(tmp_path / "data", ["en/tiny"]))
    evil = "<svg/onload=alert(1)>"
    for part in ("by_noise_category", "by_speaker"):
        table = results[part]["en/tiny"]
        table[evil] = table.pop(next(iter(table)))
    results["audit"]["mixing"]["utterances_by_category"][evil] = 1
    page = Page(report(tmp_path, results, runs))
    assert page.texts("th").count(evil) >= 3
    assert not [1 for _, attributes, _ in page.elements if "onload" in attributes]
