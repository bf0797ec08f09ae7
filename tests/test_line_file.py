"""JSON lines: whole files or none, in the order of the rows' keys, from rows or from text."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr.digest import canonical_json
from squtr.line_file import LineFile, canonical_json_ordered

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(st.text(), VALUES, max_size=5))
def test_only_the_order_of_the_outer_keys_is_the_rows_own(row):
    text = canonical_json_ordered(row)
    assert text == "{" + ",".join(f"{canonical_json(k)}:{canonical_json(v)}" for k, v in row.items()) + "}"
    assert json.loads(text) == row


def test_inner_keys_are_sorted_and_outer_ones_are_not():
    assert canonical_json_ordered({"b": {"z": (1,), "a": {"d": 0, "c": 0}}, "a": "雾"}) == (
        '{"b":{"a":{"c":0,"d":0},"z":[1]},"a":"雾"}'
    )


def test_rows_and_text_give_one_file(tmp_path):
    first, second = LineFile(tmp_path / "first.jsonl"), LineFile(tmp_path / "second.jsonl")
    for number in range(5):
        first.add({"number": number})
        second.append(first.flush())
    assert first.flush() == ""
    first.add({"number": 5})
    second.append('{"number":5}\n')
    assert not list(tmp_path.glob("*.jsonl"))
    for file in (first, second):
        file.close()
        assert file.path.read_bytes() == b"".join(b'{"number":%d}\n' % number for number in range(6))
    assert len(list(tmp_path.iterdir())) == 2


def test_finished_is_whole_under_its_temporary_name(tmp_path):
    file = LineFile(tmp_path / "a.jsonl")
    file.add({"a": 1})
    file.finish()
    assert file.temporary.read_text() == '{"a":1}\n' and not file.path.exists()
    file.close()
    assert file.path.read_text() == '{"a":1}\n'


def test_discarded_leaves_nothing(tmp_path):
    file = LineFile(tmp_path / "a.jsonl")
    with pytest.raises(ValueError, match="JSON"):
        file.add({"a": float("inf")})
    file.discard()
    assert list(tmp_path.iterdir()) == []
