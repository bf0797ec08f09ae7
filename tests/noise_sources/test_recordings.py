"""DEMAND, NOISEX-92 and the presets: ids, categories, readings, and what is done about missing files."""

from __future__ import annotations

import shutil
import zipfile
from pathlib import Path

import numpy as np
import pytest
from noise_archives import (
    ENVIRONMENTS,
    NOISES,
    categories,
    ids,
    noise,
    put,
    write_demand,
    write_environment,
    write_zip,
)

from squtr.errors import UserError
from squtr.plugins import load

SQUTR17 = {
    "metro-station": "TMETRO",
    "living-room": "DLIVING",
    "park": "NPARK",
    "hallway": "OHALLWAY",
    "river": "NRIVER",
    "square": "SPSQUARE",
    "train-station": "PSTATION",
    "meeting-room": "OMEETING",
    "field": "NFIELD",
    "washing": "DWASHING",
    "cafeteria": "PCAFETER",
    "restaurant": "PRESTO",
    "street-traffic": "STRAFFIC",
    "cafe": "SCAFE",
    "kitchen": "DKITCHEN",
    "bus": "TBUS",
}


def unpacked(demand: Path, folder: Path) -> Path:
    for archive in demand.glob("*.zip"):
        with zipfile.ZipFile(archive) as opened:
            opened.extractall(folder)
    return folder


def test_demand_ids_name_environment_and_channel(demand):
    source = load("noise", f"demand,path={demand}")
    assert ids(source) == [f"demand_{code}_ch{channel}" for code in ENVIRONMENTS for channel in ("01", "07")]
    assert categories(source) == set(ENVIRONMENTS)
    waveform = source.read("demand_SCAFE_ch07")
    assert waveform.sample_rate == 48000
    assert np.array_equal(waveform.samples, noise("SCAFE 7", 2.5, 48000))
    assert isinstance(waveform.samples, np.memmap)


def test_archives_and_unpacked_folders_are_the_same_source(demand, tmp_path):
    archives = load("noise", f"demand,path={demand}")
    folders = load("noise", f"demand,path={unpacked(demand, tmp_path / 'x')}")
    assert ids(archives) == ids(folders)
    assert archives.fingerprint == folders.fingerprint
    for name in ids(archives)[:4]:
        assert np.array_equal(archives.read(name).samples, folders.read(name).samples)


def test_all_of_demand_in_one_archive(demand, tmp_path):
    members = {}
    for archive in sorted(demand.glob("*.zip")):
        with zipfile.ZipFile(archive) as opened:
            members |= {name: opened.read(name) for name in opened.namelist()}
    path = write_zip(tmp_path / "demand.zip", members)
    assert (
        load("noise", f"demand,path={path}").fingerprint == load("noise", f"demand,path={demand}").fingerprint
    )


def test_c51_the_fingerprint_follows_the_bytes_of_what_is_used(tmp_path):
    for name in "xy":
        write_demand(tmp_path / name, (1,), seconds=0.3)
    same = [load("noise", f"squtr17,demand={tmp_path / name}").fingerprint for name in "xy"]
    assert same[0] == same[1]
    write_environment(tmp_path / "y", "TCAR", (1, 2), 0.3)
    assert load("noise", f"squtr17,demand={tmp_path / 'y'}").fingerprint == same[0]
    write_environment(tmp_path / "y", "SCAFE", (1, 2), 0.3)
    assert load("noise", f"squtr17,demand={tmp_path / 'y'}").fingerprint != same[0]


def test_c51_the_fingerprint_follows_bytes_of_the_same_number(tmp_path):
    prints = set()
    for name in ("one", "other"):
        put(tmp_path / name / "TBUS" / "ch01.wav", name)
        prints.add(load("noise", f"demand,path={tmp_path / name},only=TBUS").fingerprint)
    assert len(prints) == 2


def test_every_category_of_squtr17_resolves_to_its_environment(demand):
    source = load("noise", f"squtr17,demand={demand}")
    found: dict[str, set[str]] = {}
    for recording in source.recordings():
        found.setdefault(recording.category, set()).add(recording.id.split("_")[1])
    assert found.pop("reverberation") == {"reverberation"}
    assert found == {category: {code} for category, code in SQUTR17.items()}
    for recording in source.recordings():
        assert recording.synthetic == (recording.category == "reverberation")
        if not recording.synthetic:
            assert source.read(recording.id).sample_rate == 48000
    assert source.read("synthetic_reverberation_01").seconds == 30


def test_every_category_of_noisex15_resolves_to_its_noise(noisex):
    source = load("noise", f"noisex15,noisex92={noisex}")
    assert [(recording.category, recording.id) for recording in source.recordings()] == [
        (name, f"noisex_{name}") for name in NOISES
    ]
    for name in NOISES:
        waveform = source.read(f"noisex_{name}")
        assert waveform.sample_rate == 19980
        assert np.array_equal(waveform.samples, noise(name, 2.5, 19980))


def test_readings_can_be_chosen(demand):
    spec = f"squtr17,demand={demand},reverberation=none,metro-station="
    assert len(categories(load("noise", spec + "both"))) == 16
    for reading, codes in {
        "TMETRO": ["TMETRO"],
        "PSTATION": ["PSTATION"],
        "both": ["PSTATION", "TMETRO"],
    }.items():
        source = load("noise", spec + reading)
        metro = [one.id for one in source.recordings() if one.category == "metro-station"]
        assert metro == [f"demand_{code}_ch{channel}" for code in codes for channel in ("01", "07")]
        assert "demand_PSTATION_ch01" in [
            one.id for one in source.recordings() if one.category == "train-station"
        ]
    with pytest.raises(UserError, match=r"reverberation cannot be read as 'hall'.*Known: none, synthetic"):
        load("noise", f"squtr17,demand={demand},reverberation=hall")


def test_48_khz_is_preferred_and_what_exists_at_one_rate_is_taken(tmp_path):
    write_environment(tmp_path, "TBUS", (1, 2), 0.3, 16000)
    write_environment(tmp_path, "TBUS", (1,), 0.3, 48000)
    write_environment(tmp_path, "SCAFE", (1,), 0.3, 48000)
    source = load("noise", f"demand,path={tmp_path},only=TBUS SCAFE")
    rates = {name: source.read(name).sample_rate for name in ids(source)}
    assert rates == {"demand_SCAFE_ch01": 48000, "demand_TBUS_ch01": 48000, "demand_TBUS_ch02": 16000}


def test_48_khz_is_preferred_whatever_its_place(tmp_path):
    for folder, rate in (("a", 16000), ("b", 48000), ("c", 16000)):
        put(tmp_path / folder / "TBUS" / "ch01.wav", folder, rate=rate)
    source = load("noise", f"demand,path={tmp_path},only=TBUS")
    assert source.read("demand_TBUS_ch01").sample_rate == 48000


def test_parts_can_be_taken(demand):
    spec = f"demand,path={demand}"
    assert ids(load("noise", f"{spec},only=TBUS SCAFE,channels=7")) == [
        "demand_SCAFE_ch07",
        "demand_TBUS_ch07",
    ]
    assert ids(load("noise", f"{spec},only=TBUS,channels=1 7")) == ["demand_TBUS_ch01", "demand_TBUS_ch07"]
    some = load("noise", f"squtr17,demand={demand},only=cafe,channels=1")
    assert [(one.id, one.category) for one in some.recordings()] == [("demand_SCAFE_ch01", "cafe")]


def test_missing_categories_are_an_error_that_says_what_to_do(tmp_path):
    write_environment(tmp_path, "SCAFE", (1,), 0.3)
    with pytest.raises(UserError) as caught:
        load("noise", f"squtr17,demand={tmp_path}")
    assert f"demand: {tmp_path} has no recording of DKITCHEN, DLIVING" in str(caught.value)
    assert f"squtr noise fetch demand --to {tmp_path} --environments DKITCHEN," in str(caught.value)
    assert "OOFFICE" not in str(caught.value)
    assert ids(load("noise", f"squtr17,demand={tmp_path},only=cafe")) == ["demand_SCAFE_ch01"]


@pytest.mark.parametrize(
    ("spec", "words"),
    [
        ("demand", r"demand: not on this machine .*usual-place.*squtr noise fetch demand --to"),
        ("noisex92", r"noisex92: not on this machine .*There is no download .*never redistribute"),
        ("demand,path=/nowhere", r"/nowhere: no such folder or archive"),
        ("demand,path=2024", r"path is 2024, not text"),
        ("demand,only=SCAFFE", r"no category 'SCAFFE'\. Did you mean 'SCAFE'"),
        ("demand,only=[1]", r"only is \[1\]; words"),
        ("demand,channels=one", r"channels is 'one'; numbers"),
        ("squtr17,demnad=x", r"unknown option 'demnad'\. Did you mean 'demand'"),
        ("squtr17,path=x,only=cafe", r"squtr17 has no files of its own: write demand=, .*not path"),
        ("demand,source=x", r"source"),
        ("recordings,source=nope", r"nope: no such catalogue file"),
        ("recordings", r"source"),
    ],
)
def test_bad_calls_are_user_errors(spec, words):
    with pytest.raises(UserError, match=words):
        load("noise", spec)


def test_channels_that_no_recording_has(demand):
    with pytest.raises(UserError, match="none of these channels of SCAFE"):
        load("noise", f"demand,path={demand},only=SCAFE,channels=3")


def test_the_usual_place_is_found(demand, tmp_path):
    shutil.copytree(demand, tmp_path / "usual-place" / "demand")
    assert len(ids(load("noise", "demand"))) == 36


def test_an_unknown_recording_is_named(demand):
    for spec in (f"demand,path={demand}", f"squtr17,demand={demand}"):
        with pytest.raises(
            UserError, match=r"no recording 'demand_SCAFE_ch7'\. Did you mean 'demand_SCAFE_ch07'"
        ):
            load("noise", spec).read("demand_SCAFE_ch7")
