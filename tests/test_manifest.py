"""The manifest: the same rows twice, as lines and as columns."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from squtr.errors import UserError
from squtr.manifest import FIELDS, SCHEMA, ManifestWriter, check_tables, read_facts, read_manifest

ROW = {"query_id": "q", "condition": "clean", "file": "a.wav", "error_rate": 0.25, "take_flags": ["x", "é\n"],
       "reading_spans": [[0, 1, 2, 3]], "judges": [{"judge": "j", "score": 4.5, "reasons": []}]}  # fmt: skip


def write(folder, rows):
    writer = ManifestWriter(folder)
    for row in rows:
        writer.add(row)
    writer.close()


def test_lines_and_columns_agree(tmp_path):
    rows = [{**ROW, "query_id": f"q{number}"} for number in range(5000)]
    write(tmp_path, rows)
    read = list(read_manifest(tmp_path))
    assert len(read) == 5000
    assert list(read[0]) == list(FIELDS)
    assert all(read[number][name] == value for number in (0, 4999) for name, value in rows[number].items())
    table = pq.read_table(tmp_path / "manifest.parquet")
    assert table.schema.equals(SCHEMA)
    assert table.to_pylist() == read
    assert sorted(path.name for path in tmp_path.iterdir()) == ["manifest.jsonl", "manifest.parquet"]


def test_what_is_not_said_is_null(tmp_path):
    write(tmp_path, [ROW])
    row = json.loads((tmp_path / "manifest.jsonl").read_text())
    assert row["noise_id"] is None
    assert row["realised_snr_db"] is None


def test_the_same_rows_give_the_same_bytes(tmp_path):
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        write(tmp_path / name, [ROW, ROW])
    for file in ("manifest.jsonl", "manifest.parquet"):
        assert (tmp_path / "a" / file).read_bytes() == (tmp_path / "b" / file).read_bytes()


def test_nothing_appears_before_the_end(tmp_path):
    writer = ManifestWriter(tmp_path)
    writer.add(ROW)
    assert not any(path.name.startswith("manifest") for path in tmp_path.iterdir())
    writer.discard()
    assert list(tmp_path.iterdir()) == []


def test_c12_nan_and_unknown_fields_are_refused(tmp_path):
    writer = ManifestWriter(tmp_path)
    with pytest.raises(ValueError, match="JSON"):
        writer.add({"error_rate": float("nan")})
    with pytest.raises(KeyError, match="colour"):
        writer.add({"colour": "red"})
    writer.discard()


def test_no_manifest(tmp_path):
    with pytest.raises(UserError, match=r"no manifest\.jsonl"):
        read_manifest(tmp_path)


def values(kind: pa.DataType) -> st.SearchStrategy[Any]:
    if pa.types.is_list(kind):
        return st.none() | st.lists(values(kind.value_type), max_size=3)
    if pa.types.is_struct(kind):
        return st.fixed_dictionaries({field.name: values(field.type) for field in kind})
    if pa.types.is_integer(kind):
        return st.none() | st.integers(-(2**31), 2**31 - 1)
    if pa.types.is_floating(kind):
        return st.none() | st.floats(allow_nan=False, allow_infinity=False)
    if pa.types.is_boolean(kind):
        return st.none() | st.booleans()
    return st.none() | st.text(st.characters(exclude_categories=["Cs"]), max_size=8)


@given(st.lists(st.fixed_dictionaries({name: values(kind) for name, kind in FIELDS.items()}), max_size=3))
@settings(max_examples=40, deadline=None, suppress_health_check=list(HealthCheck))
def test_columns_hold_exactly_the_rows(rows):
    with tempfile.TemporaryDirectory() as folder:
        write(Path(folder), rows)
        found = pq.read_table(Path(folder) / "manifest.parquet")
        assert found.equals(pa.Table.from_pylist(rows, schema=SCHEMA))


def test_tables_that_do_not_belong_together(tmp_path):
    write(tmp_path, [ROW, ROW])
    check_tables(tmp_path)
    lines, table = tmp_path / "manifest.jsonl", tmp_path / "manifest.parquet"
    whole, columns = lines.read_bytes(), table.read_bytes()
    lines.write_bytes(whole.splitlines(keepends=True)[0])
    with pytest.raises(
        UserError, match=r"manifest\.parquet: 2 rows where manifest\.jsonl has 1\. Run squtr verify"
    ):
        check_tables(tmp_path)
    lines.write_bytes(b"\n")
    with pytest.raises(UserError, match=r"manifest\.jsonl: no row in it"):
        check_tables(tmp_path)
    lines.write_bytes(whole)
    for cut in (b"", columns[:100], columns[:-9]):
        table.write_bytes(cut)
        with pytest.raises(UserError, match=r"manifest\.parquet: cannot be read"):
            check_tables(tmp_path)
    table.unlink()
    check_tables(tmp_path)


def test_a_row_without_its_file(tmp_path):
    (tmp_path / "manifest.jsonl").write_text('{"file": "a"}\n{"a": 1}\n')
    with pytest.raises(UserError, match=r"manifest\.jsonl:2: file is None; a path must stand there"):
        list(read_facts(tmp_path))
