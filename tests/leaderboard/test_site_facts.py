"""What the board says of systems: what they have seen, how large they are, tables, and the printed rows."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
import yaml

from squtr.leaderboard.facts import seen_subsets, size_words
from squtr.leaderboard.printed import printed
from squtr.leaderboard.site_tables import as_csv, as_json, printed_rows

PAPER = Path(__file__).resolve().parents[2] / "eval" / "references" / "paper.yaml"
KEYS = ["en/nq", "en/msmarco-50", "en/fiqa", "en/hotpotqa", "zh/DuRetrieval", "zh/T2Retrieval"]


@pytest.mark.parametrize(
    ("declared", "seen"),
    [
        ("NQ", ["en/nq"]),
        ("nq", ["en/nq"]),
        ("MTEB/NQ train", ["en/nq"]),
        ("mteb/nq-train", ["en/nq"]),
        ("sentence-transformers/natural-questions", ["en/nq"]),
        ("MS MARCO", ["en/msmarco-50"]),
        ("MS MARCO passage, v2", ["en/msmarco-50"]),
        ("FiQA-2018", ["en/fiqa"]),
        ("fiqa2018", ["en/fiqa"]),
        ("HotpotQA (train)", ["en/hotpotqa"]),
        ("NQ; HotpotQA", ["en/nq", "en/hotpotqa"]),
        ("DuReader", ["zh/DuRetrieval"]),
        ("T2Ranking", ["zh/T2Retrieval"]),
        ("conqa", []),
        ("nquad", []),
        ("SQuAD", []),
        ("LibriSpeech", []),
        ("MS", []),
        ("50", []),
        ("-", []),
    ],
)
def test_a_training_set_is_known_by_its_name(declared: str, seen: list[str]) -> None:
    assert seen_subsets([declared], KEYS) == seen


def test_all_declared_sets_count_in_the_order_of_the_board() -> None:
    assert seen_subsets(["FiQA", "Common Voice", "NQ"], KEYS) == ["en/nq", "en/fiqa"]
    assert seen_subsets([], KEYS) == []


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        (0, "0"),
        (999, "999"),
        (1000, "1 K"),
        (72_593_920, "72.6 M"),
        (999_499, "999 K"),
        (999_999, "1 M"),
        (999_999_999, "1 B"),
        (1_543_714_304, "1.54 B"),
        (10**12, "1 T"),
    ],
)
def test_sizes_are_said_as_people_say_them(parameters: int, words: str) -> None:
    assert size_words(parameters) == words


def test_a_formula_is_made_harmless_and_quotes_and_commas_survive() -> None:
    formulas = ["=1+1", "+1", "-1", "@SUM(A1)", "＝1", "-"]
    plain = ['say "so", then', "café 北京", "'quoted'", ""]
    rows = as_csv({"cell": cell, "value": -0.5} for cell in (*formulas, *plain))
    found = list(csv.DictReader(io.StringIO(rows)))
    assert [row["cell"] for row in found] == [f"'{cell}" for cell in formulas] + plain
    assert {row["value"] for row in found} == {"-0.5"}


def test_what_acts_unseen_is_named_and_a_row_is_a_line() -> None:
    rows = as_csv({"cell": cell} for cell in ("\t=1", "\r=1", "a\nb", "a\u202eb"))
    assert rows.splitlines() == ["cell", "⟨U+0009⟩=1", "⟨U+000D⟩=1", "a⟨U+000A⟩b", "a⟨U+202E⟩b"]


def test_tables_keep_every_digit_and_know_nothing_from_0() -> None:
    rows = [{"mean": 1 / 3, "low": None}, {"mean": 0.0, "low": 0.1 + 0.2}]
    first, second = csv.DictReader(io.StringIO(as_csv(rows)))
    assert float(first["mean"]) == 1 / 3 and first["low"] == ""
    assert float(second["low"]) == 0.1 + 0.2
    assert json.loads(as_json(rows)) == rows


def test_a_number_that_is_none_is_no_table() -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        as_json([{"mean": float("nan")}])


def test_printed_rows_are_the_figures_of_the_paper() -> None:
    told = yaml.safe_load(PAPER.read_text(encoding="utf-8"))
    wanted = {
        (code, system, condition): None if cell == "-" else float(cell.partition("/")[0])
        for code, language in told["languages"].items()
        for system, row in language["systems"].items()
        for condition, cell in zip(told["conditions"], row["printed"].split(), strict=True)
    }
    found = printed()
    assert {
        (language.code, row.system, condition): value
        for language in found.languages
        for row in language.rows
        for condition, value in row.scores.items()
    } == wanted
    assert wanted["zh", "BM25", "clean"] == 0.438
    rows = list(printed_rows(found))
    assert len(rows) == len(wanted)
    assert {(row["language"], row["system"], row["condition"]): row["printed"] for row in rows} == wanted


def test_printed_rows_stand_best_first_with_their_loss_and_doubts() -> None:
    found = printed()
    for language in found.languages:
        last = [row.scores["snr_0"] for row in language.rows]
        assert last == sorted(last, key=lambda value: -(value or 0))
    bm25 = next(row for row in found.languages[0].rows if row.system == "BM25")
    assert bm25.loss == pytest.approx(1 - 0.4061 / 0.4380)
    told = yaml.safe_load(PAPER.read_text(encoding="utf-8"))["doubts"]
    assert len(found.doubts) + len(found.general) == len(told)
    for language in found.languages:
        for row in language.rows:
            wanted = [
                doubt["says"].strip()
                for doubt in told
                if row.system in doubt.get("systems", ())
                and language.code in doubt.get("languages", (language.code,))
            ]
            assert [found.doubts[number] for number in row.doubts] == wanted
