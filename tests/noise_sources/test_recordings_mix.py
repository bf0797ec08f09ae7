"""From an archive to a mixed utterance, and with memory that stays flat."""

from __future__ import annotations

import json
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from noise_archives import noise, wav, write_zip

from squtr.data_build.mix import draw_noise
from squtr.draw import draw
from squtr.mixing import mix
from squtr.noise_sources.segment import cut_segment
from squtr.plugins import load
from tests.building import build, manifest, write_trial

MEMORY = """
import json, sys, tracemalloc
from squtr.draw import draw
from squtr.noise_sources.segment import cut_segment
from squtr.plugins import load

def resident():
    pages = {line.split()[0]: int(line.split()[1]) for line in open("/proc/self/status") if "kB" in line}
    return pages["RssAnon:"] / 1024

source = load("noise", sys.argv[1])
cut_segment(source.read(source.recordings()[0].id), 24000, 24000, draw(1, "warm", ""))
before = resident()
tracemalloc.start()
source.check()
for number in range(int(sys.argv[2])):
    recording = source.recordings()[number % len(source.recordings())]
    cut_segment(source.read(recording.id), 5 * 24000, 24000, draw(1, "crop", str(number)), recording.id)
print(json.dumps({"peak": tracemalloc.get_traced_memory()[1] / 2**20, "growth": resident() - before}))
"""


@pytest.mark.parametrize("snr_db", [20.0, 10.0, 0.0])
def test_a_mix_from_the_archives_has_the_ratio_asked_for(demand, snr_db):
    source = load("noise", f"squtr17,demand={demand}")
    speech = noise("speech", 2, 24000).astype(np.float32) / 32768
    for query in range(8):
        recording, seed = draw_noise(source.recordings(), 7, f"en/trial/{query}")
        waveform = source.read(recording.id)
        segment = cut_segment(waveform, len(speech), 24000, draw(seed, "crop", recording.id), recording.id)
        mixed = mix(speech, segment.samples, snr_db, sample_rate=24000)
        assert abs(mixed.realised_snr_db - snr_db) < 0.05
        assert len(mixed.pcm) == len(speech)


def test_a_short_recording_is_looped_at_its_own_rate(demand):
    waveform = load("noise", f"demand,path={demand}").read("demand_TBUS_ch07")
    segment = cut_segment(waveform, 6 * 24000, 24000, draw(1, "crop", "x"))
    assert len(segment.samples) == 6 * 24000
    assert segment.loops >= 2


def test_every_category_is_drawn(demand):
    recordings = load("noise", f"squtr17,demand={demand}").recordings()
    drawn = {draw_noise(recordings, 1, str(number))[0].category for number in range(300)}
    assert len(drawn) == 17


def test_a_data_set_is_built_from_the_archives(demand, noisex, tmp_path):
    folder = tmp_path / "trial"
    folder.mkdir()
    recipe = write_trial(
        folder, mix={"noise": f"squtr17,demand={demand},reverberation=none", "snrs_db": [10]}
    )
    build(recipe, tmp_path / "out")
    rows = [row for row in manifest(tmp_path / "out") if row["noise_id"]]
    assert len(rows) == 4
    for row in rows:
        assert row["noise_id"].startswith("demand_")
        assert not row["noise_synthetic"]
        assert abs(row["realised_snr_db"] - 10) < 0.05


def test_moving_the_archives_changes_no_byte(demand, tmp_path):
    for name in ("one", "other"):
        folder = tmp_path / name
        folder.mkdir()
        for archive in demand.glob("*.zip"):
            (folder / archive.name).write_bytes(archive.read_bytes())
    sources = [
        load("noise", f"squtr17,demand={tmp_path / name},cache={tmp_path / name}-c")
        for name in ("one", "other")
    ]
    assert sources[0].fingerprint == sources[1].fingerprint
    assert np.array_equal(*(source.read("demand_NPARK_ch01").samples for source in sources))


@pytest.mark.parametrize("packed", [False, True], ids=["file", "archive"])
def test_memory_stays_flat_over_a_hundred_megabytes(tmp_path, packed):
    once = noise("long", 60, 48000)
    data = wav(np.tile(once, 18), 48000)
    assert len(data) > 100_000_000
    (tmp_path / "in").mkdir()
    if packed:
        write_zip(tmp_path / "in" / "long.zip", {"long.wav": data}, zipfile.ZIP_STORED)
    else:
        (tmp_path / "in" / "long.wav").write_bytes(data)
    del data
    file = tmp_path / "in" / "mine.yaml"
    file.write_text("name: m\nlicence: x\ncategories: {a: '**/long.wav'}\n")
    script = tmp_path / "memory.py"
    script.write_text(MEMORY)
    spec = f"recordings,source={file},cache={tmp_path / 'cache'}"
    done = subprocess.run([sys.executable, script, spec, "100"], capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    figures = json.loads(done.stdout)
    assert figures["peak"] < 30
    assert figures["growth"] < 40


def test_what_lies_in_the_cache_is_the_user_s_choice(demand, tmp_path):
    chosen = tmp_path / "chosen"
    load("noise", f"demand,path={demand},cache={chosen}").read("demand_TBUS_ch01")
    assert [Path(path).suffix for path in chosen.iterdir()] == [".npy"]
    assert not (tmp_path / "cache").exists()
