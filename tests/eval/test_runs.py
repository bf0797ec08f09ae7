import gzip
import math
import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr.errors import UserError
from squtr.eval.runs import cut, escape_id, file_name, read_run, unescape_id, write_run

SCORES = st.floats(allow_nan=False, allow_infinity=False)
IDS = st.text(max_size=6)
ODD_IDS = ["", " ", "doc a", "doc a ", "文档\u30001", "x\u00a0y", "a\tb", "a\nb", "a\rb", "a\x0bb", "a\x00b"]
ODD_IDS += [
    "a%20b",
    "a b%20",
    "%",
    "%%",
    "%%20",
    "%%a%20b",
    "100%",
    "\ufeffq",
    "a\u0085b",
    "\ud800x",
    "Q0",
    "../x",
]


def _written(path: Path, text: str | bytes) -> Path:
    path.write_bytes(text.encode("utf-8") if isinstance(text, str) else text)
    return path


def _documents(ranking: dict[str, float], k: int = 10) -> list[str]:
    return [document for document, _ in cut(ranking, k)]


def test_c21_ties_go_by_document_id_descending_as_strings() -> None:
    assert _documents({"d1": 5.0, "d10": 5.0, "d9": 5.0, "d2": 7.0}) == ["d2", "d9", "d10", "d1"]


def test_c22_ties_across_the_border_are_sorted_before_the_cut() -> None:
    assert _documents({f"d{n:02d}": 1.0 for n in range(12)}, k=3) == ["d11", "d10", "d09"]


def test_c22_ties_across_the_border_behind_better_documents() -> None:
    assert _documents({"a": 1.0, "b": 1.0, "c": 1.0, "z": 2.0}, k=2) == ["z", "c"]


@given(
    st.dictionaries(IDS, st.sampled_from([0.0, -0.0, 1.0, 1e308, -1e308, 5e-324]), max_size=12),
    st.integers(1, 14),
)
def test_cut_is_the_order_of_scores_and_utf8_bytes(ranking: dict[str, float], k: int) -> None:
    def key(pair: tuple[str, float]) -> tuple[float, bytes]:
        return pair[1], pair[0].encode("utf-8", "surrogatepass")

    assert cut(ranking, k) == sorted(ranking.items(), key=key, reverse=True)[:k]


@given(st.dictionaries(IDS, SCORES, max_size=12), st.randoms(), st.integers(1, 14))
def test_insertion_order_changes_nothing(ranking: dict[str, float], chance: object, k: int) -> None:
    pairs = list(ranking.items())
    chance.shuffle(pairs)  # type: ignore[attr-defined]
    assert cut(dict(pairs), k) == cut(ranking, k)


def test_scores_that_differ_beyond_single_precision_are_no_tie() -> None:
    assert _documents({"b": 1.0, "a": 1.0 + 2**-40}) == ["a", "b"]


@pytest.mark.parametrize("score", [math.nan, math.inf, -math.inf, np.float32("nan"), None, "3.0", 10**400])
@pytest.mark.parametrize("k", [1, 10])
def test_c23_scores_that_are_no_finite_number_are_refused(score: object, k: int) -> None:
    ranking = {"d0": 3.0, "d1": 2.0, "d2": score}
    with pytest.raises(UserError, match=r"'q7'.*'d2'"):
        cut(ranking, k, "q7")  # type: ignore[arg-type]


def test_the_largest_floats_are_finite() -> None:
    assert _documents({"a": 1.7e308, "b": 1.7e308, "c": -1.7e308}) == ["b", "a", "c"]


def test_numpy_and_integer_scores_become_plain_floats() -> None:
    ranked = cut({"a": np.float32(0.1), "b": 2, "c": np.float64(0.5)}, 3)
    assert ranked == [("b", 2.0), ("c", 0.5), ("a", float(np.float32(0.1)))]
    assert {type(score) for _, score in ranked} == {float}


def test_an_id_that_is_no_string_and_a_depth_below_one_are_refused() -> None:
    with pytest.raises(UserError, match="7 is no string"):
        cut({7: 1.0}, 10)  # type: ignore[dict-item]
    with pytest.raises(UserError, match="cut at 0"):
        cut({"a": 1.0}, 0)


@given(st.dictionaries(IDS, st.dictionaries(IDS, SCORES, min_size=1, max_size=8), max_size=4), st.booleans())
def test_write_and_read_keep_ids_scores_and_order(
    tmp_path_factory: pytest.TempPathFactory, run: dict[str, dict[str, float]], packed: bool
) -> None:
    path = tmp_path_factory.mktemp("run") / ("run.trec.gz" if packed else "run.trec")
    write_run(path, run, "my system", depth=8)
    back = read_run(path)
    assert back == run
    assert {query: list(back[query].items()) for query in back} == {
        query: cut(run[query], 8) for query in run
    }


@pytest.mark.parametrize("identifier", ODD_IDS)
def test_c08_odd_ids_survive_a_run_file(tmp_path: Path, identifier: str) -> None:
    run = {identifier: {identifier: 1.0, "plain": 0.5}}
    write_run(tmp_path / "run", run, "tag", depth=10)
    assert read_run(tmp_path / "run") == run
    assert [len(line.split()) for line in (tmp_path / "run").read_bytes().splitlines()] == [6, 6]


def test_c08_different_ids_stay_different_columns() -> None:
    columns = [escape_id(identifier) for identifier in ODD_IDS]
    assert len(set(columns)) == len(ODD_IDS)
    assert [unescape_id(column) for column in columns] == ODD_IDS


def test_ids_that_a_line_can_carry_are_written_as_they_are() -> None:
    for identifier in ("http://x.org/a%20b?c=%25", "文档\u30001", "x\u00a0y", "100%"):
        assert escape_id(identifier) == identifier
    assert escape_id("doc a") == "%%doc%20a"


def test_columns_of_other_tools_that_look_escaped_are_the_ids_themselves() -> None:
    for column in ("a%20b", "%%x", "%%%FF", "%%%41"):
        assert unescape_id(column) == column


def test_written_lines_have_six_columns_ranks_from_one_and_full_scores(tmp_path: Path) -> None:
    write_run(tmp_path / "run", {"q2": {"b": 0.1}, "q1": {"a": 1 / 3, "b": 2.0}, "q3": {}}, "bm25", depth=10)
    assert (tmp_path / "run").read_text("utf-8") == (
        "q1 Q0 b 1 2.0 bm25\nq1 Q0 a 2 0.3333333333333333 bm25\nq2 Q0 b 1 0.1 bm25\n"
    )


def test_depth_cuts_what_is_written(tmp_path: Path) -> None:
    write_run(tmp_path / "run", {"q": {f"d{n:02d}": 1.0 for n in range(12)}}, "t", depth=2)
    assert list(read_run(tmp_path / "run")["q"]) == ["d11", "d10"]


def test_gzip_bytes_do_not_depend_on_time_or_name(tmp_path: Path) -> None:
    for name in ("one.gz", "two.gz"):
        write_run(tmp_path / name, {"q": {"d": 1.0}}, "t", depth=10)
    packed = (tmp_path / "one.gz").read_bytes()
    assert packed == (tmp_path / "two.gz").read_bytes()
    assert packed[4:8] == b"\0\0\0\0"
    assert gzip.decompress(packed) == b"q Q0 d 1 1.0 t\n"


def test_a_failed_write_leaves_the_old_file_and_nothing_else(tmp_path: Path) -> None:
    write_run(tmp_path / "run", {"q": {"d": 1.0}}, "t", depth=10)
    with pytest.raises(UserError, match="'q2'"):
        write_run(tmp_path / "run", {"q": {"e": 1.0}, "q2": {"d": math.nan}}, "t", depth=10)
    assert [path.name for path in tmp_path.iterdir()] == ["run"]
    assert read_run(tmp_path / "run") == {"q": {"d": 1.0}}


def test_c10_bom_crlf_blank_lines_and_tabs_are_read(tmp_path: Path) -> None:
    text = "\ufeffq1 Q0 d1 9 2.5 t\r\n\r\n  \t\r\n q1\tQ0 \t d2\t1\t-1e-3\tt \r\nq2 Q0 d1 1 .5 t"
    run = read_run(_written(tmp_path / "run", text))
    assert run == {"q1": {"d1": 2.5, "d2": -0.001}, "q2": {"d1": 0.5}}


def test_c08_only_blanks_and_tabs_split_columns(tmp_path: Path) -> None:
    run = read_run(_written(tmp_path / "run", "q\u30001 Q0 x\u00a0y\u0085\x0c 1 2 t\n"))
    assert run == {"q\u30001": {"x\u00a0y\u0085\x0c": 2.0}}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ("q1 Q0 d2 1 2.0", "5 columns"),
        ("q1 Q0 d2 1 2.0 t u", "7 columns"),
        ("q1 Q0 doc 2 1 2.0 t", "7 columns"),
        ("q1 Q0 d1 2 1.0 t", "'d1' is listed twice for query 'q1'"),
        *(
            (f"q1 Q0 d2 1 {score} t", "no finite number")
            for score in ("nan", "inf", "-Infinity", "1e999", "1_0")
        ),
        *((f"q1 Q0 d2 1 {score} t", "no finite number") for score in ("１", "x", "1,5", "0x10", "\x0b1")),
    ],
)
def test_c23_bad_lines_are_refused_with_file_and_line(tmp_path: Path, line: str, message: str) -> None:
    path = _written(tmp_path / "run.trec", f"q1 Q0 d1 1 3.0 t\n\n{line}\n")
    with pytest.raises(UserError, match=rf"run\.trec:3: .*{message}"):
        read_run(path)


def test_more_documents_than_the_depth_are_refused(tmp_path: Path) -> None:
    path = _written(tmp_path / "run", "".join(f"q Q0 d{n} {n} {n} t\n" for n in range(11)))
    assert len(read_run(path)["q"]) == 11
    with pytest.raises(UserError, match=r"run:11: more than 10 documents for query 'q'"):
        read_run(path, depth=10)


@pytest.mark.parametrize("content", ["q Q0 d 1 1.0 t\n".encode("utf-16"), b"q Q0 \xff 1 1.0 t\n"])
def test_c10_other_encodings_are_refused(tmp_path: Path, content: bytes) -> None:
    with pytest.raises(UserError, match=r"run:1: not UTF-8"):
        read_run(_written(tmp_path / "run", content))


def test_missing_and_truncated_files_are_user_errors(tmp_path: Path) -> None:
    packed = gzip.compress(b"q Q0 d 1 1.0 t\n" * 500)
    for path in (tmp_path / "none", _written(tmp_path / "torn.gz", packed[:-12])):
        with pytest.raises(UserError, match=path.name):
            read_run(path)


def test_gzip_is_known_by_its_content(tmp_path: Path) -> None:
    path = _written(tmp_path / "run.trec", gzip.compress(b"q Q0 d 1 1.0 t\n"))
    assert read_run(path) == {"q": {"d": 1.0}}


def test_c09_systems_have_file_names_that_tell_them_apart() -> None:
    assert [file_name(name) for name in ("bm25", "bm25 | whisper-base")] == ["bm25", "bm25+whisper-base"]
    odd = ["my_search:search", "my_search_search:", "a/b", "a_b:", "../x", "北京", "", "x" * 300, "x" * 301]
    names = [file_name(name) for name in odd]
    assert len({name.lower() for name in names}) == len(odd)
    assert names[0].startswith("my_search_search-")
    assert all(re.fullmatch(r"[A-Za-z0-9][A-Za-z0-9._+=-]{0,80}", name) for name in names)
