"""The rate of a recording: trusted, put right, or said to be unconfirmed."""

from __future__ import annotations

import subprocess
import sys
import warnings

import pytest
from noise_archives import (
    write_noisex,
)

from squtr.noise_sources.catalogue import Expect
from squtr.noise_sources.decode import Header
from squtr.noise_sources.tracks import true_rate
from squtr.plugins import load


@pytest.mark.parametrize(
    ("seconds", "stated", "taken", "said"),
    [
        (235, 19980, 19980, ""),
        (235.23, 19980, 19980, ""),
        (235, 16000, 16000, ""),
        (235, None, 19980, ""),
        (241.03, 19480, 19980, "states 19480 Hz, which makes 241.0 s of it; read at 19980 Hz, 235 s"),
        (60, 19480, 19480, "is 60.0 s long, not about 235 s: its rate of 19480 Hz is not confirmed"),
        (60, None, 19980, "is 60.0 s long, not about 235 s: its rate of 19980 Hz is not confirmed"),
    ],
)
def test_a_rate_is_trusted_when_it_makes_235_seconds(seconds, stated, taken, said):
    header = Header(round(seconds * (stated or 19980)), 1, stated)
    assert true_rate(header, Expect(seconds=235, assumed_sample_rate=19980)) == (taken, said)


def test_the_converter_s_rate_is_put_right_and_said(tmp_path, caplog):
    write_noisex(tmp_path, 235, 19480, ["white"])
    source = load("noise", f"noisex92,path={tmp_path},only=white")
    source.check()
    said = "noisex_white states 19480 Hz, which makes 241.0 s of it; read at 19980 Hz, 235 s."
    assert [record.getMessage() for record in caplog.records] == [said]
    assert source.read("noisex_white").sample_rate == 19980
    assert source.read("noisex_white").seconds == 235


def test_it_is_said_in_one_line_without_source_code(tmp_path):
    write_noisex(tmp_path, 60, 19480, ["white"])
    code = f"from squtr.plugins import load; load('noise', 'noisex92,path={tmp_path},only=white').check()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    said = "noisex_white is 61.5 s long, not about 235 s: its rate of 19480 Hz is not confirmed."
    assert (done.stderr.splitlines(), done.returncode) == ([said], 0)


def test_a_right_rate_is_not_spoken_of(tmp_path, caplog):
    write_noisex(tmp_path, 235, 19980, ["white", "pink"])
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        load("noise", f"noisex92,path={tmp_path},only=white pink").check()
    assert caplog.records == []
