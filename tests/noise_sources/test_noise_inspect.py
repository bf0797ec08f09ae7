"""A user's copy, checked: what is wrong with it is named, and nothing else."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import numpy as np
import pytest
from noise_archives import ENVIRONMENTS, NOISES, noise, wav, write_environment, write_noisex, write_zip

from squtr.errors import UserError
from squtr.noise_sources.inspect import inspect

SHORT = """name: short
licence: x
expect: {seconds: 2, sample_rates: [48000, 16000], files: 2, channels: 1}
id: short_{category}_{stem}
same_id: highest_rate
files: ["**/{category}/ch0[1-9].wav"]
categories: {ROOM: {title: room}, HALL: {title: hall}}
"""


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A whole copy of a source that expects two channels of two seconds each."""
    for code in ("ROOM", "HALL"):
        for channel in (1, 2):
            put(tmp_path / "copy" / code / f"ch{channel:02d}.wav", f"{code}{channel}")
    return tmp_path / "copy"


def put(path: Path, name: str, seconds: float = 2.0, rate: int = 48000, **options: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(wav(noise(name, seconds, rate), rate, **options))


@pytest.fixture
def check(copy, written):
    source = str(written(SHORT))

    def run(**options):
        report = inspect(copy, source, **options)
        json.dumps(vars(report), allow_nan=False)
        return [what for _, what in report.faults], [what for _, what in report.notes], report

    return run


def test_a_whole_copy_has_no_fault(check):
    faults, notes, report = check()
    assert (faults, notes) == ([], [])
    assert [row["id"] for row in report.recordings] == [
        "short_ROOM_ch01",
        "short_ROOM_ch02",
        "short_HALL_ch01",
        "short_HALL_ch02",
    ]
    row = report.recordings[0]
    assert (row["sample_rate"], row["seconds"], row["channels"]) == (48000, 2, 1)
    assert row["level_dbfs"] == pytest.approx(-20, abs=0.1)
    assert row["clipped_share"] == row["quiet_share"] == 0


def spoil_rate(copy):
    put(copy / "HALL" / "ch02.wav", "x", rate=44100)


def spoil_length(copy):
    put(copy / "HALL" / "ch02.wav", "x", seconds=1.9)


def spoil_click(copy):
    put(copy / "HALL" / "ch02.wav", "x", seconds=0.1)


def spoil_silence(copy):
    (copy / "HALL" / "ch02.wav").write_bytes(wav(np.zeros(96000, np.int16), 48000))


def spoil_nearly_silent(copy):
    (copy / "HALL" / "ch02.wav").write_bytes(wav(np.tile(np.array([1, -1], np.int16), 48000), 48000))


def spoil_clipping(copy):
    samples = noise("x", 2, 48000)
    samples[1000:1200] = 32767
    (copy / "HALL" / "ch02.wav").write_bytes(wav(samples, 48000))


def spoil_stereo(copy):
    samples = noise("x", 2, 48000)
    (copy / "HALL" / "ch02.wav").write_bytes(wav(np.stack([samples, samples], axis=1), 48000))


def spoil_cut(copy):
    path = copy / "HALL" / "ch02.wav"
    path.write_bytes(path.read_bytes()[:1000])


def spoil_content(copy):
    (copy / "HALL" / "ch02.wav").write_bytes(b"<html>")


def spoil_copied(copy):
    shutil.copy(copy / "HALL" / "ch01.wav", copy / "HALL" / "ch02.wav")


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (spoil_rate, "states 44100 Hz, not 48000 or 16000"),
        (spoil_length, "1.9 s long, not about 2 s"),
        (spoil_click, "0.100 s long; noise takes 0.2 s at least, to be looped"),
        (spoil_silence, "silent (digital silence)"),
        (spoil_nearly_silent, "silent (-90.3 dBFS)"),
        (spoil_clipping, "clipped: 0.21% of its samples stand at full scale"),
        (spoil_stereo, "2 channels, not 1: their mean is taken"),
        (spoil_cut, "is cut short: 956 of 192000 bytes of samples"),
        (spoil_content, "not audio that can be read"),
        (spoil_copied, "short_HALL_ch02 is the same, byte for byte, as short_HALL_ch01"),
    ],
)
def test_one_fault_is_named_with_its_file(check, copy, spoil, words):
    spoil(copy)
    faults, _, report = check()
    assert len(faults) == 1
    assert faults[0].startswith(words)
    assert report.faults[0][0] == str(copy / "HALL" / "ch02.wav")


def test_a_missing_channel_and_a_missing_environment(check, copy):
    (copy / "HALL" / "ch02.wav").unlink()
    shutil.rmtree(copy / "ROOM")
    _, _, report = check()
    assert report.faults == [("ROOM", "no recording of it"), ("HALL", "no ch02")]
    assert check(only=["HALL"])[2].faults == [("HALL", "no ch02")]


@pytest.mark.parametrize("name", ["HAL/ch01.wav", "HALL/channel1.wav", "ch01.wav", "ROOM/ch1.flac"])
def test_a_wrong_name_is_named(check, copy, name):
    put(copy / name, "odd")
    faults, _, report = check()
    assert len(faults) == 1
    assert faults[0].startswith("wrong name: no recording of short is called")
    assert report.faults[0][0] == str(copy / name)


def test_other_files_are_no_fault(check, copy):
    (copy / "README.txt").write_text("x")
    (copy / ".DS_Store").write_text("x")
    assert check()[:2] == ([], [])


def test_other_recordings_are_one_note(check, copy):
    for name in ("speech.wav", "talks/one.wav", "talks/two.flac"):
        put(copy / name, "x")
    faults, _, report = check()
    assert faults == []
    assert report.notes == [
        (str(copy), "not of short, passed over: speech.wav, talks/one.wav, talks/two.flac")
    ]


def test_long_silences_are_a_note(check, copy):
    samples = noise("gun", 2, 48000)
    samples[20_000:80_000] = 0
    (copy / "HALL" / "ch02.wav").write_bytes(wav(samples, 48000))
    faults, notes, _ = check()
    assert faults == []
    assert notes == ["quiet for up to 1.2 s, 62% of it in all: a crop that falls there is drawn again"]


def test_two_copies_of_a_recording_are_a_note(check, copy):
    members = {
        f"ROOM/ch{channel:02d}.wav": wav(noise(f"low{channel}", 2, 16000), 16000) for channel in (1, 2)
    }
    write_zip(copy / "ROOM_16k.zip", members)
    faults, _, report = check()
    assert faults == []
    assert report.notes == [
        (
            str(copy / "ROOM_16k.zip"),
            f"1 of its recordings are in {copy / 'ROOM' / f'ch{channel:02d}.wav'} too, and taken from there",
        )
        for channel in (1, 2)
    ]


def test_damaged_archives_are_faults(check, copy):
    (copy / "broken.zip").write_bytes(b"PK")
    write_zip(copy / "evil.zip", {"../a.wav": b"x"})
    faults, _, report = check()
    assert [place for place, _ in report.faults] == ["archive", "archive"]
    assert "broken.zip: not a whole zip archive" in faults[0]
    assert "leads out of its folder" in faults[1]
    assert len(report.recordings) == 4


def test_the_source_that_fits_is_found(demand, noisex):
    assert inspect(demand).source == "demand"
    assert inspect(noisex).source == "noisex92"


def test_small_demand_is_found_short_and_lacking_channels(demand):
    report = inspect(demand)
    assert len(report.recordings) == 36
    missing = [(place, what) for place, what in report.faults if what.startswith("no ch")]
    assert missing == [(code, "no ch02, ch03, ch04, ch05, ch06, ch08 and 8 more") for code in ENVIRONMENTS]
    assert sum("2.5 s long, not about 300 s" in what for _, what in report.faults) == 36
    assert len(report.faults) == 54


def test_whole_recordings_of_demand_and_noisex_have_no_fault(tmp_path):
    write_environment(tmp_path / "demand", "SCAFE", range(1, 17), 300.004, 1000)
    report = inspect(tmp_path / "demand", "demand", ["SCAFE"])
    assert {what for _, what in report.faults} == {"states 1000 Hz, not 48000 or 16000"}
    write_noisex(tmp_path / "noisex", 235, names=["white", "pink"])
    report = inspect(tmp_path / "noisex", "noisex92", ["white", "pink"])
    assert report.faults == []


def test_the_converter_s_rate_is_a_fault_that_says_what_is_done(tmp_path):
    write_noisex(tmp_path, 235, 19480, ["white"])
    report = inspect(tmp_path, "noisex92", ["white"])
    assert [what for _, what in report.faults] == [
        "states 19480 Hz, which makes 241.0 s of it; read at 19980 Hz, 235 s"
    ]
    assert (report.recordings[0]["sample_rate"], report.recordings[0]["stated_sample_rate"]) == (19980, 19480)


def test_all_of_noisex_is_wanted(tmp_path):
    write_noisex(tmp_path, 1, names=["white"])
    missing = [place for place, what in inspect(tmp_path, "noisex92").faults if what == "no recording of it"]
    assert missing == NOISES[1:]


@pytest.mark.parametrize(
    ("folder", "source", "only", "words"),
    [
        ("nowhere", "", (), "no such folder or archive"),
        (".", "", (), "no recording of demand or noisex92 in it"),
        (".", "demnad", (), "Did you mean 'demand'"),
        (".", "demand", ("SCAFFE",), "no category 'SCAFFE'"),
    ],
)
def test_bad_calls_are_user_errors(tmp_path, folder, source, only, words):
    with pytest.raises(UserError, match=words):
        inspect(tmp_path / folder, source, only)
