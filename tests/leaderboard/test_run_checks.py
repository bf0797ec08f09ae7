"""Runs are read line by line: limits on documents, lines and bytes, in memory that does not grow."""

from __future__ import annotations

import gzip
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr.eval.runs import read_run, write_run
from squtr.eval.scores import Scorer, score_run
from squtr.leaderboard.board_data import BoardSubset
from squtr.leaderboard.check_runs import ReadRun, Rules, check_run
from squtr.leaderboard.known_ids import KnownIds
from squtr.leaderboard.lines import Unreadable, read_lines
from squtr.leaderboard.ranking import ranking_digest
from squtr.leaderboard.schema import SubsetFacts
from squtr.leaderboard.verdict import MOST_TOLD, Check

DOCUMENTS = [f"d{number}" for number in range(200)]
FACTS = SubsetFacts(fingerprint="0" * 64, qrels="0" * 64)
IDS = st.text(min_size=1, max_size=8)
SCORES = st.floats(min_value=1e-6, max_value=1e6)


def rules(
    qrels: dict[str, dict[str, int]],
    documents: list[str] = DOCUMENTS,
    lexical: bool = False,
    depth: int = 100,
) -> Rules:
    subset = BoardSubset(FACTS, "en", ("clean",), qrels, frozenset(qrels), lambda: documents)
    return Rules(subset, depth, lexical, frozenset())


def checked(path: Path, held: Rules) -> tuple[ReadRun, list[str]]:
    check = Check("runs")
    found = check_run(path, "run", held, check)
    return found, [str(fault) for fault in check.faults]


def test_more_than_the_depth_is_refused_once_a_query(tmp_path: Path) -> None:
    path = tmp_path / "run.gz"
    rows = [f"q1 Q0 {document} 1 {200 - at} t\n" for at, document in enumerate(DOCUMENTS[:150])]
    path.write_bytes(gzip.compress("".join(rows).encode()))
    found, faults = checked(path, rules({"q1": {"d0": 1}, "q2": {}}))
    assert faults == ["run:101: query 'q1' has more than 100 documents. Cut it."]
    assert not found.whole
    assert found.top["q1"] == [f"d{at}" for at in range(10)]


def test_negative_scores_are_padding_only_where_words_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(b"q1 Q0 d0 1 -0.25 t\n"))
    assert checked(path, rules({"q1": {"d0": 1}}))[1] == []
    assert "is padded" in checked(path, rules({"q1": {"d0": 1}}, lexical=True))[1][0]


@given(
    run=st.dictionaries(IDS, st.dictionaries(IDS, SCORES, min_size=1, max_size=12), min_size=1, max_size=5),
    judged=st.integers(0, 11),
)
def test_any_ids_are_read_as_they_were_written(
    tmp_path_factory: pytest.TempPathFactory, run: dict[str, dict[str, float]], judged: int
) -> None:
    path = tmp_path_factory.mktemp("any") / "x.run.gz"
    write_run(path, run, "t", 100)
    documents = sorted({document for found in run.values() for document in found})
    qrels = {query: {documents[judged % len(documents)]: 1} for query in run}
    found, faults = checked(path, rules(qrels, documents))
    assert faults == []
    assert found.whole
    assert found.ranking == ranking_digest(run)
    assert Scorer(qrels).score_lists(found.top) == score_run(qrels, read_run(path))


LINES = st.builds(
    "{} Q0 {} 1 {} t".format,
    st.sampled_from(["q1", "q1", "q1", "q2", "q2", "q9", "é"]),
    st.sampled_from([*DOCUMENTS[:12], "none", "Q0", "1"]),
    st.one_of(
        st.floats(0.1, 9.9).map(repr),
        st.sampled_from(
            ["3", "3.", ".5", "+1e2", "0", "0.0", "-1", "1e999", "-1e999", "nan", "1_0", "１", "1,5"]
        ),
    ),
)


@given(st.lists(LINES, min_size=1, max_size=40), st.booleans(), st.integers(1, 8))
def test_lines_taken_together_are_judged_as_one_by_one(
    tmp_path_factory: pytest.TempPathFactory, lines: list[str], lexical: bool, depth: int
) -> None:
    path = tmp_path_factory.mktemp("both") / "x.run.gz"
    held = rules({"q1": {"d0": 1}, "q2": {"d1": 1}, "é": {"d0": 1}}, lexical=lexical, depth=depth)
    found = []
    for blank in (" ", "  "):
        text = "".join(f"{line}\n" for line in lines).replace(" ", blank)
        path.write_bytes(gzip.compress(text.encode()))
        found.append(checked(path, held))
    assert found[0] == found[1]


@given(st.lists(IDS, max_size=20), st.lists(IDS, max_size=20))
def test_known_ids_are_those_and_no_others(known: list[str], asked: list[str]) -> None:
    assert KnownIds(known).unknown(asked) == [one for one in asked if one not in known]


def test_the_order_of_queries_and_the_size_of_scores_do_not_hide_a_copy() -> None:
    run = {"a": {"x": 2.0, "y": 1.0}, "b": {"y": 3.0}}
    scaled = {"b": {"y": 1.0}, "a": {"y": 0.1, "x": 0.2}}
    assert ranking_digest(run) == ranking_digest(scaled)
    assert ranking_digest(run) != ranking_digest({"a": {"x": 1.0, "y": 2.0}, "b": {"y": 3.0}})


def test_ten_million_lines_are_not_read_to_their_end(tmp_path: Path) -> None:
    path = tmp_path / "run.gz"
    member = gzip.compress(b"q1 Q0 d0 1 1.0 t\n" * 100_000)
    path.write_bytes(member * 100)
    tracemalloc.start()
    _, faults = checked(path, rules({"q1": {"d0": 1}}))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(faults) == MOST_TOLD
    assert "twice" in faults[0]
    assert peak < 1_000_000


def test_a_run_has_no_more_lines_than_its_queries_can_have(tmp_path: Path) -> None:
    path = tmp_path / "run.gz"
    rows = [f"q1 Q0 {document} 1 1.0 t\n" for document in DOCUMENTS[:100]] + ["q1 Q0 d101 1 1.0 t\n"]
    path.write_bytes(gzip.compress("".join(rows).encode()))
    _, faults = checked(path, rules({"q1": {"d0": 1}}))
    assert "run:101: has more than 100 lines" in faults[-1]


def test_memory_does_not_grow_with_the_lines(tmp_path: Path) -> None:
    queries = {f"q{number:03}": {"d0": 1} for number in range(1000)}
    run = {query: {document: 1.0 + at for at, document in enumerate(DOCUMENTS[:100])} for query in queries}
    path = tmp_path / "x.run.gz"
    write_run(path, run, "t", 100)
    held = rules(queries)
    tracemalloc.start()
    found, faults = checked(path, held)
    checking = tracemalloc.get_traced_memory()[1]
    tracemalloc.reset_peak()
    whole = read_run(path)
    reading = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert faults == []
    assert len(found.top) == len(whole) == 1000
    assert checking < reading / 3


@pytest.mark.parametrize("kind", ["one endless line", "empty lines"])
def test_a_bomb_of_gzip_is_not_unpacked(kind: str, tmp_path: Path) -> None:
    path = tmp_path / "run.gz"
    block = b"\0" if kind == "one endless line" else b"\n"
    path.write_bytes(gzip.compress(block * 10_000_000) * 20)
    tracemalloc.start()
    with pytest.raises(Unreadable, match=r"a line of more than 65,536 bytes|more than 500 lines"):
        list(read_lines(path, 500))
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 2_000_000


@pytest.mark.parametrize("blank", [" ", "  "])
def test_an_unknown_document_is_told_with_its_own_line(tmp_path: Path, blank: str) -> None:
    path = tmp_path / "run.gz"
    rows = [
        "q1 Q0 d0 1 9 t",
        "q1 Q0 d1 2 nan t",
        "q1 Q0 d2 3 7 t",
        "q1 d3 4 6 t",
        "q1 Q0 none 5 5 t",
        "q1 Q0 no 6 4 t",
    ]
    path.write_bytes(gzip.compress("".join(f"{row}\n" for row in rows).replace(" ", blank).encode()))
    _, faults = checked(path, rules({"q1": {"d0": 1}}))
    assert [fault.partition(" ")[0] for fault in faults] == ["run:2:", "run:4:", "run:5:", "run:6:"]
    assert "'none', which is not in the corpus" in faults[2] and "'no'" in faults[3]


def test_the_last_fault_that_is_told_says_that_there_are_more(tmp_path: Path) -> None:
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress(b"x\n" * 90))
    _, faults = checked(path, rules({"q1": {"d0": 1}}))
    assert len(faults) == MOST_TOLD and "was not read further" in faults[-1]


def test_a_byte_order_mark_is_named(tmp_path: Path) -> None:
    path = tmp_path / "run.gz"
    path.write_bytes(gzip.compress("\ufeffq1 Q0 d0 1 1.0 t\n".encode()))
    assert checked(path, rules({"q1": {"d0": 1}}))[1][0] == (
        "run:1: begins with a byte-order mark. Save it as UTF-8 without one."
    )
