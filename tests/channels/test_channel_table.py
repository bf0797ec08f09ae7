"""Records from JSONL, CSV, TSV, plain lines and BEIR folders: places, faults, and the way back."""

from __future__ import annotations

from pathlib import Path

import pytest

from squtr.channels.table import field, read_rows, write_rows
from squtr.errors import UserError


def put(path: Path, text: str) -> Path:
    path.write_bytes(text.encode("utf-8"))
    return path


def test_jsonl_keeps_every_field_and_tells_the_line(tmp_path: Path) -> None:
    path = put(tmp_path / "a.jsonl", '{"_id": "1", "q": "x", "n": [1]}\n\n{"_id": 2, "q": ""}\n')
    first, second = read_rows(path, "q")
    assert first.fields == {"_id": "1", "q": "x", "n": [1]} and first.text == "x"
    assert (second.place, second.text) == (f"{path}:3", "")


def test_a_beir_folder_is_its_queries(tmp_path: Path) -> None:
    put(tmp_path / "queries.jsonl", '{"_id": "1", "text": "x"}\n')
    assert read_rows(tmp_path)[0].place == f"{tmp_path / 'queries.jsonl'}:1"


def test_csv_cells_may_hold_commas_quotes_and_lines(tmp_path: Path) -> None:
    path = put(tmp_path / "a.csv", '\ufeffid,text\r\n1,"a ""b"", c\n\nd"\r\n\r\n2,e\r\n')
    rows = read_rows(path)
    assert [row.text for row in rows] == ['a "b", c\n\nd', "e"]
    assert [row.place for row in rows] == [f"{path}:2", f"{path}:6"]


def test_a_tsv_and_plain_lines(tmp_path: Path) -> None:
    assert read_rows(put(tmp_path / "a.tsv", "text\tx\na, b\t1\n"))[0].fields == {"text": "a, b", "x": "1"}
    lines = read_rows(put(tmp_path / "a.txt", "one\n\n \nfour, five\n"), "q")
    assert [row.text for row in lines] == ["one", "", "", "four, five"]
    assert lines[3].place.endswith("a.txt:4") and lines[3].fields == {"q": "four, five"}


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("a.jsonl", '{"text": "x"}\n{"txt": "y"}\n', "a.jsonl:2: no column 'text'. Did you mean 'txt'?"),
        ("a.jsonl", '{"text": null}\n', "a.jsonl:1: text is null, not a text."),
        ("a.jsonl", '{"text": 3}\n', "a.jsonl:1: text is 3, not a text."),
        ("a.jsonl", "[1]\n", "a.jsonl:1: list where a JSON object must stand"),
        ("a.jsonl", "", "a.jsonl: no record in it"),
        ("a.csv", "id,query\n1,x\n", "a.csv:2: no column 'text'. Known: id, query."),
        ("a.csv", "id,text\n1,x\n2\n", "a.csv:3: 1 columns where the header has 2"),
        ("a.csv", "text,text\n1,x\n", "a.csv:1: the column 'text' in the header is blank or stands twice"),
        ("a.csv", 'text\n"x\n', "a.csv:2: not a table"),
        ("a.csv", "text\n", "a.csv: no record in it"),
        ("a.txt", "", "a.txt: no record in it"),
    ],
)
def test_faults_are_one_message_with_their_place(tmp_path: Path, name: str, text: str, message: str) -> None:
    with pytest.raises(UserError) as caught:
        read_rows(put(tmp_path / name, text))
    assert message in str(caught.value)


def test_what_is_no_text_file_is_one_message(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes("text\nä\n".encode("latin-1"))
    with pytest.raises(UserError, match=r"a\.csv:2: byte 1 of the line \(0xe4\) is not UTF-8"):
        read_rows(tmp_path / "a.csv")
    with pytest.raises(UserError, match="cannot be read"):
        read_rows(tmp_path / "none.csv")
    with pytest.raises(UserError, match=r"queries\.jsonl: cannot be read"):
        read_rows(tmp_path)


@pytest.mark.parametrize("name", ["a.jsonl", "a.csv", "a.tsv"])
def test_records_come_back_as_they_were_written(tmp_path: Path, name: str) -> None:
    rows = [{"id": "1", "text": 'a "b",\nc'}, {"id": "2", "text": "嗯"}]
    assert write_rows(tmp_path / name, rows) == 2
    assert [row.fields for row in read_rows(tmp_path / name)] == rows


def test_a_csv_holds_lists_as_json_and_lines_hold_the_text(tmp_path: Path) -> None:
    rows = [{"text": "a"}, {"text": "b", "edits": [{"kind": "filler"}], "n": None}]
    write_rows(tmp_path / "a.csv", rows)
    assert (tmp_path / "a.csv").read_text(encoding="utf-8") == (
        'text,edits,n\na,,\nb,"[{""kind"": ""filler""}]",\n'
    )
    write_rows(tmp_path / "a.txt", rows)
    assert (tmp_path / "a.txt").read_text(encoding="utf-8") == "a\nb\n"
    with pytest.raises(UserError, match="Record 1 has a line break"):
        write_rows(tmp_path / "b.txt", [{"text": "a\nb"}])
    assert not (tmp_path / "b.txt").exists()


def test_a_column_is_asked_for_by_name(tmp_path: Path) -> None:
    row = read_rows(put(tmp_path / "a.csv", "text,group\na,7\n"))[0]
    assert field(row, "group") == "7"
    with pytest.raises(UserError, match=r"a\.csv:2: no column 'gruop'\. Did you mean 'group'\?"):
        field(row, "gruop")
