"""The table of squtr eval: whole at 80 columns, with many conditions and long names."""

from __future__ import annotations

import io
import re
from typing import Any

import pytest
from rich.console import Console

from squtr.commands.eval_table import score_tables

CONDITIONS = ["text", "clean", "snr_20", "snr_10", "snr_0", "room_snr_10", "phone", "bursts_snr_0"]
LONG = "sentence-transformers,model=mixedbread-ai/mxbai-embed-large-v1,prompt=[red] | rerank,depth=100"


def results(systems: list[str], conditions: list[str], queries: int = 50) -> dict[str, Any]:
    """Return of an evaluation's results what the table reads; the score of a cell tells its place."""
    counted = {"name": "WER", "recordings": 50, "failed": 0, "clean": {"rate": 0.125}}
    heard = {name: dict(counted) for name in conditions if name != "text"}
    times = {name: {"computed": 50, "real_time_factor": 0.0213} for name in heard}
    return {
        "dataset": {"subsets": {"en/x": {"judged_queries": queries}}},
        "main_measure": "nDCG@10",
        "conditions": conditions,
        "scores": {
            "en/x": {
                system: {
                    name: {
                        "measures": {"nDCG@10": {"mean": (10 * row + column) / 1000, "low": 0.1, "high": 0.2}}
                    }
                    for column, name in enumerate(conditions)
                }
                for row, system in enumerate(systems, 1)
            }
        },
        "recognition": {"en/x": heard},
        "other_recognisers": {},
        "end_to_end": {},
        "settings": {"recogniser": "whisper-base"},
        "timing": {"recognition": {"whisper-base": {"en/x": times}}},
    }


def printed(found: dict[str, Any], width: int) -> list[list[str]]:
    """Return the lines of each table."""
    tables = []
    for table in score_tables(found, "en/x", width):
        console = Console(width=width, file=io.StringIO())
        console.print(table)
        tables.append(console.file.getvalue().splitlines())
    return tables


def cells(lines: list[str]) -> list[list[str]]:
    """Return the cells of a table's rows; a name that goes on in the next line is put together."""
    rows: list[list[str]] = []
    for line in lines[1:]:
        found = [cell.strip() for cell in re.split("[│┃]", line)[1:-1]]
        if rows and found and not any(found[1:]):
            rows[-1][0] += found[0]
        elif found:
            rows.append(found)
    return rows


@pytest.mark.parametrize("systems", [["bm25"], ["bm25", "dense", LONG]])
@pytest.mark.parametrize("width", [60, 80, 120, 400])
def test_nothing_is_cut_and_every_value_stands_under_its_condition(systems: list[str], width: int) -> None:
    tables = printed(results(systems, CONDITIONS), width)
    assert max(len(line) for lines in tables for line in lines) <= width
    seen: list[str] = []
    for lines in tables:
        head, *rows = cells(lines)
        assert head[0] == "system"
        assert "…" not in "".join(lines)
        for number, (row, system) in enumerate(zip(rows, systems, strict=False), 1):
            assert row[0].replace(" ", "") == system.replace(" ", "")
            expected = [f"{(10 * number + CONDITIONS.index(name)) / 1000:.4f} ±0.05" for name in head[1:]]
            assert row[1:] == expected
        assert [row[0] for row in rows[len(systems) :]] == ["WER, whisper-base", "x real time"]
        seen += head[1:]
    assert seen == CONDITIONS


def test_what_fits_is_one_table() -> None:
    assert len(printed(results(["bm25", "dense"], CONDITIONS[:3]), 80)) == 1
    assert len(printed(results(["bm25", LONG], CONDITIONS), 400)) == 1
    first, second, *_ = printed(results(["bm25"], CONDITIONS), 80)
    assert first[0].strip() == "en/x: nDCG@10, 50 queries"
    assert second[0].strip() == "en/x: nDCG@10, 50 queries, continued"


def test_one_query_is_one_query() -> None:
    assert (
        printed(results(["bm25"], ["text", "clean"], 1), 80)[0][0]
        .strip()
        .startswith("en/x: nDCG@10, 1 query")
    )


def test_what_was_not_scored_is_a_dash() -> None:
    found = results(["bm25"], CONDITIONS)
    del found["scores"]["en/x"]["bm25"]["text"]
    rows = cells(printed(found, 400)[0])
    assert rows[1][:2] == ["bm25", "-"] and rows[2][:2] == ["WER, whisper-base", "-"]


def test_a_system_that_got_no_recording_of_a_condition_has_no_score_there() -> None:
    found = results(["bm25", "dense"], CONDITIONS[:3])
    found["recognition"]["en/x"]["clean"]["failed"] = 50
    found["recognition"]["en/x"]["snr_20"]["failed"] = 49
    found["end_to_end"] = {"en/x": {"dense": {"snr_20": {"recordings": 50, "failed": 50}}}}
    bm25, dense = (row for row in cells(printed(found, 120)[0]) if row[0] in ("bm25", "dense"))
    assert bm25 == ["bm25", "0.0100 ±0.05", "failed", "0.0120 ±0.05"]
    assert dense == ["dense", "0.0200 ±0.05", "0.0210 ±0.05", "failed"]
