"""Figures: told apart without colour, legible on light and dark, at home in the page."""

from __future__ import annotations

import re
from typing import Any

import pytest
from report_data import Page

from squtr.content import content
from squtr.eval.report.figures import error_chart, loss_chart, score_chart, speaker_chart
from squtr.eval.report.plot import points, rings
from squtr.eval.report.styles import COLOURS, Style, style
from squtr.eval.report.svg import WIDTH, drawing, inline_svg
from squtr.eval.report.view import views

PALETTE, CSS = (content("eval", "report", name).read_text("utf-8") for name in ("palette.css", "report.css"))


def _variables(block: str) -> dict[str, str]:
    return dict(re.findall(r"--([a-z0-9-]+): (#[0-9a-f]{6});", block))


LIGHT, DARK = (_variables(block) for block in re.findall(r":root \{(.*?)\}", PALETTE, re.DOTALL)[:2])


def _luminance(colour: str) -> float:
    parts = [int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5)]
    linear = [part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def _contrast(one: str, other: str) -> float:
    """The contrast ratio of WCAG 2."""
    low, high = sorted((_luminance(one), _luminance(other)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("theme", [LIGHT, DARK], ids=["light", "dark"])
def test_contrast_suffices_on_every_ground(theme: dict[str, str]) -> None:
    for ground in ("paper", "card", "best"):
        for words in ("ink", "quiet", "link", "del", "ins"):
            assert _contrast(theme[words], theme[ground]) >= 4.5, (words, ground)
    for number in range(len(COLOURS)):
        assert _contrast(theme[f"series-{number}"], theme["card"]) >= 3, number


def test_the_style_sheet_has_the_colours_of_the_figures() -> None:
    assert [LIGHT[f"series-{number}"] for number in range(len(COLOURS))] == list(COLOURS)
    assert set(DARK) == set(LIGHT)


def test_thirty_two_series_differ_and_neighbours_without_colour_too() -> None:
    looks = [style(number) for number in range(32)]
    assert len(set(looks)) == 32
    shapes = [(look.marker, look.dash, look.hollow) for look in looks]
    assert len(set(shapes[:16])) == 16
    assert len({look.swatch() for look in looks}) == 32


def test_figures_bring_no_style_sheet_no_metadata_and_no_fonts_of_their_own(small: Any) -> None:
    for view in views(small[0]):
        for draw in (score_chart, error_chart, loss_chart, speaker_chart):
            chart = draw(view)
            assert chart is not None
            assert not re.search(r"<style|<metadata|font-family|DOCTYPE|<\?xml", chart.svg)
            assert set(re.findall(r"(?:stroke|fill): ([^;\"]+)", chart.svg)) <= {
                "none",
                "currentColor",
                "var(--grid)",
                *(f"var(--series-{number})" for number in range(8)),
                *re.findall(r"url\(#[^)]+\)", chart.svg),
            }


def test_words_in_figures_are_words_of_readable_size(small: Any) -> None:
    chart = score_chart(views(small[0])[0])
    assert chart is not None
    texts = re.findall(r"<text[^>]*>([^<]+)</text>", chart.svg)
    assert {"text", "clean", "10\u202fdB", "0\u202fdB", "nDCG@10 (linear gain)"} <= set(texts)
    assert min(float(size) for size in re.findall(r"font-size: ([0-9.]+)px", chart.svg)) >= 11
    assert WIDTH <= 350


def test_ids_carry_the_prefix_and_references_follow() -> None:
    with drawing() as figure:
        axes = figure.add_subplot()
        axes.plot([0, 1], [0, 1], marker="o")
        svg = inline_svg(figure, "here", "A line.")
    page = Page(svg)
    ids = {attributes["id"] for _, attributes, _ in page.elements if "id" in attributes}
    assert ids and all(name.startswith("here-") for name in ids)
    used = {a["xlink:href"] for a, _ in page.all("use")} | set(re.findall(r"url\((#[^)]+)\)", svg))
    assert {name[1:] for name in used} == ids
    root = page.elements[0][1]
    assert root["role"] == "img" and root["aria-label"] == "A line." and "width" not in root


def test_an_axis_cut_at_the_bottom_says_so(small: Any) -> None:
    chart = score_chart(views(small[0])[0])
    assert chart is not None
    lowest = min(map(float, re.findall(r">(0\.[0-9]+)</text>", chart.svg)))
    assert ("does not begin at 0" in chart.caption) == (lowest > 0)


def test_legends_name_every_system_and_every_bar(small: Any) -> None:
    view = views(small[0])[0]
    scores, errors = score_chart(view), error_chart(view)
    assert scores is not None and errors is not None
    assert [name.text for _, name in scores.legend] == ["bm25", "dense"]
    assert [name.text for _, name in errors.legend] == [
        "WER, numbers normalised",
        "WER, as written",
        "empty transcripts",
        "failed recordings",
    ]


def test_a_point_that_lies_on_another_shows_inside_its_ring() -> None:
    with drawing() as figure:
        axes = figure.add_subplot()
        points(axes, style(1), [0.2, None])
        rings(axes, Style(COLOURS[0], "o", (), True), [0.2, 0.1])
        below, ring = axes.lines
        assert ring.get_markersize() >= below.get_markersize() + 2 and ring.get_zorder() > below.get_zorder()
        assert ring.get_markerfacecolor() == "none"


def test_column_heads_break_between_words_only() -> None:
    [rule] = re.findall(r"thead th bdi \{([^}]*)\}", CSS)
    assert "min-width: min-content" in rule and "overflow-wrap" not in rule
