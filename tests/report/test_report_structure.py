"""The page as people with and without eyes, scripts or a network get it."""

from __future__ import annotations

import copy
import itertools
import re
from pathlib import Path
from typing import Any

from report_data import Page, evaluated, report, write_dataset

SYSTEMS = ["bm25", "dense"]
ADDRESSES = ("src", "href", "action", "poster", "data", "srcset", "xlink:href")


def _table(page: Page, caption: str) -> list[list[str]]:
    """Return the cells of the first table whose caption begins so, row by row."""
    found: list[list[str]] = []
    reading = False
    for tag, _, inside in page.elements:
        words = " ".join("".join(inside).split())
        if tag == "caption":
            if found:
                break
            reading = words.startswith(caption)
        elif tag == "tr" and reading:
            found.append([])
        elif tag in ("th", "td") and reading:
            found[-1].append(words)
    return found


def test_every_element_is_closed_and_every_id_is_there_once(page: Page) -> None:
    assert page.faults == []
    ids = [attributes["id"] for _, attributes, _ in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids)) > 20


def test_one_first_heading_and_no_level_left_out(page: Page) -> None:
    levels = [int(tag[1]) for tag, _, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels.count(1) == 1 and levels[0] == 1
    assert all(after - before <= 1 for before, after in itertools.pairwise(levels))


def test_the_parts_come_in_their_order(page: Page) -> None:
    assert page.texts("h1")[0].startswith("tiny set")
    assert page.texts("h2") == [
        "Scores",
        "Which differences hold",
        "Robustness",
        "Noise, speakers and queries",
        "What recognition errors cost",
        "The queries that suffer most",
        "Audit: configured and realised",
        "Provenance",
    ]


def test_tables_have_captions_and_headers_with_a_scope(page: Page) -> None:
    tables = page.all("table")
    assert len(tables) == len(page.all("caption")) > 15
    assert all(page.texts("caption"))
    assert all(attributes.get("scope") in ("col", "row") for attributes, _ in page.all("th"))


def test_scores_have_one_row_a_system_and_one_column_a_condition(page: Page, small: Any) -> None:
    results = small[0]
    rows = _table(page, "nDCG@10 (linear gain), 4 judged queries")
    assert rows[0] == ["system", "text", "clean", "10 dB", "0 dB"]
    assert [row[0] for row in rows[1:]] == SYSTEMS
    for system, *cells in rows[1:]:
        for condition, cell in zip(("text", "clean", "snr_10", "snr_0"), cells, strict=True):
            found = results["scores"]["en/tiny"][system][condition]["measures"]["nDCG@10 (linear gain)"]
            assert f"{found['mean']:.3f}" in cell
            assert f"{found['low']:.3f}–{found['high']:.3f}" in cell


def test_the_best_of_a_column_is_told_by_more_than_colour(page: Page) -> None:
    best = [text for attributes, text in page.all("td") if "best" in attributes.get("class", "").split()]
    assert best and all("★" in text and "(best)" in text for text in best)


def test_recognition_tells_rates_and_lost_recordings(page: Page, small: Any) -> None:
    rows = {row[0]: row[1:] for row in _table(page, "WER of report_data:Ears, pooled over 4 recordings")}
    rate = small[0]["recognition"]["en/tiny"]["snr_10"]["clean"]["rate"]
    assert rows["WER, numbers normalised"][1] == f"{100 * rate:.1f} %"
    assert rows["empty transcripts"] == ["0", "0", "1 25.0 %"]
    assert rows["failed recordings"] == ["0", "0", "1 25.0 %"]


def test_every_figure_is_described_has_a_caption_and_its_numbers(page: Page) -> None:
    figures = page.all("figure")
    drawn = [attributes for attributes, _ in page.all("svg") if attributes.get("role") == "img"]
    assert len(figures) == len(drawn) == len(page.all("figcaption")) == 8
    assert all(len(attributes["aria-label"]) > 40 for attributes in drawn)
    assert all("Numbers of this figure" in text for _, text in figures)


def test_other_measures_can_be_opened(page: Page) -> None:
    details = [text for _, text in page.all("details") if "Other measures and losses" in text]
    assert len(details) == 2
    assert all("MRR@10" in text and "Recall@10" in text and "clean speech" in text for text in details)


def test_nothing_is_fetched_and_nothing_runs(page: Page, text: str) -> None:
    for _, attributes, _ in page.elements:
        for name in ADDRESSES:
            address = attributes.get(name, "#")
            assert address.startswith(("#", "data:")), address
        assert not [name for name in attributes if name.startswith("on")]
    assert not page.all("script") and not page.all("iframe")
    policy = next(a["content"] for a, _ in page.all("meta") if "http-equiv" in a)
    assert policy.startswith("default-src 'none'") and "script" not in policy
    style = "".join(found for _, found in page.all("style"))
    assert "@import" not in style and "url(" not in style
    assert "http://" not in re.sub(r'xmlns(:xlink)?="[^"]*"', "", text)


def test_links_within_the_page_lead_somewhere(page: Page) -> None:
    ids = {attributes.get("id") for _, attributes, _ in page.elements}
    links = [a["href"] for a, _ in page.all("a")] + [a["xlink:href"] for a, _ in page.all("use")]
    assert links and all(link[1:] in ids for link in links)
    named = [a["aria-labelledby"] for _, a, _ in page.elements if "aria-labelledby" in a]
    assert named and all(name in ids for name in named)


def test_chinese_texts_say_that_they_are(page: Page) -> None:
    marked = [text for _, attributes, inside in page.elements if attributes.get("lang") == "zh"
              for text in ["".join(inside)]]  # fmt: skip
    assert any("天空" in text or "月球" in text for text in marked)
    outside = {"天空为什么是蓝色的", "月球离我们有多远"}
    assert not [text for text in page.texts("p") if text in outside and text not in marked]


def test_every_condition_of_a_query_has_a_player(page: Page, small: Any) -> None:
    labels = [attributes["aria-label"] for attributes, _ in page.all("audio")]
    queries = [query for found in small[0]["worst_queries"].values() for query in found]
    assert len(labels) == 3 * len(queries) > 0
    for query in queries:
        for condition in ("clean", "10\u202fdB", "0\u202fdB"):
            assert f"Recording of {query['query_id']}, {condition}" in labels
    assert all(a["preload"] == "none" and "controls" in a for a, _ in page.all("audio"))
    assert all(a["src"].startswith("data:audio/mpeg;base64,") for a, _ in page.all("audio"))


def test_the_audit_stands_configured_beside_realised(page: Page) -> None:
    snr = _table(page, "SNR asked for and realised")
    assert [row[0] for row in snr[1:]] == ["10 dB", "0 dB"]
    assert snr[1][1:7] == ["8", "10", "10.000", "10.000", "10.000", "below 0.0001"]
    drawn = {row[0]: row[1:] for row in _table(page, "Utterances by noise category")}
    assert drawn["river"] == ["0"] and drawn["cafe"] == ["4"]
    assert any("the 3 asked for gives 2.7 each, 0 to 5 in 95 %" in text for text in page.texts("caption"))
    screening = {row[0]: row[1:] for row in _table(page, "Scores of the accepted utterances")}
    assert screening["error rate"][:2] == ["at most 30 %", "0.0 %"]
    assert screening["dictation"][:2] == ["at least 4.0", "4.50"]
    speech = {row[0]: row[1:] for row in _table(page, "Speech.")}
    assert speech["takes"] == ["3 a query, the best kept", "take 1: 4, take 2: 4"]
    assert speech["texts read differently from how they are written"][1] == "2 of 8"
    assert "8 utterances accepted, 3 rejected (screen: 2, speak: 1)." in " ".join(page.texts("p"))


def test_provenance_has_choices_definitions_digests_and_versions(page: Page, small: Any) -> None:
    said = " ".join(page.texts("dd"))
    facts = small[0]["dataset"]["subsets"]["zh/tiny"]
    for wanted in (facts["fingerprint"], facts["qrels"], "ears/1", "searcher/1", "squtr-zh/1", "12.5 s"):
        assert wanted in said
    assert all(policy in said for policy in small[0]["policies"].values())
    assert all(definition in said for definition in small[0]["measures"].values())
    assert small[0]["environment"]["packages"]["numpy"] in said


def test_the_summary_tells_best_losses_rates_and_what_is_synthetic(page: Page, small: Any) -> None:
    lead = next(" ".join(text.split()) for a, text in page.all("p") if a.get("class") == "lead")
    macro = small[0]["macro"]["en"]
    best = max(macro, key=lambda system: macro[system]["text"])
    assert "8 spoken queries in 2 subsets (English and Chinese)" in lead
    assert f"In English {best} scores highest on the written text ({macro[best]['text']:.3f})" in lead
    loss = 1 - macro[best]["snr_0"] / macro[best]["text"]
    assert f"{best} {'loses' if loss >= 0 else 'gains'} {abs(100 * loss):.1f} %" in lead
    assert "The CER is" in lead and "With 4 judged queries" in lead
    assert "The speech is synthetic (voice engine kokoro)." in lead
    assert "The noise is synthetic in all 16 noisy recordings." in lead


def test_it_holds_for_many_subsets_conditions_and_systems(tmp_path: Path) -> None:
    keys = ["en/fiqa", "en/hotpotqa", "zh/DuRetrieval"]
    systems = [f"system-{number}" for number in range(18)]
    folder = write_dataset(tmp_path / "many", keys, (None, 20.0, 15.0, 10.0, 5.0, 0.0, -5.0))
    page = Page(report(tmp_path, *evaluated(folder, systems)))
    assert page.faults == []
    rows = _table(page, "nDCG@10 (linear gain), 4 judged")
    assert len(rows) == 19 and len(rows[0]) == 9 and rows[0][-1] == "\u22125 dB"
    assert "Mean over subsets" in page.texts("h3")
    assert any("The first 16 of 18 systems." in text for text in page.texts("figcaption"))
    ids = [attributes["id"] for _, attributes, _ in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))


def test_a_system_alone_is_not_called_the_best(tmp_path: Path) -> None:
    folder = write_dataset(tmp_path / "one", ["en/tiny"])
    page = Page(report(tmp_path, *evaluated(folder, ["bm25"])))
    assert not [1 for attributes, _ in page.all("td") if "best" in attributes.get("class", "").split()]


def test_a_category_drawn_too_often_is_told(tmp_path: Path, small: Any) -> None:
    results, runs = copy.deepcopy(small[0]), small[1]
    results["audit"]["mixing"]["utterances_by_category"] = {"cafe": 60, "park": 10, "river": 20}
    drawn = {row[0]: row[1:] for row in _table(Page(report(tmp_path, results, runs)), "Utterances by noise")}
    assert drawn == {
        "category": ["utterances"],
        "cafe": ["60 outside the range"],
        "river": ["20 outside the range"],
        "park": ["10 outside the range"],
    }
