"""Draws and digests are the same in any process; a change to either would change every data set."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from squtr.digest import canonical_json, digest, digest_bytes, digest_file, to_plain
from squtr.draw import draw, draw_order
from squtr.records import AudioRef

DRAWN = [1430179279, 2084651519, 298408010]
ORDER = "1f14ac613dd9b0ef"
PINNED = "cb50013c4937017f1be0261dda8f96489520ed39ced45706f83b06fbe9837efb"


def test_c33_draws_are_pinned():
    assert draw(7, "speak", "en/x/q1").integers(2**31, size=3).tolist() == DRAWN
    assert draw_order(7, "select", "a").startswith(ORDER)


def test_c33_draws_do_not_depend_on_the_process():
    code = "from squtr.draw import draw; print(draw(7, 'speak', 'en/x/q1').integers(2**31, size=3).tolist())"
    for seed in ("0", "5"):
        done = subprocess.run(
            [sys.executable, "-c", code],
            capture_output=True,
            text=True,
            check=True,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(Path(__file__).parents[1])},
        )
        assert done.stdout.strip() == str(DRAWN)


@given(st.integers(), st.text(), st.text(), st.integers(), st.text(), st.text())
def test_c33_different_arguments_give_different_streams(seed, stage, item, seed2, stage2, item2):
    same = (seed, stage, item) == (seed2, stage2, item2)
    first, second = draw(seed, stage, item).random(4), draw(seed2, stage2, item2).random(4)
    assert np.array_equal(first, second) == same


def test_parts_of_a_key_do_not_run_together():
    assert digest("ab", "c") != digest("a", "bc") != digest("abc")
    assert draw_order(1, "a", "b/c") != draw_order(1, "a/b", "c")


def test_digest_is_pinned_and_ignores_key_order():
    assert digest("a", 1, [2.5, None, True], {"b": "é", "a": ()}) == PINNED
    assert digest({"a": 1, "b": 2}) == digest({"b": 2, "a": 1})


def test_digest_tells_types_apart():
    assert len({digest(value) for value in (1, "1", 1.5, True, None, [1], {"1": 1})}) == 7


def test_plain_values():
    @dataclass(frozen=True)
    class Item:
        ref: AudioRef
        path: Path

    plain = to_plain(Item(AudioRef("0", 1, 2), Path("a") / "b"))
    assert plain == {"ref": {"sha256": "0", "samples": 1, "sample_rate": 2}, "path": "a/b"}


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"a": [float("nan")]}])
def test_c12_nan_has_no_digest(value):
    with pytest.raises(ValueError, match="JSON"):
        canonical_json(value)


@given(st.text())
def test_any_text_has_a_digest(text):
    assert len(digest(text)) == 64


def test_file_and_bytes_agree(tmp_path):
    data = bytes(range(256)) * 9000
    (tmp_path / "file").write_bytes(data)
    assert digest_file(tmp_path / "file") == digest_bytes(data) == digest_bytes(memoryview(data))
